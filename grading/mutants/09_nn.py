"""Chapter 09, named_parameters: wrong answers, and right ones in other styles."""

from grading.specimens import mutant, right
from minigrad.nn import Module


def walked(module, prefix, recurse, found, order=1):
    """All pairs, also those that are found again."""
    own = [(prefix + k, p) for k, p in module._parameters.items() if p is not None]
    found += own if order == 1 else []
    for name, child in module._modules.items():
        if child is not None and recurse:
            walked(child, f"{prefix}{name}.", True, found, order)
    found += own if order != 1 else []
    return found


def once(pairs, remove=True):
    kept, seen = [], set()
    for name, p in pairs:
        if not remove or id(p) not in seen:
            kept.append((name, p))
        seen.add(id(p))
    return kept


def dotted(prefix):
    return prefix + "." if prefix else ""


@mutant(Module.named_parameters, "twice")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return walked(self, dotted(prefix), recurse, [])


@mutant(Module.named_parameters, "twice", "each level has a set of its own")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    found = once([(dotted(prefix) + k, p) for k, p in self._parameters.items()
                  if p is not None], remove_duplicate)  # fmt: skip
    for name, child in self._modules.items():
        if child is not None and recurse:
            below = walked(child, f"{dotted(prefix)}{name}.", True, [])
            found += once(below, remove_duplicate)
    return found


@mutant(Module.named_parameters, "raised", "None has no children")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    found = [
        (dotted(prefix) + k, p) for k, p in self._parameters.items() if p is not None
    ]
    for name, child in self._modules.items():
        if recurse:
            found += walked(child, f"{dotted(prefix)}{name}.", True, [])
    return once(found, remove_duplicate)


@mutant(Module.named_parameters, "none_listed")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    modules = self.named_modules(None, prefix) if recurse else [(prefix, self)]
    own = [(dotted(path), m._parameters) for path, m in modules]
    return once([(path + k, p) for path, d in own for k, p in d.items()])


@mutant(Module.named_parameters, "children_first")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return once(walked(self, dotted(prefix), recurse, [], order=2), remove_duplicate)


@mutant(Module.named_parameters, "no_dot")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    pairs = walked(self, dotted(prefix), recurse, [])
    return [(n.replace(".", ""), p) for n, p in once(pairs, remove_duplicate)]


@mutant(Module.named_parameters, "one_level")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    found = walked(self, dotted(prefix), False, [])
    for name, child in self._modules.items():
        if child is not None and recurse:
            walked(child, f"{dotted(prefix)}{name}.", False, found)
    return once(found, remove_duplicate)


@mutant(Module.named_parameters, "own_alone")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return once(walked(self, dotted(prefix), False, []), remove_duplicate)


@mutant(Module.named_parameters, "always_deep")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return once(walked(self, dotted(prefix), True, []), remove_duplicate)


@mutant(Module.named_parameters, "no_prefix")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return once(walked(self, "", recurse, []), remove_duplicate)


@mutant(Module.named_parameters, "prefix_lost")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    found = walked(self, dotted(prefix), False, [])
    for name, child in self._modules.items():
        if child is not None and recurse:
            walked(child, f"{name}.", True, found)
    return once(found, remove_duplicate)


@mutant(Module.named_parameters, "dot_in_front")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return once(walked(self, prefix + ".", recurse, []), remove_duplicate)


@mutant(Module.named_parameters, "always_once")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return once(walked(self, dotted(prefix), recurse, []))


@mutant(Module.named_parameters, "names_alone")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    found = {}
    for name, p in walked(self, dotted(prefix), recurse, []):
        found.setdefault(name.split(".")[-1], (name, p))
    return [*found.values()]


@mutant(Module.named_parameters, "type", "names alone are returned")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return [n for n, _ in once(walked(self, dotted(prefix), recurse, []))]


@mutant(Module.named_parameters, "raised", "a dict's keys are unpacked")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return [(prefix + name, p) for name, p in self._parameters]


@right(Module.named_parameters, "by recursion")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    return once(walked(self, dotted(prefix), recurse, []), remove_duplicate)


@right(Module.named_parameters, "a generator")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    seen = set()
    modules = [(prefix, self)]
    if recurse:
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
    for path, module in modules:
        for name, p in module._parameters.items():
            if p is None or p in seen:
                continue
            if remove_duplicate:
                seen.add(p)
            yield path + ("." if path else "") + name, p


@right(Module.named_parameters, "by a stack")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    pairs, stack = [], [(dotted(prefix), self)]
    while stack:
        path, module = stack.pop()
        for name, p in module._parameters.items():
            if p is not None:
                pairs.append((path + name, p))
        if recurse:
            for name, child in reversed(list(module._modules.items())):
                if child is not None:
                    stack.append((path + name + ".", child))
    return iter(once(pairs, remove_duplicate))
