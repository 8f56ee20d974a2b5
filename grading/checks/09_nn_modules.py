"""The parameters of a tree of modules, what is saved of it, and its mode."""

import itertools

import torch

from grading.drivers.modules import grown
from grading.exercise import checks
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
        return (
            f"m.{self.exercise.name}({options_of(scene)}) of m = {drawn(scene['spec'])}"
        )

    def of(self, random, spec, **options):
        if "prefix" in options:
            options["prefix"] = f"{random.randint(100, 999)}{options['prefix']}"
        spec = renamed(random, spec)
        return {"scene": self.exercise.name, "spec": spec, "options": options}


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
