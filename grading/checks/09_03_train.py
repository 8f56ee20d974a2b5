"""The mode of a module and all below it."""

import torch

from grading.checking import checks
from grading.mistakes import Known, Mistake, mistakes, right
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
        for spec in (FAMILY, {"is": 1}):
            for mode in (True, False):
                flags = {n: random.random() < 0.5 for n in FLAGS if spec is FAMILY}
                yield "training of all", self.of(spec, {1: not mode} | flags, mode)
        for mode in (True, False):  # all are to be changed
            flags = dict.fromkeys(FLAGS, not mode)
            yield "training of all", self.of(FAMILY, flags, mode)
        for mode in (1, None, "yes"):
            yield "only True and False", self.of(FAMILY, FLAGS, mode)

    def of(self, spec, flags, mode):
        return {"scene": "train", "spec": spec, "flags": flags, "mode": mode}

    def expected(self, scene):
        torch.nn.Module().train(scene["mode"])
        return dict.fromkeys(scene["flags"], scene["mode"]) | {"returned": "self"}


EACH = "for child in self.children():\n        child.train(mode)"
mistakes(
    Module.train,
    own_alone=Mistake(
        "only this module is set: those below it are, too", "child.train(mode) -> pass"
    ),
    children_alone=Mistake(
        "only the modules below are set, and not this one",
        (
            "self.training = mode ->",
            "child.train(mode) -> for below in child.modules(): below.training = mode",
        ),
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
    true_below=Mistake(
        "the mode is not handed down: the modules below are set to True",
        "child.train(mode) -> child.train()",
    ),
    returns_nothing=Mistake(
        "self is not returned: return self, so that net.eval()(x) can be written",
        "return self ->",
    ),
    no_error=Known("not isinstance(mode, bool) -> False"),
)

right(
    Module.train,
    "by _modules",
    "in self.children() -> in [m for m in self._modules.values() if m is not None]",
)
right(
    Module.train,
    "by modules()",
    (
        f"{EACH} -> for m in self.modules(): m.training = mode",
        "self.training = mode ->",
    ),
)
right(
    Module.train,
    "by apply",
    f"{EACH}\n    return self -> "
    'return self.apply(lambda m: setattr(m, "training", mode))',
)
