"""The mode of a module and all below it."""

import itertools

import torch

from grading.checking import checks
from grading.mistakes import Known, Mistake, equivalent, mistakes, right
from minigrad.nn import Module

from .scene_check import SceneCheck

FLAGS = {1: True, 2: False, 3: True, 4: False, 5: True}
FAMILY = {
    "is": 1,
    "modules": {
        "a": {"is": 2, "modules": {"b": {"is": 3}, "none": None}},
        "c": {"is": 4, "modules": {"d": {"is": 5}}},
    },
}


@checks(Module.train)
class Train(SceneCheck):
    def words(self, scene):
        return f"m.train({scene['mode']!r}) of a module with others in two levels below"

    def cases(self, random):
        for mode, *flags in itertools.product((True, False), repeat=6):
            flags = dict(zip(FLAGS, flags, strict=True))
            yield "training of all", self.of(FAMILY, flags, mode)
        yield "training of all", self.of({"is": 1}, {1: True}, False)
        for mode in (1, None, "yes"):
            yield "only True and False", self.of(FAMILY, FLAGS, mode)

    def of(self, spec, flags, mode):
        return {"scene": "train", "spec": spec, "flags": flags, "mode": mode}

    def expected(self, scene):
        torch.nn.Module().train(scene["mode"])
        return dict.fromkeys(scene["flags"], scene["mode"]) | {"returned": "self"}


mistakes(
    Module.train,
    own_alone=Mistake(
        "only this module is set: those below it are, too", "child.train(mode) -> pass"
    ),
    one_level=Mistake(
        "only the modules right below are set: call train of the child, which does "
        "the same for its own",
        "child.train(mode) -> child.training = mode",
    ),
    always_true=Mistake(
        "`training` is set to True, whatever the mode",
        (
            "self.training = mode -> self.training = True",
            "child.train(mode) -> child.train()",
        ),
    ),
    returns_nothing=Mistake(
        "self is not returned: return self, so that net.eval()(x) can be written",
        "return self ->",
    ),
    where_it_differs=Mistake(
        "the modules below one that has the mode already are left as they are: ask all",
        "child.train(mode) -> if child.training != mode: child.train(mode)",
    ),
    no_error=Known("not isinstance(mode, bool) -> False"),
)

equivalent(
    Module.train,
    "all are set to the same, in whatever order",
    "order: for child in self.children()",
)


@right(Module.train, "by a stack")
def _(self, mode=True):
    if mode is not True and mode is not False:
        raise ValueError("training mode is expected to be boolean")
    left = [self]
    while left:
        module = left.pop()
        module.training = mode
        left += module.children()
    return self
