"""clip_grad_norm_: clipping by the norm of all gradients."""

import math

import numpy as np
import torch

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.exercise import Check, close
from minigrad.nn.utils import clip_grad_norm_

from ..inputs import MEMORY, numbers, on_tensors, said


def cases(random):
    def of(*shapes, scale=1.0, passed="a list", **options):
        grads = (s and numbers(random, *s, scale=scale) for s in shapes)
        return on_tensors(*grads, passed=passed, **options)

    yield "one factor for all", of((3, 4), (5,), scale=10, max_norm=1.0)
    yield "one factor for all", of((2,), (4, 2), (3,), scale=3, max_norm=2.5)
    yield "small ones stay", of((3, 2), (2,), scale=0.01, max_norm=1.0)
    yield "missing gradients", of((3,), None, (2, 2), scale=5, max_norm=1.0)
    yield "missing gradients", of(None, max_norm=1.0)
    part, one = "infinite gradients", {"max_norm": 1.0}
    for bad in (math.inf, math.nan):
        for strict in (False, True):
            yield part, of((3,), (2,), scale=bad, error_if_nonfinite=strict, **one)
    yield part, of((3, 4), scale=10, error_if_nonfinite=True, **one)
    yield "any iterable", of((3, 4), (2,), scale=10, passed="a generator", **one)
    yield "any iterable", of((3, 4), scale=10, passed="a tensor", **one)
    halves = np.array([300.0, 0], np.float16), np.array([400.0], np.float16)
    for norm_type in (2.0, 1.0, math.inf):
        how = {"norm_type": norm_type, "passed": "a list"}
        yield "float16", on_tensors(*halves, **one, **how)
    for norm_type in (1.0, 3.0, math.inf):
        how = {"max_norm": 1.5, "norm_type": norm_type}
        yield "other norms", of((3, 2), (4,), scale=4, **how)
    negative = np.array([[1.0, -9.0], [2.0, 3.0]]), np.array([-4.0])
    yield "other norms", on_tensors(*negative, passed="a list", **how)
    yield "small ones stay", of((3,), (2,), scale=0.0, **one)
    tiny = {"scale": 1e-7, "max_norm": 1e-6}  # as small as what is added to the norm
    yield "options together", of((2, 3), (4,), **tiny)
    for row in pairwise(
        random,
        shapes=(
            ((3, 4), (5,)),
            ((2,), None, (3, 2)),
            (None,),
            ((4,),),
            (None, (1,)),
            ((), (1, 1)),
            ((2,), ()),
        ),
        element=(None, math.inf, -math.inf, math.nan),
        scale=(0, 1e-7, 0.01, 10),
        max_norm=(0, 1e-6, 1, 2.5),
        norm_type=(2, 1.0, 3.0, math.inf),
        error_if_nonfinite=(False, True),
        passed=("a list", "a tuple", "a generator", "a tensor"),
        memory=MEMORY,
    ):
        element, scale = row.pop("element"), row.pop("scale")
        if element is math.nan:
            row["error_if_nonfinite"] = True
        grads = [
            None if s is None else np.asarray(numbers(random, *s, scale=scale))
            for s in row.pop("shapes")
        ]
        if element is not None and grads[-1] is not None:
            grads[-1].flat[random.randrange(grads[-1].size)] = element
        yield "options together", on_tensors(*grads, **row)


def reference(*params, **options):
    """PyTorch's norm, of float16 in float32."""
    norm = torch.nn.utils.clip_grad_norm_(*params, **options)
    return norm.float() if norm.dtype == torch.float16 else norm


def describe(exercise, case):
    shapes = [a and a.values.shape for a in case.args]
    how = f"gradients of shapes {shapes} in {case.options['passed']}"
    if case.options["passed"] == "a tensor":
        how = f"one parameter, whose gradient has the shape {shapes[0]}"
    return f"{how}, {said(case.options, 'passed')}"


check = Check(
    clip_grad_norm_,
    cases=cases,
    reference=reference,
    driver=modules.clip,
    compare=close(),
    describe=describe,
    not_tested="float32, bfloat16 (both as double), norm_type below 1 (no norm), a "
    "parameter that is listed twice, and finite gradients where others are NaN",
)
