"""Labs and lessons, built from their sources in solutions/ and lessons/.

Imports checking.
"""
