"""check_bias_gelu: TORCH_CHECKs, by what they let through and how they refuse."""

import collections
import functools
import operator
import re

from grading.checking.built_judgment import operands
from grading.exercise import Check, call
from minigrad.kernels.bindings import check_bias_gelu

THROUGH = "accepted"
REFUSED = "refused, with a message that says what's wrong"
WRONGLY = "refused, although it keeps the rules"
VAGUE = "refused, but the message doesn't say what's wrong"
INSIDE = "an error from inside PyTorch instead of a TORCH_CHECK of yours"
NAMES = {  # of dtypes, as PyTorch and C++ write them
    "float32": "float(32)?", "float64": "double|float64", "float16": "half|float16",
    "int64": "long|int64(_t)?", "bool": "bool", "complex64": r"complex\w*",
}  # fmt: skip
FACTS = {  # that a message about these faults has
    "devices": "meta|cpu",
    "memory": "contiguous",
    "dimensions": r"\d|\[\s*\]",
}


def x_of(*shape, **how):
    return {"shape": shape, **how}


def right(x, bias):
    return "what is right", call(x, bias, "", "")


def fault(part, x, bias, missed=""):
    """missed: which mistake lets it through."""
    return part, call(x, bias, part, missed)


def cases(random):
    M, N = random.randint(2, 5), random.randint(6, 9)  # noqa: N806
    x, bias, meta = x_of(M, N), x_of(N), {"device": "meta"}
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        yield right(x_of(M, N, dtype=dtype), x_of(N, dtype=dtype))
    for shape in ((N,), (2, M, N), (0, N), (3, 0), (2, 1, 0, N)):
        yield right(x_of(*shape), x_of(shape[-1]))
    yield right(x_of(M, N, **meta), x_of(N, **meta))
    yield right(x_of(M, 1, turned=True), x_of(1))  # contiguous
    yield fault("devices", x_of(M, N, **meta), bias, "no_device")
    yield fault("devices", x, x_of(N, **meta), "no_device")
    yield fault("dtypes", x_of(M, N, dtype="float64"), bias, "no_dtype")
    yield fault("dtypes", x, x_of(N, dtype="float16"), "no_dtype")
    yield fault("dtypes", x_of(M, N, dtype="int64"), bias)
    for dtype in ("int64", "bool", "complex64"):
        both = x_of(M, N, dtype=dtype), x_of(N, dtype=dtype)
        yield fault("dtypes", *both, "not_floating")
    for n, size in enumerate((N - 1, N + 2, 1, 0, M)):
        missed = "too_small" if size > N + n else "no_size"
        yield fault("sizes", x_of(M, N + n), x_of(size), missed)
    for shape in ((), (1, N), (N, 1), (M, N)):
        missed = "bias_dims" if shape == (N, 1) else ""
        yield fault("dimensions", x, x_of(*shape), missed)
    yield fault("dimensions", x_of(), x_of(1))
    yield fault("dimensions", x_of(), x_of())
    for shape in ((M, N), (2, M, N)):
        yield fault("memory", x_of(*shape, turned=True), bias, "x_strides")
    yield fault("memory", x, x_of(N, spread=True), "bias_strides")


def reference(x, bias, part, missed):
    return REFUSED if part else THROUGH


def observe(result, case, others):
    """What came of a case; a message is also compared with those of other cases."""
    part, error = case.args[2], result.get("error")
    if error in ("IndexError", "ValueError"):
        return INSIDE
    if error != "RuntimeError":
        return None if error else THROUGH
    if not part:
        return WRONGLY
    refusals = [(r["message"], c.args) for r, c in others
                if c.args[2] and r.get("error") == "RuntimeError"]  # fmt: skip
    return REFUSED if says_why(result["message"], case.args, refusals) else VAGUE


def says_why(message, args, refusals):
    """Does a message name what is wrong in this case, and in no other?

    refusals: all (message, arguments). What messages about faults of one part have in
    common names no value, because the values differ.
    """
    x, bias, part, _ = args
    same = [other for said, other in refusals if said == message]
    if any(other[2] != part for other in same):
        return False
    name = {"memory": "x" if x.get("turned") else "bias"}.get(part, "x|bias")
    if not re.search(rf"\b({name})\b", message):
        return False
    if part == "devices" and any(a.get("device") != x.get("device") for a, *_ in same):
        return False
    if part in FACTS:
        return re.search(FACTS[part], message, re.IGNORECASE)
    alike = [words_of(said) for said, other in refusals if other[2] == part]
    own = words_of(message) - functools.reduce(operator.and_, alike)
    if part == "sizes":
        return not words_of(f"{x['shape'][-1]} {bias['shape'][0]}") - own
    wanted = "|".join(NAMES[t.get("dtype", "float32")] for t in (x, bias))
    return any(re.fullmatch(wanted, word, re.IGNORECASE) for word in own)


def words_of(message):
    """How often each word and number stands in a message."""
    return collections.Counter(re.findall(r"[A-Za-z_]\w*|\d+", message))


def diagnose(got, expected, case):
    if got == VAGUE:
        return "vague", (
            "A message doesn't say enough. Name `x` or `bias` in it, and add the value "
            "that's wrong: the device, the dtype, the dimensions, or both sizes."
        )
    if got == INSIDE:
        return "inside", (
            "PyTorch raises an error before your check does. Check `dim()` before you "
            "ask for a size."
        )
    return None


def lets(*mistakes):
    """A model that lets the faults through that these mistakes miss."""

    def model(x, bias, part, missed):
        return THROUGH if missed in mistakes else reference(x, bias, part, missed)

    return model


def refuses(when, hides=lambda x, bias: False):
    """A model that refuses what is right; hides: its message comes before others."""

    def model(x, bias, part, missed):
        if not part:
            return WRONGLY if when(x, bias) else THROUGH
        return VAGUE if hides(x, bias) else REFUSED

    return model


def on_cpu(x, bias):
    return "device" not in x and "device" not in bias


check = Check(
    check_bias_gelu,
    cases=cases,
    reference=reference,
    observe=observe,
    describe=operands,
    diagnose=diagnose,
    models={
        **{name: lets(name) for name in (
            "no_device", "no_dtype", "not_floating", "too_small", "x_strides",
            "bias_strides", "bias_dims")},
        "no_size": lets("no_size", "too_small"),
        "only_cuda": refuses(on_cpu, on_cpu),
        "empty": refuses(lambda x, bias: 0 in x["shape"]),
        "two_dims": refuses(
            lambda x, bias: len(x["shape"]) != 2, lambda x, bias: len(x["shape"]) > 2
        ),
    },
    not_tested="tensors on CUDA: few machines have it, and meta is another device, too",
)  # fmt: skip
