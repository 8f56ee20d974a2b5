"""Calls of modules, so that a node of the graph knows in which one it was made."""


class Call:
    """A call of a module, inside of the call `outer`, or of none."""

    __slots__ = "module", "outer"

    def __init__(self, module, outer):
        self.module, self.outer = module, outer

    def chain(self):
        """The calls that this one is in, the outermost first and itself last."""
        calls = [self]
        while calls[-1].outer is not None:
            calls.append(calls[-1].outer)
        return tuple(calls[::-1])

    def title(self):
        """Such as "layers.0: Linear", by its name in the outermost module."""
        kind = type(self.module).__name__
        for outer in self.chain()[:-1]:
            for name, module in outer.module.named_modules():
                if name and module is self.module:
                    return f"{name}: {kind}"
        return kind

    def parameters(self):
        """{name: Parameter} of the module and of those below it, each once."""
        by_id = {}
        for path, module in self.module.named_modules():
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    full = f"{path}.{name}" if path else name
                    by_id.setdefault(id(parameter), (full, parameter))
        return dict(by_id.values())
