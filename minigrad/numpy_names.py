"""Arguments by name: those of NumPy, axis and keepdims, which PyTorch takes, too."""

import functools

NAMES = {"axis": "dim", "keepdims": "keepdim"}


def in_pytorch(function, given, takes=None):
    """Arguments under PyTorch's names; TypeError where one has both of its names.

    takes: the names that the function takes, where it does not see to that itself.
    """
    for name, ours in NAMES.items():
        if name in given and ours in given:
            raise TypeError(f"{function}() got both {ours!r} and {name!r}, which is it")
    named = {NAMES.get(name, name): value for name, value in given.items()}
    for name in named if takes is not None else ():
        if name not in takes:
            also = {ours: f"{ours} (or {name})" for name, ours in NAMES.items()}
            listed = ", ".join(also.get(n, n) for n in takes) or "none"
            raise TypeError(
                f"{function}() got an unexpected keyword argument {name!r}; by name it "
                f"takes {listed}"
            )
    return named


def accepts_axis(function):
    """The function, which takes NumPy's names, too."""

    @functools.wraps(function)
    def named(*args, **given):
        if given:
            given = in_pytorch(function.__name__, given)
        return function(*args, **given)

    return named
