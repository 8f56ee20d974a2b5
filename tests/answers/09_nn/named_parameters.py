"""Answers of named_parameters by other algorithms."""

from minigrad.nn import Module
from tools.audit.specimens import answer


def once(pairs, remove):
    kept = {}
    for n, (name, p) in enumerate(pairs):
        kept.setdefault(id(p) if remove else n, (name, p))
    return [*kept.values()]


@answer(Module.named_parameters, right="by a stack")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    pairs, stack = [], [(prefix + "." if prefix else "", self)]
    while stack:
        path, module = stack.pop()
        if module is None:
            continue
        own = module._parameters.items()
        pairs += [(path + name, p) for name, p in own if p is not None]
        if recurse:
            below = module._modules.items()
            stack += reversed([(f"{path}{name}.", m) for name, m in below])
    return iter(once(pairs, remove_duplicate))


@answer(Module.named_parameters, right="by recursion, one at a time")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    seen = set()

    def walk(module, front):
        for name, p in module._parameters.items():
            if p is not None and not (remove_duplicate and id(p) in seen):
                seen.add(id(p))
                yield front + name, p
        for name, child in module._modules.items():
            if recurse and child is not None:
                yield from walk(child, f"{front}{name}.")

    return walk(self, prefix and f"{prefix}.")


@answer(Module.named_parameters, right="by a dict")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    modules, found = self.named_modules(remove_duplicate=False), {}
    for path, module in modules if recurse else [("", self)]:
        for name, p in module._parameters.items():
            whole = ".".join(filter(None, (prefix, path, name)))
            if p is not None:
                found.setdefault(id(p) if remove_duplicate else whole, (whole, p))
    return found.values()
