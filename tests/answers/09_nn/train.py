"""Answers of train by other algorithms."""

from minigrad.nn import Module
from tools.audit.specimens import answer


@answer(Module.train, right="by modules()")
def _(self, mode=True):
    if type(mode) is not bool:
        raise ValueError("training mode is expected to be boolean")
    for module in self.modules():
        module.training = mode
    return self


@answer(Module.train, right="by a stack")
def _(self, mode=True):
    if mode is not True and mode is not False:
        raise ValueError("training mode is expected to be boolean")
    left = [self]
    while left:
        module = left.pop()
        module.training = mode
        left += module.children()
    return self
