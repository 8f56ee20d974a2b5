"""Update rules as kernels: kernels/optim.cu, four parameters a launch."""

import functools
import math

import numpy as np

from .. import capture, launch, trace
from ..autograd.graph import written
from ..dtypes import as_number, computed_in
from ..launch import THREADS, Rung, cdiv

TOGETHER, BLOCKS = 4, 1024
KERNELS = {name: Rung("fused", f"{name}_4", "optim.cu") for name in ("sgd", "adam")}
launch.ladder(*KERNELS.values())


def split(params, fused):
    """The parameters that a kernel updates, and the others.

    fused: True, False, or None for True on devices and False on "cpu".
    """
    if fused and any(p.device == "cpu" for p in params):
        raise RuntimeError(
            "`fused=True` requires all the params to be on 'sim' or 'cuda'"
        )
    by_kernel, others = [], []
    for p in params:
        fits = fused is not False and p.device != "cpu" and p.is_contiguous()
        (by_kernel if fits else others).append(p)
    return by_kernel, others


def sgd(params, state, group):
    """One step of SGD for several parameters."""
    has_buffer = group["momentum"] != 0
    new = [p for p in params if "momentum_buffer" not in state.get(p, {})]
    old = [p for p in params if "momentum_buffer" in state.get(p, {})]
    for first, some in (True, new), (False, old):
        rows = []
        for p in some:
            if first and has_buffer:
                state[p] = {"momentum_buffer": p.new_empty(p.shape)}
            rows.append((p, p.grad, state[p]["momentum_buffer"] if has_buffer else p))
        names = "lr", "momentum", "dampening", "weight_decay"
        flags = group["nesterov"], first, group["maximize"]
        run("sgd", rows, [group[name] for name in names], flags)


def adam(params, state, group, decoupled):
    """One step of Adam, or of AdamW if decoupled, for several parameters."""
    beta1, beta2 = group["betas"]
    for step in sorted({state[p]["step"] for p in params}):
        some = [p for p in params if state[p]["step"] == step]
        rows = [(p, p.grad, state[p]["exp_avg"], state[p]["exp_avg_sq"]) for p in some]
        correction = group["lr"] / (1 - beta1**step), math.sqrt(1 - beta2**step)
        numbers = group["lr"], beta1, beta2, group["eps"], group["weight_decay"]
        run("adam", rows, (*numbers, *correction), (decoupled, group["maximize"]))


def run(name, rows, numbers, flags):
    """Launch the kernel of a rule on rows of tensors, those of one kind together."""
    kinds = {}
    for row in rows:
        if row[0].numel():
            kinds.setdefault((row[0].device, row[0].dtype), []).append(row)
    for (_, dtype), alike in kinds.items():
        for start in range(0, len(alike), TOGETHER):
            some = alike[start : start + TOGETHER]
            step(name, [as_read(x, dtype) for row in some for x in row], numbers, flags)
            for param, _, *state in some:
                for tensor in (param, *state):
                    written(tensor)


def step(name, tensors, numbers, flags):
    """One launch, of which a plan is kept: only memory and numbers change."""
    make = functools.partial(as_number, dtype=computed_in(tensors[0].dtype))
    key = name, flags, *(x.spec for x in tensors)
    plan = _plans.get(key)
    if plan is not None and not capture.here.direct and trace.active is None:
        plan(*tensors, *numbers)
    elif capture.here.direct or trace.active is not None:
        update(
            name,
            flags,
            tensors,
            [computed_in(tensors[0].dtype).type(n) for n in numbers],
        )
    else:
        make = functools.partial(as_number, dtype=computed_in(tensors[0].dtype))

        def work(*operands):
            given = [capture.Number(make(n), len(tensors) + i, make)
                     for i, n in enumerate(operands[len(tensors) :])]  # fmt: skip
            update(name, flags, operands[: len(tensors)], given)

        which = [*range(len(tensors))]
        _, plan = capture.recorded(work, (*tensors, *numbers), which)
        if plan is not None:
            capture.keep(_plans, key, plan)


def update(name, flags, tensors, numbers):
    """Launch the kernel of a rule: blockIdx.y is the number of a row of tensors."""
    width = {"sgd": 3, "adam": 4}[name]
    rows = [tensors[i : i + width] for i in range(0, len(tensors), width)]
    counts, missing = [row[0].numel() for row in rows], TOGETHER - len(rows)
    args = [x for row in rows + rows[:1] * missing for x in row]
    args += [np.int64(n) for n in counts + [0] * missing]
    args += [*numbers, *(np.int32(flag) for flag in flags)]
    x = tensors[0]
    function = KERNELS[name].function(x.device, (x.dtype, computed_in(x.dtype)))
    grid = min(cdiv(max(counts), THREADS), BLOCKS), len(rows)
    size = sum(counts) * width * x.dtype.itemsize
    launch.launch(name, "fused", function, x.device, grid, THREADS, args, size)


_plans = capture.plans()


def as_read(x, dtype):
    """A tensor as the kernel reads it."""
    plain = x.dtype == dtype and x.is_contiguous()
    return x if plain else x.to(dtype).contiguous()
