"""Answers in C++: built and called in a process of their own, with limits.

That process is started from where the answers are, never by the judge. It has the real
PyTorch; what the answer does there ends with it.
"""

import collections
import contextlib
import functools
import re
import subprocess
from pathlib import Path

import numpy as np

from ..isolation import codec, locks, sandbox
from ..isolation.connection import LONGEST, Line
from . import aten_traps

NVCC_SECONDS = 300  # it takes a quarter of a minute
MESSAGE = 1000  # characters of one that an answer gives
SECONDS = 240  # for a build on a busy machine, and all cases
LIMITS = {
    "RLIMIT_AS": 2**33,  # the compiler takes half a gigabyte
    "RLIMIT_CPU": SECONDS,
    "RLIMIT_FSIZE": 2**30,  # headers, compiled
    "RLIMIT_CORE": 0,
}
ATEN = re.compile(  # below the dispatcher, through it, and by Python, too
    r"\bat::(?:_ops|native|cpu|meta|composite\w*)::(\w+)"
    r"|\b(c10::Dispatcher::\w+|torch::(?:jit::(?!parseSchema)|autograd::)\w+"
    r"|_?Py[A-Z]\w*|dl\w*(?:open|sym))\b"
)
MEMORY = ("empty", "zeros", "fill_", "zero_", "contiguous")
CODE = "from grading.kernels import cpp; cpp.serve({fd})"
CUDA_CODE = (
    "from grading.isolation import sandbox; from grading.kernels import cpp; "
    "sandbox.answer(cpp.serve_cuda)"
)


class BuildFailed(ValueError):
    """The compiler refused the answer."""


class UsesATen(Exception):
    """The answer leaves to ATen, or could, what it has to do itself."""


class Crashed(RuntimeError):
    """The process that called the answer has ended before its time."""


def called(name, text, cases):
    """What a C++ answer gives in each case: {"value": ...} or {"error": ...}.

    cases: for each its arguments, as `tensor` takes them.
    """
    compiled = headers() if sandbox.boxing else None
    shown = [Path(compiled).parent] if compiled else []

    def how(fd):
        return sandbox.around(sandbox.python(CODE.format(fd=fd)), (), (), shown)

    child, here = sandbox.started(how, LIMITS, watched=True)
    try:
        line = Line(here)
        line.send(codec.encode([name, text, cases, compiled]), SECONDS)
        refused, results = codec.decode(line.receive(SECONDS, LONGEST))
    except TimeoutError:
        raise Crashed(f"built and called, it is not done after {SECONDS} s") from None
    except (OSError, EOFError, ValueError, TypeError):
        raise Crashed("the process ended while it called the answer") from None
    finally:  # also where this process is told to stop waiting
        here.close()
        sandbox.end(child)
    if refused:
        raise BuildFailed(str(refused))
    return results


@functools.cache
def headers():
    """The path of PyTorch's headers, compiled once: a box's own folder ends with it.

    None: they cannot be compiled or kept here, so each answer compiles them.
    """
    code = "from minigrad.testing import native; print(native.headers())"
    try:
        said = subprocess.check_output(sandbox.python(code), text=True)
        path = Path(said.strip())
        for one in path.parent, *path.parent.iterdir():  # it is nobody who reads them
            one.chmod(one.stat().st_mode | 0o555)
    except (OSError, subprocess.CalledProcessError):
        return None
    return str(path)


def launched(name, text, cases):
    """The output of a kernel in each case; or a text that says what went wrong.

    nvcc builds it as PyTorch's extensions are built. That text is a whole program of
    the host's, too, so it runs where the C++ does.
    """
    try:
        results = sandbox.said(CUDA_CODE, [name, text, cases], NVCC_SECONDS, hidden=())
    except (TimeoutError, sandbox.Failed, ValueError) as error:
        return f"as an extension: {error}"
    outputs = [arrays[-1].shape for arrays, *_ in cases]
    arrays = results if isinstance(results, list) else []
    if [a.shape for a in arrays if isinstance(a, np.ndarray)] == outputs:
        return results
    return str(results)  # it is not built


# ------------------------------------------------- in that process


def serve(descriptor):
    """Build what comes in, call it, and send back what it gave."""
    line = Line(descriptor)
    name, text, cases, compiled = codec.decode(line.receive())
    locks.for_a_compiler()
    refused, results = None, []
    import torch

    from minigrad.exercises.registry import find
    from minigrad.testing import extension, native

    torch.set_num_threads(1)
    exercise = find(name)
    exercise.fill(text)
    watched = aten_traps.traps()  # before any code of the answer's runs here
    try:
        function = native.build(exercise, compiled, _examine)
        results = _results(function, cases, watched)
    except UsesATen as error:
        results = [{"error": "ATen", "message": str(error)} for _ in cases]
    except extension.BuildFailed as error:
        refused = str(error)
    line.send(codec.encode([refused, results]))


def serve_cuda(asked):
    """Build a kernel, launch it on a stream of its own, say what its outputs hold."""
    name, text, cases = asked
    locks.for_a_compiler(cuda=True)
    import torch

    from minigrad.exercises.registry import find
    from minigrad.testing import extension, native

    exercise, outputs = find(name), []
    exercise.fill(text)
    try:
        run = native.build_cuda(exercise, lambda _: locks.for_what_was_built(cuda=True))
        with torch.cuda.stream(torch.cuda.Stream()):
            for arrays, sizes, threads in cases:
                tensors = [torch.from_numpy(np.array(a)).cuda() for a in arrays]
                run(tensors, list(sizes), threads)
                outputs.append(tensors[-1].cpu().numpy())
    except extension.BuildFailed as error:
        return str(error)
    return outputs


def _results(function, cases, watched):
    """What it gives in each case, where it's called twice.

    All results stay until the end, so memory that is used again is seen.
    """
    asked = [[tensor(**described) for described in case] for case in cases]
    before = [[a.clone() for a in given] for given in asked]
    pairs = _twice(function, asked, watched)
    given = {_memory(x) for of_case in asked for x in of_case}
    times = collections.Counter(_memory(x) for pair in pairs for x in pair)
    return [
        _result(*of_case, given, times)
        for of_case in zip(asked, before, pairs, strict=True)
    ]


def _twice(function, asked, watched):
    """Pairs of what it gives, or raises. UsesATen where ATen's operators ran."""
    with watched.set() if watched else contextlib.nullcontext():
        pairs = [[_called(function, given) for _ in "12"] for given in asked]
    if watched and watched.called:
        operator = ATEN.search(watched.called)
        name = f"at::{operator[1]}" if operator and operator[1] else watched.called
        raise UsesATen(f"{name} is called")
    return pairs


def _called(function, arguments):
    try:
        return function(*arguments)
    except Exception as error:  # which one it is, is what is judged
        return error


def _result(arguments, before, values, given, times):
    """What comes of a case, in plain values."""
    if not all(map(_same, arguments, before)):
        return {"error": "changed", "message": "an input has changed"}
    results, places = [*map(_plain, values)], {*map(_memory, values)} - {None}
    if places & given and _is_tensor(values[0]):
        results[0]["value"]["new"] = False
        return results[0]
    if any(times[place] > 1 for place in places):
        return {"error": "static", "message": "two results have the same memory"}
    if not _equal(*results):
        return {"error": "state", "message": "the second call gives something else"}
    return results[0]


def _same(x, y):
    """Are two tensors equal? On "meta" there's nothing to compare."""
    return x.device.type != "cpu" or bool(((x == y) | (x != x)).all())


def _equal(first, second):
    """Are two plain results equal?"""
    if first.keys() != second.keys() or "value" not in first:
        return first == second
    a, b = first["value"], second["value"]
    if not isinstance(a, dict) or not isinstance(b, dict):
        return a == b
    alike = np.array_equal(a["values"], b["values"], equal_nan=True)
    return alike and a["dtype"] == b["dtype"]


def _is_tensor(value):
    import torch

    return isinstance(value, torch.Tensor)


def _memory(x):
    """Where the memory of a tensor begins; None where it has none, or is no tensor."""
    if not _is_tensor(x) or x.device.type != "cpu" or not x.numel():
        return None
    return x.untyped_storage().data_ptr()


def _examine(library):
    """UsesATen where a library links an operator of ATen, or a way to one."""
    said = subprocess.check_output(["nm", "-C", "-u", library], text=True)
    for operator, way in ATEN.findall(said):
        if not operator.startswith(MEMORY):
            raise UsesATen(f"{way or f'at::{operator}'} is called")
    locks.for_what_was_built()


def tensor(values=None, dtype="float32", device="cpu", shape=None, turned=False,
           spread=False):  # fmt: skip
    """A tensor of PyTorch.

    turned: its first two dimensions lie the other way round. spread: every second cell.
    """
    import torch

    kind = getattr(torch, dtype)
    if values is None:
        x = torch.zeros(shape, dtype=kind, device=device)
    else:
        x = torch.from_numpy(np.array(values)).to(kind)
    if spread:
        return x.repeat_interleave(2, -1)[..., ::2]
    return x.transpose(0, 1).contiguous().transpose(0, 1) if turned else x


def _plain(value):
    if isinstance(value, Exception):
        message = str(value).split("\n")[0][:MESSAGE]
        return {"error": type(value).__name__, "message": message}
    if not _is_tensor(value):
        return {"value": value}
    dtype = str(value.dtype).removeprefix("torch.")
    values = value.double().numpy()
    return {"value": {"dtype": dtype, "values": values, "new": True}}
