"""Answers of state_dict by other algorithms."""

from minigrad.nn import Module
from tools.audit.specimens import answer


@answer(Module.state_dict, right="by recursion into one dict")
def _(self, *, prefix="", keep_vars=False):
    found = {}

    def add(module, front):
        for mine in module._parameters, module._buffers:
            for name, x in mine.items():
                if name not in module._non_persistent_buffers_set:
                    found[front + name] = x
        for name, child in module._modules.items():
            if child is not None:
                add(child, f"{front}{name}.")

    add(self, prefix)
    there = {name: x for name, x in found.items() if x is not None}
    return there if keep_vars else {name: x.detach() for name, x in there.items()}


@answer(Module.state_dict, right="by named_modules")
def _(self, *, prefix="", keep_vars=False):
    found = {}
    for path, module in self.named_modules(remove_duplicate=False):
        path = prefix + (path + "." if path else "")
        for name, x in (module._parameters | module._buffers).items():
            if x is not None and name not in module._non_persistent_buffers_set:
                found[path + name] = x if keep_vars else x.detach()
    return found
