"""From an answer to its verdict: cases, references, mistakes, and messages.

Change here what all checks share. What one exercise requires is in checks/.

Imports drivers, kernels, isolation.
"""
