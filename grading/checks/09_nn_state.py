"""Chapter 09, state_dict and train."""

import torch

from grading.checking import cause, checks
from minigrad.nn import Module

from .module_trees import (
    BLOCK,
    DEEP,
    LEAF,
    NET,
    NORM,
    SHARED,
    TIED,
    TWO,
    OfTrees,
    grown,
)
from .scene_check import SceneCheck


@checks(Module.state_dict)
class StateDict(OfTrees):
    def cases(self, random):
        for spec in (LEAF, TWO, DEEP):
            yield "parameters by name", self.of(spec)
        for spec in (NORM, NET):
            yield "buffers", self.of(spec)
        for spec in (TIED, SHARED):
            yield "shared ones under all names", self.of(spec)
        yield "a prefix", self.of(NET, prefix="model.")
        yield "keep_vars", self.of(NET, keep_vars=True)
        yield "keep_vars", self.of({"modules": {"a": NORM}}, keep_vars=True)

    def expected(self, scene):
        module, known = grown(scene["spec"])
        options = scene["options"]
        found = torch.nn.Module.state_dict(module, **options)
        how = "same" if options.get("keep_vars") else "detached"
        numbers = [(name, int(x.detach()[0])) for name, x in found.items()]
        return [(name, n, how) for name, n in numbers]

    def walk(self, scene, hidden=False, buffers=True, once=False, none=False,
             order="by module", dot=True, below=True, prefix=True):  # fmt: skip
        """The list with a mistake."""
        how = "same" if scene["options"].get("keep_vars") else "detached"
        tail, found = [], []

        def visit(spec, path):
            spec = BLOCK if spec.keys() == {"is"} else spec
            for name, n in spec.get("parameters", {}).items():
                if n is not None or none:
                    found.append((path + name, n, how))
            for name, n in spec.get("buffers", {}).items():
                shown = hidden or name not in spec.get("hidden", ())
                if (n is not None or none) and buffers and shown:
                    (tail if order != "by module" else found).append(
                        (path + name, n, how)
                    )
            for name, part in spec.get("modules", {}).items():
                if part is not None and below:
                    visit(part, path + name + ("." if dot else ""))

        visit(scene["spec"], scene["options"].get("prefix", "") if prefix else "")
        found = [(a, -1, "None") if n is None else (a, n, h)
                 for a, n, h in found + tail]  # fmt: skip
        numbers = [n for _, n, _ in found]
        kept = [i for i, n in enumerate(numbers) if not once or n not in numbers[:i]]
        return [found[i] for i in kept]

    def as_if(self, scene, how):
        return [(name, n, how) for name, n, _ in self.expected(scene)]

    @cause("a buffer that is not persistent is saved: leave out the names in "
           "self._non_persistent_buffers_set")  # fmt: skip
    def hidden(self, scene):
        return self.walk(scene, hidden=True)

    @cause("the buffers are missing: self._buffers. Without the running mean of a "
           "batch norm the network is not the same")  # fmt: skip
    def no_buffers(self, scene):
        return self.walk(scene, buffers=False)

    @cause("a shared parameter is saved under one of its names only: whoever loads the "
           "file looks for both. (named_parameters leaves out the second)")  # fmt: skip
    def once(self, scene):
        return self.walk(scene, once=True)

    @cause("what is None stands for nothing, and is left out")
    def none_saved(self, scene):
        return self.walk(scene, none=True)

    @cause("the order: a module's parameters, its buffers, then all of its first child "
           "and so on")  # fmt: skip
    def buffers_last(self, scene):
        return self.walk(scene, order="buffers last")

    @cause("between the names stands a dot: \"0.weight\". A child's prefix is this "
           "one's prefix, the child's name and a dot")  # fmt: skip
    def no_dot(self, scene):
        return self.walk(scene, dot=False)

    @cause("the modules below are not asked: self._modules has them")
    def own_alone(self, scene):
        return self.walk(scene, below=False)

    @cause("`prefix` is not used: it stands in front of every name")
    def no_prefix(self, scene):
        return self.walk(scene, prefix=False)

    @cause("the tensors are copied: a state_dict has the same memory, tensor.detach(). "
           "Whoever wants a snapshot copies it himself")  # fmt: skip
    def copied(self, scene):
        return self.as_if(scene, "copied")

    @cause("the parameters themselves are returned: without keep_vars they are "
           "detached, or saving would drag the graph along")  # fmt: skip
    def not_detached(self, scene):
        return self.as_if(scene, "same")

    @cause("with keep_vars the parameters themselves are wanted, not detached ones")
    def always_detached(self, scene):
        return self.as_if(scene, "detached")

    @cause("keep_vars is not handed down to the modules below")
    def keep_vars_lost(self, scene):
        own = {
            **scene["spec"].get("parameters", {}),
            **scene["spec"].get("buffers", {}),
        }
        return [(name, n, how if name in own else "detached")
                for name, n, how in self.expected(scene)]  # fmt: skip


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
        for mode in (1, None, "yes"):
            yield "only True and False", self.of(FAMILY, FLAGS, mode)

    def of(self, spec, flags, mode):
        return {"scene": "train", "spec": spec, "flags": flags, "mode": mode}

    def expected(self, scene):
        torch.nn.Module().train(scene["mode"])
        return dict.fromkeys(scene["flags"], scene["mode"]) | {"returned": "self"}

    def partly(self, scene, numbers):
        found = {**scene["flags"], "returned": "self"}
        return found | {n: scene["mode"] for n in numbers if n in found}

    @cause("only this module is set: those below it are, too")
    def own_alone(self, scene):
        return self.partly(scene, [1])

    @cause("only the modules below are set, and not this one")
    def children_alone(self, scene):
        return self.partly(scene, [2, 3, 4, 5])

    @cause("only the modules right below are set: call train of the child, which does "
           "the same for its own")  # fmt: skip
    def one_level(self, scene):
        return self.partly(scene, [1, 2, 4])

    @cause("`training` is set to True, whatever the mode")
    def always_true(self, scene):
        return self.partly({**scene, "mode": True}, FLAGS)

    @cause("the mode is not handed down: the modules below are set to True")
    def true_below(self, scene):
        deeper = self.partly({**scene, "mode": True}, [2, 3, 4, 5])
        return deeper | {1: scene["mode"]}

    @cause("self is not returned: return self, so that net.eval()(x) can be written")
    def returns_nothing(self, scene):
        return self.expected(scene) | {"returned": "None"}
