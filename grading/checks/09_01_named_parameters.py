"""The parameters of a tree of modules, by name."""

import torch

from grading.checking import checks
from grading.mistakes import Known, Mistake, mistakes, right
from grading.scenes.modules import grown
from minigrad.nn import Module

from .module_trees import DEEP, LEAF, SHARED, TIED, TWO, TreeCheck


@checks(Module.named_parameters)
class NamedParameters(TreeCheck):
    def cases(self, random):
        for spec in (LEAF, TWO, DEEP):
            yield "names", self.of(spec)
        for spec in (TIED, SHARED):
            yield "a shared one once", self.of(spec)
            yield "a shared one twice, if asked", self.of(spec, remove_duplicate=False)
        for spec in (DEEP, LEAF):
            yield "a prefix", self.of(spec, prefix="net")
            yield "its own alone", self.of(spec, recurse=False)
        yield "a prefix", self.of(DEEP, prefix="net", recurse=False)
        yield "nothing", self.of({})
        twins = {"parameters": {"a": 1, "b": 1.5}, "modules": {"c": LEAF}}
        yield "equal in value", self.of(twins)
        yield "one that comes late", self.of(DEEP) | {"late": 99}
        yield "one that comes late", self.of({}) | {"late": 99}

    def expected(self, scene):
        module, known = grown(torch, scene["spec"])
        if late := scene.get("late"):
            known[late] = torch.nn.Parameter(torch.ones(1))
            module.register_parameter("late", known[late])
        numbers = {id(x): n for n, x in known.items()}
        pairs = module.named_parameters(**scene["options"])
        return [(name, numbers[id(p)]) for name, p in pairs]


NAME = 'f"{path}.{name}" if path else name'
ALL = "modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)"
TWICE = "remove_duplicate=remove_duplicate -> remove_duplicate=False"
mistakes(
    Module.named_parameters,
    twice=Mistake(
        "a parameter that is found again is listed again: remove_duplicate asks to "
        "leave out what was there, by the object, whatever its name",
        (" or (remove_duplicate and param in seen) ->", TWICE),
        (  # each level has a set of its own
            "for path, module in modules: -> for path, module in modules:\n"
            "        seen = set()",
            TWICE,
        ),
    ),
    none_listed=Mistake(
        "a parameter that is None stands for nothing, and is left out",
        "param is None or ->",
    ),
    no_dot=Mistake(
        'between the names of modules and parameters stands a dot: "0.weight"',
        f'{NAME} -> (path + name).replace(".", "")',
    ),
    own_alone=Mistake(
        "the modules below are not asked: self._modules has them", "if recurse -> if 0"
    ),
    always_deep=Mistake(
        "recurse=False asks for this module's own parameters alone",
        "if recurse -> if 1",
    ),
    no_prefix=Mistake(
        "`prefix` is not used: it stands in front of every name, with a dot",
        ('(prefix, self) -> ("", self)', "prefix=prefix, ->"),
    ),
    prefix_lost=Mistake(
        "`prefix` is lost below: a child's names have the prefix, then the child's "
        "name, then the parameter's",
        ("prefix=prefix, ->", "if path else -> if path else prefix and prefix + '.' +"),
    ),
    always_once=Mistake(
        "with remove_duplicate=False a parameter is listed under each of its names",
        (
            "remove_duplicate and param -> param",
            ", remove_duplicate=remove_duplicate ->",
        ),
    ),
    by_value=Mistake(
        "parameters of equal value are taken for one: one object is one parameter",
        (
            "remove_duplicate and param in seen -> "
            "remove_duplicate and any((param == p).all() for p in seen)",
        ),
    ),
    type=Known("return found -> return [name for name, _ in found]"),
    raised=Known(
        f"{ALL} -> modules += self._modules.items()",  # None has no children
        "module._parameters.items() -> module._parameters",  # keys are unpacked
    ),
)


def once(pairs, remove):
    kept = {}
    for n, (name, p) in enumerate(pairs):
        kept.setdefault(id(p) if remove else n, (name, p))
    return [*kept.values()]


@right(Module.named_parameters, "by a stack")
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
