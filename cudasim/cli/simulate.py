"""`cudasim FILE --run KERNEL`: run a kernel on made arrays, and watch it."""

import json
import math

import numpy as np
from rich.console import Console
from rich.table import Table

from ..front import CompileError, ctype as C
from ..front.errors import meant
from ..raw_kernel import RawKernel, RawModule, run
from .compile import File, printable, remark, show_remark, text_of

# threads, blocks and bytes of shared memory of a multiprocessor; bytes that each block
# takes besides its own
GPUS = {
    "T4": (1024, 16, 64, 0), "V100": (2048, 32, 96, 0), "A100": (2048, 32, 164, 1),
    "RTX 3090": (1536, 16, 100, 1), "L4": (1536, 24, 100, 1),
    "RTX 4090": (1536, 24, 100, 1), "H100": (2048, 32, 228, 1),
    "B200": (2048, 32, 228, 1),
}  # fmt: skip
MAKERS = ("random", "zeros", "ones", "range")
MOST = 6  # elements of an array that are shown


def simulate(path, name, grid, block, given, shared_mem=0, seed=0, gpu="T4",
             options=(), as_json=False):  # fmt: skip
    """Run the kernel and print what was found; 1 if something was, or it is wrong."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    if gpu not in GPUS:
        known = meant(gpu, GPUS) or f"known are {', '.join(GPUS)}"
        raise ValueError(f"--gpu {gpu}: {known}")
    try:
        code = text_of(path)
        module = RawModule(code, options, name=str(path))
        kernel = RawKernel(code, name, options, module=module)
    except CompileError as error:
        error.file = str(path) if error.file == "kernel.cu" else error.file
        return refused(error, console, as_json)
    args = arguments(kernel, given, np.random.default_rng(seed))
    report = run(kernel, grid, block, args, shared_mem, seed=seed)
    for finding in report.findings + report.notes:
        finding.file = str(path)
    bytes_of_block = kernel.function.shared_bytes + shared_mem
    share, why = occupancy(gpu, math.prod(report.block), bytes_of_block)
    if as_json:
        values = json.loads(report.json())
        values["occupancy"] = {"gpu": gpu, "share": share, "limit": why}
        print(json.dumps(values, indent=2))
        return int(bool(report.findings))
    console.print(printable_lines(str(report)))
    console.print(report.summary(), end="\n\n")
    console.print(f"run by {report.engine}")
    if report.output:
        console.print(f"printed:\n{printable_lines(report.output)}")
    console.print(f"occupancy on a {gpu}: {share:.0%}, {why} (registers not counted)")
    console.print(shown(kernel, args))
    return int(bool(report.findings))


def refused(error, console, as_json):
    remark_ = remark("error", error, error.note)
    if as_json:
        print(json.dumps({"error": remark_}, indent=2))
    else:
        show_remark(File(remark_["file"]), remark_, console)
    return 1


def printable_lines(text):
    return "\n".join(map(printable, text.split("\n")))


# ------------------------------------------------- arguments


def arguments(kernel, given, random):
    """An array or a number for each parameter, as the texts say."""
    parameters = kernel.function.parameters
    if len(given) != len(parameters):
        wanted = ", ".join(map(described, parameters)) or "nothing"
        raise ValueError(
            f"{kernel.name} takes {len(parameters)} arguments, not {len(given)}: "
            f"{wanted}"
        )
    return tuple(
        argument(parameter, text, random)
        for parameter, text in zip(parameters, given, strict=True)
    )


def described(parameter):
    what = "a size, as 1024 or zeros:32x64" if is_array(parameter) else "a number"
    shown = f"{parameter.type} {parameter.name}".replace("* ", "*")
    return f"{shown} ({what})"


def is_array(parameter):
    return isinstance(parameter.type.plain, C.Pointer)


def argument(parameter, text, random):
    type = parameter.type.plain
    try:
        if is_array(parameter):
            return array(type.to.plain, text, random)
        if isinstance(type, C.Struct):
            return np.zeros((), type.dtype)[()]
        number = float(text) if type.dtype.kind == "f" else int(text, 0)
        return type.dtype.type(number)
    except (ValueError, OverflowError) as error:
        why = f"{text!r} does not fit: {error}"
        raise ValueError(f"{described(parameter)}: {why}") from None


def array(type, text, random):
    """random:1024 and the like, of the pointer's own type."""
    kind, _, size = text.rpartition(":")
    kind = kind or "random"
    if kind not in MAKERS:
        raise ValueError(
            meant(kind, MAKERS) or f"an array is one of {', '.join(MAKERS)}"
        )
    if type is C.VOID:
        raise ValueError("what a void pointer points to is not known")
    shape = tuple(int(n) for n in size.split("x"))
    dtype = type.dtype
    if kind == "zeros" or dtype.names:
        return np.zeros(shape, dtype)
    if kind == "ones":
        values = np.ones(shape)
    elif kind == "range":
        values = np.arange(math.prod(shape)).reshape(shape)
    elif dtype.kind == "f" or type is C.BFLOAT16:
        values = random.standard_normal(shape)
    else:
        values = random.integers(0, 2 if dtype.kind == "b" else 10, shape)
    if type is C.BFLOAT16:
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(dtype)


# ------------------------------------------------- what comes of it


def occupancy(gpu, threads, nbytes):
    """(share of a multiprocessor's threads that run at a time, what limits it)."""
    most, blocks, kilobytes, own = GPUS[gpu]
    threads = -(-threads // 32) * 32
    limits = {"its threads": most // threads, "its blocks": blocks}
    if nbytes:
        limits["its shared memory"] = kilobytes * 1024 // (nbytes + own * 1024)
    why = min(limits, key=limits.get)
    count = f"{limits[why]} block{'s' * (limits[why] != 1)} per multiprocessor"
    return limits[why] * threads / most, f"{count}: {why}"


def shown(kernel, args):
    """The arrays after the launch."""
    table = Table("array", "type", "first elements", box=None, pad_edge=False)
    for parameter, value in zip(kernel.function.parameters, args, strict=True):
        if isinstance(value, np.ndarray):
            first = value.reshape(-1)[:MOST]
            if parameter.type.plain.to.plain is C.BFLOAT16:
                first = (first.astype(np.uint32) << 16).view(np.float32)
            size = " x ".join(map(str, value.shape))
            text = ", ".join(f"{x:.4g}" if first.dtype.kind == "f" else str(x)
                             for x in first)  # fmt: skip
            more = ", ..." if value.size > MOST else ""
            table.add_row(parameter.name, f"{parameter.type.plain.to} {size}",
                          printable(text + more))  # fmt: skip
    return table
