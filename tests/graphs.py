"""What tests of autograd share: leaves, and what a program of (m) comes to."""


def leaf(m, *values):
    return m.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


def outcome(run, m):
    """What a program of (m) makes: a plain value, or the kind of its error."""
    try:
        return plain(run(m))
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        return f"an error: {type(error).__name__}"


def plain(value):
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value
