"""What must hold, and what to say where it does not: PyTorch's TORCH_CHECK."""


def check(condition, message, error=RuntimeError):
    """Raise an error unless the condition holds.

    message: a text; or a function that makes it, for what is called often.
    """
    if not condition:
        raise error(message() if callable(message) else message)
