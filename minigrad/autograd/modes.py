"""Whether operators are recorded: no_grad, enable_grad; and anomaly mode."""

import functools

enabled = True  # are operators recorded?
anomaly = None  # None, or in anomaly mode: is NaN looked for?
made_in = None  # the nn.calls.Call of the module whose forward runs


def is_grad_enabled():
    """Are operators recorded now?"""
    return enabled


class Mode:
    """A context manager that sets one thing here and puts it back; also a decorator."""

    variable = "enabled"

    def __init__(self, value):
        self.value, self.before = value, []

    def __enter__(self):
        self.before.append(globals()[self.variable])
        globals()[self.variable] = self.value
        return self

    def __exit__(self, *error):
        globals()[self.variable] = self.before.pop()

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return inside


class no_grad(Mode):  # noqa: N801  PyTorch's name
    """Nothing is recorded while this is open: `with no_grad():`, or `@no_grad()`."""

    def __new__(cls, function=None):
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()
        return mode(function)  # @no_grad without brackets

    def __init__(self, function=None):
        super().__init__(False)


class enable_grad(no_grad):  # noqa: N801
    """Operators are recorded while this is open, also inside of no_grad()."""

    def __init__(self, function=None):
        Mode.__init__(self, True)


class set_grad_enabled(Mode):  # noqa: N801
    """Record operators or not, from now on, or while `with` this is open."""

    def __init__(self, mode):
        super().__init__(bool(mode))
        self.entered = False
        self.outer = enabled
        globals()["enabled"] = self.value

    def __enter__(self):
        self.before.append(self.outer)
        globals()["enabled"] = self.value
        return self

    def __call__(self, function):
        globals()["enabled"] = self.outer  # a decorator sets nothing by itself
        return super().__call__(function)


class detect_anomaly(Mode):  # noqa: N801
    """While this is open an error in backward names the line of its forward.

    So does a gradient with NaN in it, unless check_nan=False. It costs time.
    """

    variable = "anomaly"

    def __init__(self, check_nan=True):
        super().__init__(check_nan)
