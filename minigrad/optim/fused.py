"""Update rules as kernels: kernels/optim.cu, eight parameters a launch."""

import functools
import math

import numpy as np

from .. import launch, plan_cache
from ..autograd.graph import written
from ..dtypes import as_number, computed_in
from ..launch import THREADS, Variant, cdiv
from ..trace import Trace

TOGETHER, BLOCKS = 8, 264
KERNELS = {name: Variant("fused", f"{name}_8", "optim.cu") for name in ("sgd", "adam")}
launch.variants(*KERNELS.values())


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
        lr, rate = rate_of(group)
        numbers = lr, *(group[n] for n in ("momentum", "dampening", "weight_decay"))
        flags = group["nesterov"], first, group["maximize"]
        run("sgd", rows, numbers, flags, [rate])


def adam(params, state, group, decoupled):
    """One step of Adam, or of AdamW if decoupled, for several parameters."""
    (beta1, beta2), (lr, rate), alike = group["betas"], rate_of(group), {}
    for p in params:
        step = state[p]["step"]
        alike.setdefault(step if isinstance(step, int) else id(step), []).append(p)
    for some in alike.values():
        rows = [(p, p.grad, state[p]["exp_avg"], state[p]["exp_avg_sq"]) for p in some]
        step, correction, steps = state[some[0]]["step"], (0, 0), None
        if isinstance(step, int):
            correction = lr / (1 - beta1**step), math.sqrt(1 - beta2**step)
        else:
            steps = step
        numbers = lr, beta1, beta2, group["eps"], group["weight_decay"], *correction
        flags = decoupled, group["maximize"]
        run("adam", rows, numbers, flags, [rate, steps])


def rate_of(group):
    """The learning rate as a number, or the tensor that it stands in: one of both."""
    lr = group["lr"]
    return (0, lr) if hasattr(lr, "storage") else (lr, None)


def run(name, rows, numbers, flags, memory):
    """Launch the kernel of a rule on rows of tensors, those of one kind together.

    memory: tensors of one element, or None, the last arguments.
    """
    kinds = {}
    for row in rows:
        if row[0].numel():
            kinds.setdefault((row[0].device, row[0].dtype), []).append(row)
    for (_, dtype), alike in kinds.items():
        for start in range(0, len(alike), TOGETHER):
            some = alike[start : start + TOGETHER]
            tensors = [as_read(x, dtype) for row in some for x in row]
            wide = computed_in(dtype)
            memory = [None if m is None else as_read(m, wide) for m in memory]
            step(name, tensors, numbers, flags, memory)
            for param, _, *state in some:
                for tensor in (param, *state):
                    written(tensor)


def step(name, tensors, numbers, flags, memory):
    """One launch, of which a plan is kept: only memory and numbers change."""
    make = functools.partial(as_number, dtype=computed_in(tensors[0].dtype))
    there = [m for m in memory if m is not None]
    own, which = len(tensors), [m is not None for m in memory]
    tensors = [*tensors, *there]
    key = name, flags, own, *which, *(x.spec for x in tensors)
    plan = _plans.get(key)

    def work(*operands):
        given = [plan_cache.Number(make(n), len(tensors) + i, make)
                 for i, n in enumerate(operands[len(tensors) :])]  # fmt: skip
        rest = iter(operands[own : len(tensors)])
        gradients = [next(rest) if w else None for w in which]
        update(name, flags, operands[:own], given, gradients)

    if plan_cache.state.disabled or Trace.active is not None:
        update(name, flags, tensors[:own], [make(n) for n in numbers], memory)
    elif plan is not None:
        plan(*tensors, *numbers)
    else:
        operands = *tensors, *numbers
        _, plan = plan_cache.recorded(work, operands)
        if plan is not None:
            plan_cache.put(_plans, key, plan)


def update(name, flags, tensors, numbers, memory):
    """Launch the kernel of a rule: blockIdx.y is the number of a row of tensors."""
    width = {"sgd": 3, "adam": 4}[name]
    rows = [tensors[i : i + width] for i in range(0, len(tensors), width)]
    counts, missing = [row[0].numel() for row in rows], TOGETHER - len(rows)
    args = [x for row in rows + rows[:1] * missing for x in row]
    args += [np.int64(n) for n in counts + [0] * missing]
    args += [*numbers, *(np.int32(flag) for flag in flags), *memory]
    x = tensors[0]
    function = KERNELS[name].function(x.device, (x.dtype, computed_in(x.dtype)))
    grid = min(cdiv(max(counts), THREADS), BLOCKS), len(rows)
    size = sum(counts) * width * x.dtype.itemsize
    launch.launch(name, "fused", function, x.device, grid, THREADS, args, size)


_plans = {}


def as_read(x, dtype):
    """A tensor as the kernel reads it."""
    plain = x.dtype == dtype and x.is_contiguous()
    return x if plain else x.to(dtype).contiguous()
