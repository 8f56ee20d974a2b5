# ruff: noqa
"""Transitional."""

from ..dispatch import DeviceKernel as Planned
from ..dispatch import Operator
from ..promotion import result_type
from .. import capture


class PlannedOperator(Operator):
    planned = True

    def __init__(self, name, rule=result_type, doc="", gradients=None):
        def check(*operands, **options):
            return options

        how = type(self).planned
        super().__init__(check, None, (), None, gradients, rule, how, name)
        self.__doc__ = doc

    def bind(self, args, named):
        return args, named, lambda args, named: args[: len(args)]

    def __call__(self, *operands, **options):
        return self.call(*operands, **options)

    def __set_name__(self, owner, name):
        import functools, inspect
        from ..numpy_names import in_pytorch

        call = type(self).__call__
        takes = [*inspect.signature(call).parameters][2:]

        @functools.wraps(self, ("__doc__",), ())
        def method(x, *operands, **options):
            if options:
                options = in_pytorch(self.name, options, takes)
            return call(self, x, *operands, **options)

        method.__name__ = name
        setattr(owner, name, method)
