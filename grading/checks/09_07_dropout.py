"""Dropout: a result is judged by what its elements have in common."""

import itertools
import math

import numpy as np
import torch

from grading.exercise import checks
from minigrad.nn.unfused import dropout

from .scene_check import (
    SceneCheck,
    brief,
    by_state,
    looks_random,
    numbers,
    options_of,
    seeds_drawn,
)

FACTS = {
    "the same seed, the same numbers": (
        "seed", "minigrad.manual_seed does not decide what is dropped: draw with "
        "random.keep_mask or minigrad.rand, not with another library"
    ),
    "the dtype is that of the input": (
        "dtype", "the result has another dtype than the input"
    ),
    "the gradient goes the same way": (
        "cut", "the gradient does not come back: that of what is kept is scaled as it "
        "is, all other 0. Use operators of tensors, no NumPy, no detach()"
    ),
}  # fmt: skip
NEAR = {2: (1e-2, 1e-2), 4: (1e-5, 1e-6), 8: (1e-9, 1e-12)}  # by an element's size


@checks(dropout)
class Dropout(SceneCheck):
    """Leaves out small inputs, where chance says little; infinity times 0; and half but
    for p = 0.5, since its rounding depends on the order of the operators."""

    def words(self, scene):
        x = scene["x"]
        how = [f"dropout of {tuple(x.shape)} numbers in {x.dtype}", options_of(scene)]
        return ", ".join(filter(None, how))

    def cases(self, random):
        scene = self.of(random)
        yield "in training", scene
        yield "in training", self.also(scene, lambda a: a.astype(np.float32))
        yield "float16", self.also(scene, lambda a: a.astype(np.float16))
        for shape in (20, 40, 10), (8000,):
            yield "any dimensions", self.also(scene, lambda a, s=shape: a.reshape(s))
        for p in (0.5, 0.2, 0.7):
            yield "in training", self.of(random, p=p)
        for p in (0.5, 0.3):
            yield "not in training", self.of(random, p=p, training=False)
        for part, few in ("p of 0 and 1", (0, 1)), ("no other p", (-0.1, 1.5)):
            for p in few:
                yield part, self.of(random, p=p)
        yield "no other p", self.of(random, p=1.5, training=False)

    def of(self, random, **options):
        x, dy = numbers(random, 100, 80) + 10, numbers(random, 100, 80)
        return {"scene": "dropout", "x": x, "dy": dy, "seeds": seeds_drawn(random),
                "options": options}  # fmt: skip

    def also(self, scene, change):
        return scene | {name: change(scene[name]) for name in ("x", "dy")}

    def expected(self, scene):
        options = {"p": 0.5, "training": True} | scene["options"]
        torch.nn.functional.dropout(torch.ones(1), options["p"])
        p = options["p"] if options["training"] else 0
        return self.model(1 / (1 - p) if p < 1 else 1, p)

    def model(self, scale, zeros, rows=False, same=False, random=True, facts=True):
        """scale: of what is kept. zeros: their share. rows: are they whole rows?"""
        return {"scale": float(scale), "zeros": float(zeros), "rows": rows,
                "again": same, "random": random, "facts": facts}  # fmt: skip

    def seen(self, got, scene):
        """The model of a result."""
        if not isinstance(got, dict) or "results" not in got or any(
            not isinstance(y, np.ndarray) or y.shape != scene["x"].shape
            for y in got["results"]
        ):  # fmt: skip
            return None
        results = [few[0] for few in by_state(got["results"], scene["seeds"])]
        y = results[0]
        kept = y != 0
        ratios = y[kept] / scene["x"][kept]
        scale = float(ratios[0]) if ratios.size else 1.0
        if not np.allclose(ratios, scale, {2: 1e-3, 4: 1e-6, 8: 1e-9}[y.itemsize]):
            return None
        share = float(1 - kept.mean())
        lines = any(0 < share < 1 and (kept.all(d) | ~kept.any(d)).all()
                    for d in range(y.ndim))  # fmt: skip
        pairs = itertools.combinations(results, 2)
        again = 0 < share < 1 and any(np.array_equal(*pair) for pair in pairs)
        chance = lines or looks_random(1.0 * kept.reshape(100, -1))
        how = {"rows": bool(lines), "same": bool(again)}
        how["facts"] = all(self.facts(got, scene).values())
        return self.model(scale, share, random=chance, **how)

    def facts(self, got, scene):
        """Whether each of FACTS holds; {} where the shape is wrong."""
        if any(np.shape(y) != scene["x"].shape for y in got["results"]):
            return {}
        x, results, back = scene["x"], got["results"], got["gradient"]
        states, (seed, dtype, cut) = by_state(results, scene["seeds"]), FACTS
        return {
            seed: all(np.array_equal(few[0], y) for few in states for y in few),
            dtype: all(y.dtype == x.dtype for y in results),
            cut: np.allclose(  # where nothing is kept, no gradient is as good as 0
                0 if back is None else back,
                results[-1] / x * scene["dy"],
                *NEAR[x.itemsize],
            ),
        }

    def same(self, got, expected, scene):
        seen = self.seen(got, scene)
        if isinstance(expected, dict) and "results" in expected:  # a mistake's
            expected = self.seen(expected, scene)
        if seen is None or not isinstance(expected, dict):
            return False
        p = expected["zeros"]
        near = 6 * math.sqrt(p * (1 - p) / scene["x"].size) + 1e-12
        if expected["rows"]:
            near = 0.5
        return (
            abs(seen["zeros"] - p) <= near
            and (p == 1 or math.isclose(seen["scale"], expected["scale"], rel_tol=1e-6))
            and seen["rows"] == expected["rows"]
            and all(seen[k] == expected[k] for k in ("again", "random", "facts"))
        )

    def general(self, case):
        if not isinstance(case.got, dict) or not isinstance(case.expected, dict):
            return super().general(case)
        results = case.got.get("results")
        some = results if isinstance(results, list) else []
        floats = [y for y in some if isinstance(y, np.ndarray) and y.dtype.kind == "f"]
        all_dropped = case.args[0]["options"].get("p") == 1
        if all_dropped and any(np.isnan(y).any() for y in floats):
            return "divided_by_0", "with p = 1 all is 0, and 1 / (1 - p) does not exist"
        for name, holds in self.facts(case.got, *case.args).items():
            if not holds:
                return FACTS[name]
        seen = self.seen(case.got, *case.args)
        if seen and not seen["random"] and not seen["rows"]:
            return "pattern", "which elements are 0 follows a pattern: draw each alone"
        return None  # a result and a model: other kinds of value, and rightly so

    def lines(self, case):
        lines = super().lines(case)
        if not isinstance(case.got, dict) or not isinstance(case.expected, dict):
            return lines
        seen = self.seen(case.got, *case.args)
        if seen is None:
            return [lines[0], ("got", brief(case.got.get("results")))]
        say = [f"{100 * m['zeros']:.0f} % are 0, the others are times {m['scale']:.3g}"
               for m in (case.expected, seen)]  # fmt: skip
        if say[0] == say[1]:  # the cause says what else is wrong
            return lines[:1]
        return [lines[0], ("expected", say[0]), ("got", say[1])]
