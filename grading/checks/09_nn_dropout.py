"""Chapter 09, dropout: a result is told by what its elements have in common."""

import math

import numpy as np
import torch

from grading.checking import cause, checks
from minigrad.ops import unfused

from .scene_check import SceneCheck, numbers, options_of


@checks(unfused.dropout)
class Dropout(SceneCheck):
    """What is expected is a model: which scale the kept have, and how many are 0."""

    def words(self, scene):
        return f"dropout of {tuple(scene['x'].shape)} numbers, {options_of(scene)}"

    def cases(self, random):
        for p in (0.5, 0.2, 0.7):
            yield "in training", self.of(random, p=p)
        yield "in training", self.of(random)
        for p in (0.5, 0.3):
            yield "not in training", self.of(random, p=p, training=False)
        yield "p of 0 and 1", self.of(random, p=0)
        yield "p of 0 and 1", self.of(random, p=1)
        for p in (-0.1, 1.5):
            yield "no other p", self.of(random, p=p)

    def of(self, random, **options):
        x = numbers(random, 100, 80) + 10
        seed = random.getrandbits(32)
        return {"scene": "dropout", "x": x, "seed": seed, "options": options}

    def expected(self, scene):
        torch.nn.functional.dropout(torch.ones(1), scene["options"].get("p", 0.5))
        p, training = self.p_of(scene)
        return self.model(1 / (1 - p) if p < 1 else 1, p) if training else self.model()

    def p_of(self, scene):
        options = scene["options"]
        return options.get("p", 0.5), options.get("training", True)

    def model(self, scale=1, zeros=0, alike=False, rows=False, same=False):
        """scale: of what is kept. zeros: their share. rows: are they whole rows?"""
        return {"scale": float(scale), "zeros": float(zeros), "rows": rows,
                "again": same}  # fmt: skip

    def seen(self, got, scene):
        """The model of a result."""
        if not isinstance(got, list) or any(
            not isinstance(y, np.ndarray) or y.shape != scene["x"].shape for y in got
        ):
            return None
        y = got[0]
        kept = y != 0
        ratios = y[kept] / scene["x"][kept]
        scale = float(ratios[0]) if ratios.size else 1.0
        if not np.allclose(ratios, scale, 1e-9):
            return None
        share = float(1 - kept.mean())
        lines = any(0 < share < 1 and (kept.all(d) | ~kept.any(d)).all()
                    for d in (0, 1))  # fmt: skip
        again = 0 < share < 1 and np.array_equal(*got)
        return self.model(scale, share, rows=bool(lines), same=bool(again))

    def same(self, got, expected, scene):
        seen = self.seen(got, scene)
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
            and seen["again"] == expected["again"]
        )

    def general(self, case):
        if isinstance(case.got, list) and isinstance(case.expected, dict):
            return None  # a result and a model: other kinds of value, and rightly so
        return super().general(case)

    def lines(self, case):
        lines = super().lines(case)
        seen = None
        if isinstance(case.got, list):
            seen = self.seen(case.got, *case.args)
        if seen is None or not isinstance(case.expected, dict):
            return lines
        say = [f"{100 * m['zeros']:.0f} % are 0, the others are times {m['scale']:.3g}"
               for m in (case.expected, seen)]  # fmt: skip
        return [lines[0], ("expected", say[0]), ("got", say[1])]

    @cause("what is kept is not scaled: by 1 / (1 - p) the expected value of each "
           "element stays the same")  # fmt: skip
    def unscaled(self, scene):
        p, training = self.p_of(scene)
        return self.model(1, p) if training else self.model()

    @cause("the result is scaled after training instead: here it is scaled in "
           "training, by 1 / (1 - p), and eval does nothing")  # fmt: skip
    def scaled_after(self, scene):
        p, training = self.p_of(scene)
        return self.model(1, p) if training else self.model(1 - p)

    @cause("two things: random.keep_mask(input, chance) takes the chance of 1, here "
           "1 - p; and what is kept is scaled by 1 / (1 - p)")  # fmt: skip
    def mask_alone(self, scene):
        p, training = self.p_of(scene)
        return self.model(1, 1 - p) if training else self.model()

    @cause("p is the chance of 0, not of being kept")
    def inverted(self, scene):
        p, training = self.p_of(scene)
        return self.model(1 / p if p else 1, 1 - p) if training else self.model()

    @cause("the share of zeros is 1 - p, but the scale is right: p is the chance of 0, "
           "and random.keep_mask(input, chance) takes the chance of 1")  # fmt: skip
    def mask_inverted(self, scene):
        p, training = self.p_of(scene)
        scale = 1 / (1 - p) if p < 1 else 1
        return self.model(scale, 1 - p) if training else self.model()

    @cause("what is kept is scaled by 1 / p: a share of 1 - p is kept, so it is "
           "1 / (1 - p)")  # fmt: skip
    def scaled_by_p(self, scene):
        p, training = self.p_of(scene)
        return self.model(1 / p if p else 1, p) if training else self.model()

    @cause("what is kept is scaled by 1 - p: it is to be larger, not smaller")
    def scaled_down(self, scene):
        p, training = self.p_of(scene)
        return self.model(1 - p, p) if training else self.model()

    @cause("`training` is not asked: without it the input stays as it is")
    def always(self, scene):
        p, _ = self.p_of(scene)
        return self.model(1 / (1 - p) if p < 1 else 1, p)

    @cause("whole rows or columns are 0: each element has a chance of its own")
    def whole_rows(self, scene):
        p, training = self.p_of(scene)
        how = {"rows": 0 < p < 1}
        return self.model(1 / (1 - p) if p < 1 else 1, p, **how) if training else None

    @cause("two calls drop the same elements: draw anew in each call")
    def same_again(self, scene):
        p, training = self.p_of(scene)
        if not training or not 0 < p < 1:
            return self.expected(scene)
        return self.model(1 / (1 - p), p, same=True)
