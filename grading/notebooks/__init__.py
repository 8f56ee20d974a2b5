"""Labs and lessons, built from their texts in solutions/ and lessons/.

Imports checking.
"""
