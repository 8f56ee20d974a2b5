"""Modules that hold others: in a row, or in a list."""

import itertools
import operator

from .module import Module


class Numbered(Module):
    """Modules under the names "0", "1", ..."""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def _name(self, index):
        """The name of a module by its number, which may be negative."""
        number = operator.index(index)
        if not -len(self) <= number < len(self):
            raise IndexError(f"index {number} is out of range")
        return list(self._modules)[number]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._of([*self._modules.items()][index])
        return self._modules[self._name(index)]

    def __setitem__(self, index, module):
        setattr(self, self._name(index), module)

    def __delitem__(self, index):
        several = isinstance(index, slice)
        for name in [*self._modules][index] if several else [self._name(index)]:
            del self._modules[name]
        self._renumber([*self])

    def append(self, module):
        """Put a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index, module):
        """Put a module before the one of that number."""
        number = operator.index(index)
        *others, new = self.append(module)  # which refuses what is no module
        others.insert(number, new)
        self._renumber(others)

    def _renumber(self, modules):
        self._modules.clear()
        self.extend(modules)

    def extend(self, modules):
        """Put several at the end."""
        try:
            modules = [*modules]
        except TypeError:
            raise TypeError(
                f"{type(self).__name__}.extend should be called with an iterable, but "
                f"got {type(modules).__name__}: a list of modules, or append(module)"
            ) from None
        for module in modules:
            self.append(module)
        return self

    def pop(self, key):
        """Take the module of that number out, and return it."""
        module = self[key]
        del self[key]
        return module

    def __add__(self, other):
        return self[:].extend(other)

    def __iadd__(self, other):
        return self.extend(other)


class Sequential(Numbered):
    """Modules one after the other: each gets what the one before returns.

    Sequential(first, second, ...), or Sequential({name: module, ...}).
    """

    def __init__(self, *modules):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], dict):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            self.extend(modules)

    def _of(self, items):
        return Sequential(dict(items))

    def insert(self, index, module):
        """Put a module before the one of that number, which must exist."""
        if not -len(self) <= operator.index(index) <= len(self):
            raise IndexError(f"Index out of range: {index}")
        super().insert(index, module)
        return self

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class ModuleList(Numbered):
    """A list whose modules are known to the module that holds it."""

    def __init__(self, modules=None):
        super().__init__()
        self.extend(() if modules is None else modules)

    def _of(self, items):
        return ModuleList(module for _, module in items)

    def _children_repr(self):
        """A text for each run of equal modules."""
        texts, first = [], 0
        for text, group in itertools.groupby(map(repr, self)):
            count = len([*group])
            run = f"{first}-{first + count - 1}): {count} x"
            texts.append(f"({run if count > 1 else f'{first}):'} {text}")
            first += count
        return texts
