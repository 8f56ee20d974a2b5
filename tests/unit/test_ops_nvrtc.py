"""What NVIDIA's own compiler says to the CUDA C of every elementwise operator."""

import re

import pytest
from answers import filled  # noqa: F401

import minigrad
from cudasim import nvrtc
from minigrad.dispatch import KERNELS
from minigrad.dtypes import DTYPES, computed_in
from minigrad.launch import file_text, template, with_headers
from minigrad.ops import reduce
from minigrad.ops.pointwise_kernels import DevicePointwise
from minigrad.ops.scan import prod

MISSING = nvrtc.missing()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(MISSING is not None, reason=f"not run: NVRTC ({MISSING})"),
]
POINTWISE = {name: k for (name, device, _), k in KERNELS.items()
             if isinstance(k, DevicePointwise)}  # fmt: skip
LOOPS = {1: "unary", 2: "binary", 3: "ternary"}


@pytest.mark.parametrize("operator", POINTWISE)
def test_nvrtc_takes_the_text_for_every_dtype(operator):
    kernels = [k for (name, device, _), k in KERNELS.items()
               if name == operator and device == "cuda"]  # fmt: skip
    count = "abc".index(max(re.findall(r"\b[abc]\b", kernels[0].expression))) + 1
    views = [minigrad.ones(1)] * count
    text = kernels[0].facts(views, views[0], {}, [*"abc"[:count]])["text"]
    names = tuple(name for k in kernels for name in instances(k, count))
    text = with_headers(text + file_text("elementwise.cu"), DTYPES)
    assert nvrtc.compiled(text, 75, names, nvrtc.QUICKLY) == ""


def instances(kernel, count):
    """The names of its kernels: operands of its own dtype, for `copy` of any."""
    sources = DTYPES if kernel.name == "copy" else [kernel.dtype]
    variants = ("", "_strided", "_vectors") if count < 3 else ("", "_strided")
    for source in sources:
        types = [source] * count + [kernel.result, kernel.wide]
        yield from (template(LOOPS[count] + variant, *types) for variant in variants)


def test_nvrtc_takes_the_gradients_of_rows_and_indices(targets):
    floats = [t for t in DTYPES if t.kind == "f"]
    for text, name, more in (
        (file_text("index.cu"), "scatter_add", ()),
        (file_text("softmax.cu"), "softmax_backward", (0,)),
        (file_text("softmax.cu"), "softmax_backward", (1,)),
        (file_text("layer_norm.cu"), "layer_norm_backward", ()),
    ):
        names = tuple(template(name, t, *more, computed_in(t)) for t in floats)
        for arch in targets:
            whole = with_headers(text, floats)
            assert nvrtc.compiled(whole, arch, names, nvrtc.QUICKLY) == ""


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amax", "any"])
def test_nvrtc_takes_the_reductions_of_every_dtype(name, targets):
    kernels = "reduce_strided", "reduce_columns", "reduce_warps", "reduce_blocks"
    types = [instance for dtype in DTYPES if (instance := reduction(name, dtype))]
    names = tuple(template(k, *t) for k in kernels for t in types)
    text = with_headers(file_text("reduce.cu"), DTYPES)
    for arch in targets:
        assert nvrtc.compiled(text, arch, names, nvrtc.QUICKLY) == ""


CODE = {"sum": "SUM", "mean": "MEAN", "prod": "PROD", "amax": "MAX", "any": "MAX"}


def reduction(name, dtype):
    """The template's arguments, or None where the operator does not know the dtype."""
    if (name, "cuda", dtype) not in KERNELS:
        return None
    operator = prod if name == "prod" else getattr(reduce, name)
    result, wide = operator.results(dtype), reduce.accumulator(dtype, CODE[name])
    return reduce.CODES[CODE[name]], dtype, result, wide


def test_nvrtc_takes_the_choice_of_every_dtype(targets):
    names = tuple(template("arg_blocks", code, dtype, reduce.accumulator(dtype))
                  for code in (1, 2) for dtype in DTYPES)  # fmt: skip
    text = with_headers(file_text("argmax.cu"), DTYPES)
    for arch in targets:
        assert nvrtc.compiled(text, arch, names, nvrtc.QUICKLY) == ""
