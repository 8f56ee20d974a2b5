"""The parameters of a tree of modules, what is saved of it, and its mode."""

import itertools

import torch

from grading.drivers.modules import grown
from grading.exercise import checks, mistakes, right
from minigrad.nn import Module

from .scene_check import SceneCheck, options_of

LEAF = {"parameters": {"weight": 1, "bias": 2}}
TWO = {"modules": {"0": LEAF, "1": {"parameters": {"weight": 3, "bias": None}}}}
DEEP = {"parameters": {"gain": 1}, "modules": {
    "encoder": {"parameters": {"scale": 2}, "modules": {
        "0": {"parameters": {"weight": 3}}, "last": {"parameters": {"weight": 6}}}},
    "nothing": None,
    "head": {"parameters": {"weight": 4, "missing": None, "bias": 5}}}}  # fmt: skip
BELOW = {"fc": {"parameters": {"weight": 2}}}
BLOCK = {"is": 50, "parameters": {"weight": 1}, "modules": BELOW}
TIED = {"parameters": {"embedding": 1, "out": 7},
        "modules": {"a": {"parameters": {"weight": 1, "bias": 7}}}}  # fmt: skip
FROZEN = {"parameters": {"weight": 1, "bias": 2}, "frozen": ["weight"], "modules": {
    "0": {"parameters": {"weight": 3, "again": 3}, "frozen": ["weight"]}}}  # fmt: skip
SHARED = {"parameters": {"first": 9}, "modules": {
    "a": BLOCK, "b": {"is": 50}, "c": {"parameters": {"weight": 3}}}}  # fmt: skip
NORM = {"parameters": {"weight": 1, "bias": 2}, "hidden": ["cache"], "buffers": {
    "running_mean": 3, "none": None, "cache": 4, "count": 5}}  # fmt: skip
NET = {"parameters": {"gain": 10}, "buffers": {"steps": 11}, "modules": {
    "0": NORM, "empty": None, "tail": {"parameters": {"w": 12}}}}  # fmt: skip


def drawn(spec):
    """A tree in one line: {weight, bias, 0: {weight}}."""
    parts = [f"{k}" for k, v in spec.get("parameters", {}).items() if v is not None]
    parts += [f"{k} (buffer)" for k, v in spec.get("buffers", {}).items()]
    for name, below in spec.get("modules", {}).items():
        if below is not None:
            again = below.keys() == {"is"}
            parts.append(f"{name}: " + ("the same module" if again else drawn(below)))
    return "{" + ", ".join(parts) + "}"


def renamed(random, spec):
    """The same tree under names and numbers that are drawn."""
    names, whole = {}, {}

    def name(old):
        return names.setdefault(old, f"{old}{random.randint(100, 999)}")

    def number(old):
        if old is None:
            return None
        if int(old) not in whole:
            whole[int(old)] = 10 * len(whole) + random.randint(1, 9)
        return whole[int(old)] + old % 1

    def tree(old):
        if old is None:
            return None
        new = {k: {name(n): number(m) for n, m in old[k].items()}
               for k in ("parameters", "buffers") if k in old}  # fmt: skip
        new |= {k: [*map(name, old[k])] for k in ("frozen", "hidden") if k in old}
        new |= {"is": number(old["is"])} if "is" in old else {}
        below = {name(n): tree(m) for n, m in old.get("modules", {}).items()}
        return new | ({"modules": below} if below else {})

    return tree(spec)


class TreeCheck(SceneCheck):
    """A method of a module, called on a tree."""

    def words(self, scene):
        return f"m.{self.hole.name}({options_of(scene)}) of m = {drawn(scene['spec'])}"

    def of(self, random, spec, **options):
        if "prefix" in options:
            options["prefix"] = f"{random.randint(100, 999)}{options['prefix']}"
        spec = renamed(random, spec)
        return {"scene": self.hole.name, "spec": spec, "options": options}


@checks(Module.named_parameters)
class NamedParameters(TreeCheck):
    """Leaves out sizes and dtypes of parameters: names and identity alone count."""

    def cases(self, random):
        for spec in (LEAF, TWO, DEEP):
            yield "names", self.of(random, spec)
        for spec in (TIED, SHARED):
            yield "a shared one once", self.of(random, spec)
            yield (
                "a shared one twice, if asked",
                self.of(random, spec, remove_duplicate=False),
            )
        for spec in (DEEP, LEAF):
            yield "a prefix", self.of(random, spec, prefix="net")
            yield "its own alone", self.of(random, spec, recurse=False)
        yield "a prefix", self.of(random, DEEP, prefix="net", recurse=False)
        yield "frozen ones", self.of(random, FROZEN)
        yield "frozen ones", self.of(random, FROZEN, remove_duplicate=False)
        yield "nothing", self.of(random, {})
        twins = {"parameters": {"a": 1, "b": 1.5}, "modules": {"c": LEAF}}
        yield "equal in value", self.of(random, twins)
        yield "one that comes late", self.of(random, DEEP) | {"late": 99}
        yield "one that comes late", self.of(random, {}) | {"late": 99}

    def expected(self, scene):
        module, known = grown(torch, scene["spec"])
        if late := scene.get("late"):
            known[late] = torch.nn.Parameter(torch.ones(1))
            module.register_parameter("late", known[late])
        numbers = {id(x): n for n, x in known.items()}
        pairs = module.named_parameters(**scene["options"])
        return [(name, numbers[id(p)]) for name, p in pairs]


NAME = 'f"{path}.{name}" if path else name'
TWICE = "remove_duplicate=remove_duplicate -> remove_duplicate=False"
mistakes(Module.named_parameters)(rf"""
twice: a parameter that is found again is listed again: remove_duplicate asks to leave
    out what was there, by the object, whatever its name
>  or (remove_duplicate and param in seen) ->
& {TWICE}
> for path, module in modules: -> for path, module in modules:\n        seen = set()
& {TWICE}
none_listed: a parameter that is None stands for nothing, and is left out
> param is None or ->
frozen_lost: a parameter that requires no gradient is one, too
> param is None or -> param is None or not param.requires_grad or
no_dot: between the names of modules and parameters stands a dot: "0.weight"
> {NAME} -> (path + name).replace(".", "")
own_alone: the modules below are not asked: self._modules has them
> if recurse -> if 0
no_prefix: `prefix` is not used: it stands in front of every name, with a dot
> (prefix, self) -> ("", self)
& prefix=prefix, ->
prefix_lost: `prefix` is lost below: a child's names have the prefix, then the child's
    name, then the parameter's
> prefix=prefix, ->
& if path else -> if path else prefix and prefix + '.' +
always_once: with remove_duplicate=False a parameter is listed under each of its names
> remove_duplicate and param -> param
& , remove_duplicate=remove_duplicate ->
by_value: parameters of equal value are taken for one: one object is one parameter
> remove_duplicate and param in seen -> remove_duplicate and any((param == p).all() for
    p in seen)
type:
> return found -> return [name for name, _ in found]
""")


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


@right(Module.named_parameters, "by recursion, one at a time")
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


@right(Module.named_parameters, "by a dict")
def _(self, prefix="", recurse=True, remove_duplicate=True):
    modules, found = self.named_modules(remove_duplicate=False), {}
    for path, module in modules if recurse else [("", self)]:
        for name, p in module._parameters.items():
            whole = ".".join(filter(None, (prefix, path, name)))
            if p is not None:
                found.setdefault(id(p) if remove_duplicate else whole, (whole, p))
    return found.values()


@checks(Module.state_dict)
class StateDict(TreeCheck):
    """Leaves out sizes and dtypes of tensors: names and memory alone are promised."""

    def cases(self, random):
        for spec in (LEAF, TWO, DEEP):
            yield "parameters by name", self.of(random, spec)
        for spec in (NORM, NET):
            yield "buffers", self.of(random, spec)
        for spec in (TIED, SHARED):
            yield "shared ones under all names", self.of(random, spec)
        for keep in False, True:
            yield "frozen ones", self.of(random, FROZEN, keep_vars=keep)
        yield "a prefix", self.of(random, NET, prefix="model.")
        yield "keep_vars", self.of(random, NET, keep_vars=True)
        yield "keep_vars", self.of(random, {"modules": {"a": NORM}}, keep_vars=True)

    def expected(self, scene):
        module, _ = grown(torch, scene["spec"])
        options = scene["options"]
        found = torch.nn.Module.state_dict(module, **options)
        how = "same" if options.get("keep_vars") else "detached"
        return [(name, int(x.detach()[0]), how) for name, x in found.items()]


DETACHED = "tensor if keep_vars else tensor.detach()"
UPDATE = "found.update(module.state_dict(prefix=below, keep_vars=keep_vars))"
NAMES = r"own = module.state_dict(keep_vars=keep_vars)\n            found.update("
mistakes(Module.state_dict)(rf"""
hidden: a buffer that is not persistent is saved: leave out the names in
    self._non_persistent_buffers_set
>  and name not in hidden ->
no_buffers: the buffers are missing: self._buffers. Without the running mean of a batch
    norm the network is not the same
> , *self._buffers.items() ->
once: a shared parameter is saved under one of its names only: whoever loads the file
    looks for both. (named_parameters leaves out the second)
> return found -> kept = {{}}\n    for name, x in
    found.items():\n        kept.setdefault(id(x.storage), (name, x))\n    return
    dict(kept.values())
no_dot: between the names stands a dot: "0.weight". A child's prefix is this one's
    prefix, the child's name and a dot
> {{name}}." -> {{name}}"
own_alone: the modules below are not asked: self._modules has them
> module is not None -> False
no_prefix: `prefix` is not used: it stands in front of every name
> prefix + name -> name
& {UPDATE} -> {NAMES}(f"{{name}}.{{key}}", x) for key, x in own.items())
copied: the tensors are copied: a state_dict has the same memory, tensor.detach().
    Whoever wants a snapshot copies it himself
> {DETACHED} -> tensor.detach().clone()
not_detached: the parameters themselves are returned: without keep_vars they are
    detached, or saving would drag the graph along
> {DETACHED} -> tensor
keep_vars_lost: keep_vars is not handed down to the modules below
> prefix=below, keep_vars=keep_vars -> prefix=below
""")


@right(Module.state_dict, "by recursion into one dict")
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


@right(Module.state_dict, "by named_modules")
def _(self, *, prefix="", keep_vars=False):
    found = {}
    for path, module in self.named_modules(remove_duplicate=False):
        path = prefix + (path + "." if path else "")
        for name, x in (module._parameters | module._buffers).items():
            if x is not None and name not in module._non_persistent_buffers_set:
                found[path + name] = x if keep_vars else x.detach()
    return found


FAMILY = {"is": 1, "modules": {
    "a": {"is": 2, "modules": {"b": {"is": 3}, "none": None}},
    "c": {"is": 4, "modules": {"d": {"is": 5}}}}}  # fmt: skip
BELOW_EACH = {1: {1, 2, 3, 4, 5}, 2: {2, 3}, 3: {3}, 4: {4, 5}, 5: {5}}


@checks(Module.train)
class Train(SceneCheck):
    """Leaves out a module met twice: its mode is then set twice, to the same."""

    def words(self, scene):
        below = ", ".join(map(str, sorted(BELOW_EACH[scene["of"]] - {scene["of"]})))
        return (
            f"m.train({scene['mode']!r}) of module {scene['of']}, below which are "
            f"{below or 'no others'}"
        )

    def cases(self, random):
        flags = [*itertools.product((True, False), repeat=len(BELOW_EACH))]
        for mode in True, False:
            for some in random.sample(flags, len(flags)):
                yield "training of all", self.of(1, some, mode)
            for module in BELOW_EACH:
                for some in random.sample(flags, 4):
                    yield "training of all", self.of(module, some, mode)
        for mode in (1, None, "yes"):
            yield "only True and False", self.of(1, random.choice(flags), mode)

    def of(self, module, flags, mode):
        flags = dict(zip(BELOW_EACH, flags, strict=True))
        return {"scene": "train", "spec": FAMILY, "of": module, "flags": flags,
                "mode": mode}  # fmt: skip

    def expected(self, scene):
        torch.nn.Module().train(scene["mode"])
        below = dict.fromkeys(BELOW_EACH[scene["of"]], scene["mode"])
        return scene["flags"] | below | {"returned": scene["of"]}


mistakes(Module.train)(r"""
own_alone: only this module is set: those below it are, too
> child.train(mode) -> pass
one_level: only the modules right below are set: call train of the child, which does the
    same for its own
> child.train(mode) -> child.training = mode
always_true: `training` is set to True, whatever the mode
> self.training = mode -> self.training = True
& child.train(mode) -> child.train()
returns_nothing: self is not returned: return self, so that net.eval()(x) can be written
> return self ->
where_it_differs: the modules below one that has the mode already are left as they are:
    ask all
> child.train(mode) -> if child.training != mode: child.train(mode)
no_error:
> not isinstance(mode, bool) -> False
equivalent: all are set to the same, in whatever order
> order: for child in self.children()
right: those below first
> self.training = mode ->
& return self -> self.training = mode\n    return self
""")


@right(Module.train, "by modules()")
def _(self, mode=True):
    if type(mode) is not bool:
        raise ValueError("training mode is expected to be boolean")
    for module in self.modules():
        module.training = mode
    return self


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
