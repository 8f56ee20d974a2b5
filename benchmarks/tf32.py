"""PyTorch's convolutions in float32, and with TF32, which is its default for them.

    python benchmarks/tf32.py [--write]

The layers are those of chapter 07. An error is relative to the largest element of the
result in double precision.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import common
from benchmarks.families_conv import LAYERS, flops, layer
from minigrad import gpu_available
from minigrad.testing import bench

PAGE = common.HOME / "docs" / "benchmarks" / "tf32.md"


def table(sizes):
    """Rows of texts: a convolution with and without TF32."""
    import torch

    def run():
        return torch.nn.functional.conv2d(x, w, b, padding=1)

    s, _, (x, w, b, _) = layer(*sizes)
    few = [t.double() for t in (x[:16], w, b)]
    exact = torch.nn.functional.conv2d(*few, padding=1)
    yield "precision", "time", "TFLOP/s", "largest error"
    for name, allowed in ("float32", False), ("TF32", True):
        torch.backends.cudnn.allow_tf32 = allowed
        error = (run()[:16] - exact).abs().max() / exact.abs().max()
        timing = bench(run, device="cuda", warmup=2, repeat=15)
        rate = timing.flops(flops(s)) / 1e3
        yield name, f"{timing.median * 1e3:.3g} ms", f"{rate:,.4g}", f"{error:.0e}"


def report():
    """Yield the head and each table."""
    import torch

    yield f"{common.machine()}, PyTorch {torch.__version__}."
    for n, c, h, w, o in LAYERS:
        rows = common.markdown([*table((n, c, h, w, o))])
        yield f"### images {n} x {c} x {h} x {w}, weights {o} x {c} x 3 x 3\n\n{rows}"


def main(arguments=None):
    options = common.parser(__doc__, PAGE).parse_args(arguments)
    if not gpu_available():
        print("not run: convolutions with TF32 (needs an NVIDIA GPU and CuPy)")
        return 2
    text = "\n\n".join(report())
    print(text)
    if options.write:
        common.write(PAGE, text, "tf32")
    return 0


if __name__ == "__main__":
    sys.exit(main())
