"""How a module is printed: its name, its numbers, and what it is made of."""

import itertools


def represent(module):
    """A module as text, as PyTorch writes it."""
    name, extra = type(module).__name__, module.extra_repr()
    parts = _children(module)
    if not parts:
        return f"{name}({extra})"
    first = [extra] if extra else []
    lines = [line for text in first + parts for line in text.split("\n")]
    return "\n".join([f"{name}(", *(f"  {line}" for line in lines), ")"])


def _children(module):
    """A text for each child; in a ModuleList or Sequential equal ones are counted."""
    texts = [(name, repr(child)) for name, child in module._modules.items()]
    if not getattr(module, "folded_repr", False):
        return [f"({name}): {text}" for name, text in texts]
    found = []
    for text, group in itertools.groupby(texts, lambda pair: pair[1]):
        names = [name for name, _ in group]
        many = f"({names[0]}-{names[-1]}): {len(names)} x {text}"
        found.append(many if len(names) > 1 else f"({names[0]}): {text}")
    return found
