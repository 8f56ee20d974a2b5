"""What the library has worked out once and keeps, until an answer changes.

Shapes, layouts and kernels are found by functions that learners write. Their results
are kept, so that a small tensor's operator takes microseconds; a hole that gets another
answer makes all of it void.
"""

_kept = []


def kept():
    """A new dict that is emptied whenever an answer of the learner's changes."""
    _kept.append({})
    return _kept[-1]


def keep(kept, key, value, most=1000):
    """Put a value into such a dict, which never holds more than `most`; return it."""
    if len(kept) >= most:
        kept.clear()
    kept[key] = value
    return value


def forget():
    """Empty them all."""
    for results in _kept:
        results.clear()
