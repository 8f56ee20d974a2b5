"""What the checks of chapter 09 share: trees of modules whose tensors are numbers."""

from .scene_check import SceneCheck, options_of

LEAF = {"parameters": {"weight": 1, "bias": 2}}
TWO = {"modules": {"0": LEAF, "1": {"parameters": {"weight": 3, "bias": None}}}}
DEEP = {
    "parameters": {"gain": 1},
    "modules": {
        "encoder": {
            "parameters": {"scale": 2},
            "modules": {"0": {"parameters": {"weight": 3}}, "last": LEAF | {}},
        },
        "nothing": None,
        "head": {"parameters": {"weight": 4, "missing": None, "bias": 5}},
    },
}
DEEP["modules"]["encoder"]["modules"]["last"] = {"parameters": {"weight": 6}}
BLOCK = {"is": 50, "parameters": {"weight": 1}, "modules": {"fc": LEAF}}
BLOCK["modules"] = {"fc": {"parameters": {"weight": 2}}}
TIED = {
    "parameters": {"embedding": 1, "out": 7},
    "modules": {"a": {"parameters": {"weight": 1, "bias": 7}}},
}
SHARED = {
    "parameters": {"first": 9},
    "modules": {"a": BLOCK, "b": {"is": 50}, "c": {"parameters": {"weight": 3}}},
}
NORM = {
    "parameters": {"weight": 1, "bias": 2},
    "buffers": {"running_mean": 3, "none": None, "cache": 4, "count": 5},
    "hidden": ["cache"],
}
NET = {
    "parameters": {"gain": 10},
    "buffers": {"steps": 11},
    "modules": {"0": NORM, "empty": None, "tail": {"parameters": {"w": 12}}},
}


def drawn(spec):
    """A tree in one line: {weight, bias, 0: {weight}}."""
    parts = [f"{k}" for k, v in spec.get("parameters", {}).items() if v is not None]
    parts += [f"{k} (buffer)" for k, v in spec.get("buffers", {}).items()]
    for name, below in spec.get("modules", {}).items():
        if below is not None:
            again = below.keys() == {"is"}
            parts.append(f"{name}: " + ("the same module" if again else drawn(below)))
    return "{" + ", ".join(parts) + "}"


class TreeCheck(SceneCheck):
    """A method of a module, called on a tree."""

    def words(self, scene):
        return f"m.{self.hole.name}({options_of(scene)}) of m = {drawn(scene['spec'])}"

    def of(self, spec, **options):
        return {"scene": self.hole.name, "spec": spec, "options": options}
