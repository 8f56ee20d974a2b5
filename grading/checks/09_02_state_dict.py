"""What a checkpoint holds, and whether it is the same memory."""

import torch

from grading.checking import checks
from grading.mistakes import Known, Mistake, mistakes, right
from grading.scenes.modules import grown
from minigrad.nn import Module

from .module_trees import DEEP, LEAF, NET, NORM, SHARED, TIED, TWO, TreeCheck


@checks(Module.state_dict)
class StateDict(TreeCheck):
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
        module, _ = grown(torch, scene["spec"])
        options = scene["options"]
        found = torch.nn.Module.state_dict(module, **options)
        how = "same" if options.get("keep_vars") else "detached"
        return [(name, int(x.detach()[0]), how) for name, x in found.items()]


DETACHED = "tensor if keep_vars else tensor.detach()"
BELOW = "found.update(module.state_dict(prefix=below, keep_vars=keep_vars))"
NAMES = "own = module.state_dict(keep_vars=keep_vars)\n            found.update("
mistakes(
    Module.state_dict,
    hidden=Mistake(
        "a buffer that is not persistent is saved: leave out the names in "
        "self._non_persistent_buffers_set",
        " and name not in hidden ->",
    ),
    no_buffers=Mistake(
        "the buffers are missing: self._buffers. Without the running mean of a "
        "batch norm the network is not the same",
        ", *self._buffers.items() ->",
    ),
    once=Mistake(
        "a shared parameter is saved under one of its names only: whoever loads the "
        "file looks for both. (named_parameters leaves out the second)",
        "return found -> kept = {}\n    for name, x in found.items():\n"
        "        kept.setdefault(id(x.storage), (name, x))\n"
        "    return dict(kept.values())",
    ),
    no_dot=Mistake(
        'between the names stands a dot: "0.weight". A child\'s prefix is this '
        "one's prefix, the child's name and a dot",
        '{name}." -> {name}"',
    ),
    own_alone=Mistake(
        "the modules below are not asked: self._modules has them",
        "module is not None -> False",
    ),
    no_prefix=Mistake(
        "`prefix` is not used: it stands in front of every name",
        (
            "prefix + name -> name",
            f'{BELOW} -> {NAMES}(f"{{name}}.{{key}}", x) for key, x in own.items())',
        ),
    ),
    copied=Mistake(
        "the tensors are copied: a state_dict has the same memory, tensor.detach(). "
        "Whoever wants a snapshot copies it himself",
        f"{DETACHED} -> tensor.detach().clone()",
    ),
    not_detached=Mistake(
        "the parameters themselves are returned: without keep_vars they are "
        "detached, or saving would drag the graph along",
        f"{DETACHED} -> tensor",
    ),
    keep_vars_lost=Mistake(
        "keep_vars is not handed down to the modules below",
        "prefix=below, keep_vars=keep_vars -> prefix=below",
    ),
    type=Known("return found -> return list(found.items())"),
)


right(
    Module.state_dict,
    "the prefix afterwards",
    f"{BELOW} -> {NAMES}{{below + key: x for key, x in own.items()}})",
)


@right(Module.state_dict, "by named_modules")
def _(self, *, prefix="", keep_vars=False):
    found = {}
    for path, module in self.named_modules(remove_duplicate=False):
        path = prefix + (path + "." if path else "")
        for name, x in (module._parameters | module._buffers).items():
            if x is not None and name not in module._non_persistent_buffers_set:
                found[path + name] = x if keep_vars else x.detach()
    return found
