"""Trees of modules, as `grown` (drivers/modules.py) makes them."""

from grading.exercise import call

from ..inputs import said

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
NAMED_TWICE = {
    "parameters": {"weight": 1, "none": None, "again": 1}, "hidden": ["unsaved"],
    "buffers": {"mean": 5, "average": 5, "unsaved": 5, "last": 5, "learned": 1},
    "modules": {
        "a": {"parameters": {"weight": 1}, "buffers": {"mean": 5, "unsaved": 5}},
        "b": {"parameters": {"unsaved": 1}}},
}  # fmt: skip
NORM = {"parameters": {"weight": 1, "bias": 2}, "hidden": ["cache"], "buffers": {
    "running_mean": 3, "none": None, "cache": 4, "count": 5}}  # fmt: skip
NET = {"parameters": {"gain": 10}, "buffers": {"steps": 11}, "modules": {
    "0": NORM, "empty": None, "tail": {"parameters": {"w": 12}, "buffers": {
        "cache": 13}}}}  # fmt: skip


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


def on_tree(random, spec, **options):
    """A call of a method of a module that is drawn like the spec."""
    if "prefix" in options:
        options["prefix"] = f"{random.randint(100, 999)}{options['prefix']}"
    return call(renamed(random, spec), **options)


def describe(exercise, case):
    late = "; m.late = a parameter; again" if "late" in case.options else ""
    call = f"m.{exercise.name}({said(case.options, 'late')})"
    return f"{call} of m = {drawn(*case.args)}{late}"
