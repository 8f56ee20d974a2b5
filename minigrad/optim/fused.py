"""Update rules as kernels: kernels/optim.cu, four parameters a launch."""

import math

import numpy as np

from ..autograd.graph import written
from ..ops import ladder
from ..ops.ladder import Rung, computed_in, memory

THREADS, TOGETHER, BLOCKS = 256, 4, 1024
KERNELS = {name: Rung("fused", f"{name}_4", "optim.cu") for name in ("sgd", "adam")}


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
        kinds.setdefault((row[0].device, row[0].dtype), []).append(row)
    for (device, dtype), alike in kinds.items():
        function = KERNELS[name].function(device, [dtype, computed_in(dtype)])
        for start in range(0, len(alike), TOGETHER):
            some = alike[start : start + TOGETHER]
            launch(name, function, some, computed_in(dtype), numbers, flags)


def launch(name, function, rows, wide, numbers, flags):
    """One launch: blockIdx.y is the number of a row."""
    ready = [[as_read(x, row[0].dtype) for x in row] for row in rows]
    counts = [row[0].numel() for row in rows]
    if not any(counts):
        return
    missing = TOGETHER - len(rows)
    args = [memory(x) for row in ready + ready[:1] * missing for x in row]
    args += [np.int64(n) for n in counts + [0] * missing]
    args += [wide.type(number) for number in numbers]
    args += [np.int32(flag) for flag in flags]
    grid = min(-(-max(counts) // THREADS), BLOCKS), len(rows), 1
    param = rows[0][0]
    size = sum(counts) * len(rows[0]) * param.dtype.itemsize
    block = THREADS, 1, 1
    ladder.launch(name, "fused", function, param.device, grid, block, args, size)
    for param, _, *state in rows:
        for tensor in (param, *state):
            written(tensor)


def as_read(x, dtype):
    """A tensor as the kernel reads it."""
    plain = x.dtype == dtype and x.is_contiguous()
    return x if plain else x.to(dtype).contiguous()
