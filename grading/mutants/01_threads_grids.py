"""Chapter 01, grids: wrong answers that learners write, and right ones."""

import math

from grading.kernel_runs import with_body
from grading.specimens import mutant, right
from minigrad.kernels.threads import grid_stride, launch_config

MY_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def wrong(hole, cause, body, title=None):
    mutant(hole, cause, title)(with_body(hole, body))


def fine(hole, style, body):
    right(hole, style)(with_body(hole, body))


# ------------------------------------------------------------ launch_config


@mutant(launch_config, "floor")
def _(shape, block):
    return tuple(n // size for n, size in zip(shape[::-1], block))


@mutant(launch_config, "one_more")
def _(shape, block):
    return tuple(n // size + 1 for n, size in zip(shape[::-1], block))


@mutant(launch_config, "rows_first")
def _(shape, block):
    return tuple(max((n + size - 1) // size, 1) for n, size in zip(shape, block))


@mutant(launch_config, "reverse")
def _(shape, block):
    sizes = zip(shape, reversed(block))
    return tuple(max(math.ceil(n / size), 1) for n, size in sizes)


@mutant(launch_config, "block_reversed")
def _(shape, block):
    if len(shape) == 1:
        return (max(-(-shape[0] // block[0]), 1),)
    rows, cols = max(shape[0], 1), max(shape[1], 1)
    return -(-cols // block[1]), -(-rows // block[0])


@mutant(launch_config, "nearest")
def _(shape, block):
    return tuple(max(round(n / size), 1) for n, size in zip(shape[::-1], block))


@mutant(launch_config, "in_threads")
def _(shape, block):
    return tuple(shape[::-1])


@mutant(launch_config, "empty_grid")
def _(shape, block):
    return tuple(-(-n // size) for n, size in zip(shape[::-1], block))


@mutant(launch_config, "one_number")
def _(shape, block):
    return (max(math.ceil(math.prod(shape) / math.prod(block)), 1),)


@mutant(launch_config, "float", "divides by /")
def _(shape, block):
    return tuple(n / size for n, size in zip(shape[::-1], block))


@mutant(launch_config, "list", "a list")
def _(shape, block):
    return [max(-(-n // size), 1) for n, size in zip(shape[::-1], block)]


@mutant(launch_config, "wrong_type", "a bare number")
def _(shape, block):
    return max(-(-shape[0] // block[0]), 1)


@right(launch_config, "by math.ceil")
def _(shape, block):
    grid = [math.ceil(n / b) or 1 for n, b in zip(shape[::-1], block)]
    return tuple(grid)


@right(launch_config, "by cases")
def _(shape, block):
    def blocks(n, size):
        whole, rest = divmod(n, size)
        return max(1, whole + (rest > 0))

    if len(shape) == 1:
        return (blocks(shape[0], block[0]),)
    rows, cols = shape
    return blocks(cols, block[0]), blocks(rows, block[1])


@right(launch_config, "by counting")
def _(shape, block):
    return tuple(len(range(0, n, size)) or 1 for n, size in zip(reversed(shape), block))


# ------------------------------------------------------------ grid_stride

STEP = "int step = gridDim.x * blockDim.x;"

wrong(grid_stride, "first_pass", f"{MY_I} if (i < n) y[i] = x[i] * x[i];")
wrong(
    grid_stride,
    "block_step",
    f"""{MY_I}
    while (i < n) {{ y[i] = x[i] * x[i]; i += blockDim.x; }}""",
)
wrong(
    grid_stride,
    "grid_step",
    f"""{MY_I}
    while (i < n) {{ y[i] = x[i] * x[i]; i += gridDim.x; }}""",
)
wrong(grid_stride, "step_of_one", f"{MY_I} for (; i < n; i++) y[i] = x[i] * x[i];")
wrong(
    grid_stride,
    "off_by_one",
    f"{STEP} {MY_I} for (; i <= n; i += step) y[i] = x[i]*x[i];",
)
wrong(
    grid_stride,
    "local_start",
    f"""{STEP}
    for (int i = threadIdx.x; i < n; i += step) y[i] = x[i] * x[i];""",
)
wrong(
    grid_stride,
    "block_step_local",
    """
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * x[i];""",
)
wrong(
    grid_stride,
    "two_passes",
    f"""{STEP} {MY_I}
    if (i < n) y[i] = x[i] * x[i];
    i += step;
    if (i < n) y[i] = x[i] * x[i];""",
)
wrong(
    grid_stride,
    "no_guard",
    f"""{STEP} {MY_I}
    int rounds = (n + step - 1) / step;
    for (int r = 0; r < rounds; r++) {{ y[i] = x[i] * x[i]; i += step; }}""",
)
wrong(
    grid_stride,
    "whole_rounds",
    f"""{STEP} {MY_I}
    for (int r = 0; r < n / step; r++, i += step) y[i] = x[i] * x[i];""",
)
wrong(
    grid_stride,
    "endless",
    f"{MY_I} while (i < n) y[i] = x[i] * x[i];",
    "no step at all",
)
wrong(grid_stride, "compile", "for i in range(n): y[i] = x[i] * x[i];", "Python's for")
wrong(
    grid_stride,
    "doubled",
    f"{STEP} {MY_I} for (; i < n; i += step) y[i] = x[i] + x[i];",
)
wrong(
    grid_stride,
    "sum_step",
    f"""{MY_I}
    while (i < n) {{ y[i] = x[i] * x[i]; i += blockDim.x + gridDim.x; }}""",
)
wrong(
    grid_stride,
    "fixed_step",
    f"{MY_I} for (; i < n; i += 4 * 256) y[i] = x[i] * x[i];",
)
wrong(grid_stride, "everyone", "for (int k = 0; k < n; k++) y[k] = x[k] * x[k];")
wrong(
    grid_stride,
    "one_round_less",
    f"{STEP} {MY_I} for (; i < n - step; i += step) y[i] = x[i] * x[i];",
)
wrong(
    grid_stride,
    "unknown",
    f"{STEP} {MY_I} for (; i < n; i += step) y[i] = -x[i] * x[i];",
    "a wrong sign",
)
wrong(
    grid_stride,
    "endless",
    f"{STEP} {MY_I} for (; i < n; i + step) y[i] = x[i] * x[i];",
    "steps without =",
)

fine(
    grid_stride,
    "powf",
    f"{STEP} {MY_I} for (; i < n; i += step) y[i] = powf(x[i], 2.0f);",
)
fine(
    grid_stride,
    "by while",
    f"""{MY_I}
    while (i < n) {{ y[i] = x[i] * x[i]; i += gridDim.x * blockDim.x; }}""",
)
fine(
    grid_stride,
    "by pieces",
    f"""{STEP} {MY_I}
    int each = (n + step - 1) / step;
    for (int k = i * each; k < min(n, (i + 1) * each); k++) y[k] = x[k] * x[k];""",
)
fine(
    grid_stride,
    "backwards",
    f"""{STEP} {MY_I}
    for (int k = n - 1 - i; k >= 0; k -= step) y[k] = x[k] * x[k];""",
)
