"""Tables of functions: which one is for a kind of node, or for a word."""


def handles(table, *keys):
    """Put a function into a table, for these keys."""

    def register(function):
        table.update(dict.fromkeys(keys, function))
        return function

    return register
