"""From an answer to its verdict: cases, references, mistakes, and messages.

What every check shares is changed here; what one exercise demands, in checks/.

Imports drivers, kernels, isolation.
"""
