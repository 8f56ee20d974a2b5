"""TORCH_CHECKs: what is let through, what is refused, and in which words."""

import collections
import functools
import operator
import re

from grading.exercise import Model, checks, models
from minigrad.kernels.bindings import check_bias_gelu

from .built import BuiltCheck

THROUGH = "let through"
REFUSED = "refused, in words that say what is wrong"
WRONGLY = "refused, though it keeps the rules"
VAGUE = "refused, but the message does not say what is wrong"
NAMES = {  # of dtypes, as PyTorch and C++ write them
    "float32": "float(32)?", "float64": "double|float64", "float16": "half|float16",
    "int64": "long|int64(_t)?", "bool": "bool", "complex64": r"complex\w*",
}  # fmt: skip
KINDS = {"memory": "contiguous", "dimensions": r"\d|\[\s*\]"}
INSIDE = "an error from inside PyTorch, not a TORCH_CHECK of the answer"


def x_of(*shape, **how):
    return {"shape": shape, **how}


@checks(check_bias_gelu)
class CheckBiasGelu(BuiltCheck):
    """Leaves out CUDA, which few machines have: meta is another device as well."""

    operands = "x", "bias"

    def cases(self, random):
        M, N = random.randint(2, 5), random.randint(6, 9)
        for dtype in ("float32", "float64", "float16", "bfloat16"):
            yield "what is right", x_of(M, N, dtype=dtype), x_of(N, dtype=dtype), ""
        for shape in ((N,), (2, M, N), (0, N), (3, 0), (2, 1, 0, N)):
            yield "what is right", x_of(*shape), x_of(shape[-1]), ""
        meta = {"device": "meta"}
        yield "what is right", x_of(M, N, **meta), x_of(N, **meta), ""
        yield "what is right", x_of(M, 1, turned=True), x_of(1), ""  # contiguous
        yield "devices", x_of(M, N, **meta), x_of(N), "device"
        yield "devices", x_of(M, N), x_of(N, **meta), "device"
        double, half, whole = ({"dtype": d} for d in ("float64", "float16", "int64"))
        yield "dtypes", x_of(M, N, **double), x_of(N), "dtype"
        yield "dtypes", x_of(M, N), x_of(N, **half), "dtype"
        yield "dtypes", x_of(M, N, **whole), x_of(N), "dtype"
        for dtype in ("int64", "bool", "complex64"):
            kind = {"dtype": dtype}
            yield "dtypes", x_of(M, N, **kind), x_of(N, **kind), "dtype"
        for n, size in enumerate((N - 1, N + 2, 1, 0, M)):
            yield "sizes", x_of(M, N + n), x_of(size), "sizes"
        for shape in ((), (1, N), (N, 1), (M, N)):
            yield "dimensions", x_of(M, N), x_of(*shape), "dimensions"
        yield "dimensions", x_of(), x_of(1), "dimensions"
        yield "dimensions", x_of(), x_of(), "dimensions"
        for shape in ((M, N), (2, M, N)):
            yield "memory", x_of(*shape, turned=True), x_of(N), "memory"
        yield "memory", x_of(M, N), x_of(N, dtype="float32", spread=True), "memory"

    def called(self, subject, cases):
        """What came of each case; a message is also compared with those of others."""
        tried = [*super().called(subject, cases)]
        refused = [case for case in tried if case.got == REFUSED]
        for case in tried:
            vague = case.got == REFUSED and not says_why(case, refused)
            yield case._replace(got=VAGUE, right=False) if vague else case

    def expected(self, x, bias, said):
        return REFUSED if said else THROUGH

    def read(self, result, x, bias, said):
        if result.get("error") not in ("RuntimeError", "IndexError", "ValueError"):
            found = super().read(result)
            return THROUGH if found is None else found
        if result["error"] != "RuntimeError":
            return INSIDE
        if not said:
            return WRONGLY
        return REFUSED

    def general(self, case):
        if case.got == VAGUE:
            return "vague", (
                "the message must name x or bias, and say what it is: "
                f"it says {case.outcome.printed!r:.60}"
            )
        if case.got == INSIDE:
            return "inside", (
                "PyTorch stumbles over what the answer asks: check first that there is "
                "such a dimension"
            )
        return super().general(case)


def says_why(case, refused):
    """Does its message name what is wrong in this case, and in no other?

    refused: all cases. What their messages about one kind of fault have in common names
    no value, because the values differ.
    """
    (x, bias, kind), message = case.args, case.outcome.printed
    same = [other for other in refused if other.outcome.printed == message]
    if any(other.args[2] != kind for other in same):
        return False
    name = {"memory": "x" if x.get("turned") else "bias"}.get(kind, "x|bias")
    if not re.search(rf"\b({name})\b", message):
        return False
    if kind == "device":
        here = all(other.args[0].get("device") == x.get("device") for other in same)
        return here and re.search("meta|cpu", message, re.I)
    if kind in KINDS:
        return re.search(KINDS[kind], message, re.I)
    alike = [other.outcome.printed for other in refused if other.args[2] == kind]
    own = words_of(message) - functools.reduce(operator.and_, map(words_of, alike))
    if kind == "sizes":
        return not words_of(f"{x['shape'][-1]} {bias['shape'][0]}") - own
    wanted = "|".join(NAMES[t.get("dtype", "float32")] for t in (x, bias))
    return any(re.fullmatch(wanted, word, re.I) for word in own)


def words_of(message):
    """How often each word and number stands in a message."""
    return collections.Counter(re.findall(r"[A-Za-z_]\w*|\d+", message))


def let(when):
    """A Model that lets the faults of some kinds pass."""

    def model(self, x, bias, said):
        return THROUGH if when(x, bias) else self.expected(x, bias, said)

    return Model(model)


def refused(when, hides=lambda x, b: False):
    """A Model that refuses what is right; hides: its message comes before others."""

    def model(self, x, bias, said):
        if not said:
            return WRONGLY if when(x, bias) else THROUGH
        return VAGUE if hides(x, bias) else self.expected(x, bias, said)

    return Model(model)


def differ(x, bias, fact, usual):
    return x.get(fact, usual) != bias.get(fact, usual)


def floating(x):
    return "float" in x.get("dtype", "float32")


def sizes(x, bias, dims):
    """[the last size of x, the first of a bias of so many dimensions], or nothing."""
    there = x["shape"] and len(bias["shape"]) == dims
    return [x["shape"][-1], bias["shape"][0]] if there else []


def on_cpu(x, bias):
    return "device" not in x and "device" not in bias


models(
    check_bias_gelu,
    no_device=let(lambda x, b: differ(x, b, "device", "cpu")),
    no_dtype=let(lambda x, b: floating(x) and differ(x, b, "dtype", "float32")),
    not_floating=let(lambda x, b: not (floating(x) or differ(x, b, "dtype", None))),
    no_size=let(lambda x, b: len({*sizes(x, b, 1)}) > 1),
    too_small=let(lambda x, b: sizes(x, b, 1)[:1] < sizes(x, b, 1)[1:]),
    x_strides=let(lambda x, b: x.get("turned")),
    bias_strides=let(lambda x, b: b.get("spread")),
    bias_dims=let(lambda x, b: len({*sizes(x, b, 2)}) == 1),
    only_cuda=refused(on_cpu, on_cpu),
    empty=refused(lambda x, b: 0 in x["shape"]),
    two_dims=refused(
        lambda x, b: len(x["shape"]) != 2, lambda x, b: len(x["shape"]) > 2
    ),
)
