"""The library's kernels, variant by variant, beside PyTorch and what the GPU can do.

    python benchmarks/kernels.py [--write] [FAMILY ...]

A variant is a kernel with one more idea. Its result is compared with PyTorch's before
it is timed. Bandwidth counts each byte that has to be read or written once; what
a kernel reads twice is its own affair. "of the copy" is that bandwidth over the one of
PyTorch's copy of 2^28 floats in the same run, "of cuBLAS" the speed over torch.mm's in
float32 without TF32. Arrays are larger than the L2 cache.
"""

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import common, families, families_conv  # noqa: F401 (they fill FAMILIES)
from benchmarks.variants import FAMILIES, Variant, empty_of_torch, numbers, of_torch
from minigrad import devices
from minigrad.testing import bench

PAGE = common.HOME / "docs" / "benchmarks" / "kernels.md"

# ---------------------------------------------------------------- the tables


def copy_bandwidth(n=2**28):
    """GB/s of PyTorch's copy, reads and writes."""
    source, target = of_torch(numbers(n)), empty_of_torch(n)
    timing = bench(lambda: target.copy_(source), device="cuda", repeat=15)
    return timing.bandwidth(8 * n)


def right(one, launch, expected):
    """Does the launch write what PyTorch computes? The result is poisoned before."""
    one.result().fill(77)
    launch()
    result = of_torch(one.result()).reshape(-1).double()
    wanted = expected.reshape(-1).double()
    near = one.near * wanted.abs().max().item()
    return bool(((result - wanted).abs() <= near).all())


def table(one, copied):
    """Rows of texts: each variant, and PyTorch."""
    unit = "TFLOP/s" if one.flops else "GB/s"
    rows, speeds = [], {}
    expected = one.torch().clone()
    for r in [Variant("PyTorch", one.torch), *one.variants]:
        if r.name != "PyTorch" and not right(one, r.launch, expected):
            raise SystemExit(f"{r.name} is wrong: {one.title}")
        timing = bench(r.launch, device="cuda", warmup=2, repeat=9)
        per = (
            timing.flops(one.flops) / 1e3 if one.flops else timing.bandwidth(one.nbytes)
        )
        speeds[r.name] = per
        rows.append((r.name, f"{timing.median * 1e3:.3g} ms", f"{per:,.4g}"))
    limit = speeds["PyTorch"] if one.flops else copied
    shares = [f"{speeds[name] / limit:.2f}" for name, *_ in rows]
    against = [f"{speeds[name] / speeds['PyTorch']:.2f} x" for name, *_ in rows]
    share = "of cuBLAS" if one.flops else "of the copy"
    head = "variant", "time", unit, share, "PyTorch"
    body = [(*r, s, a) for r, s, a in zip(rows, shares, against, strict=True)]
    return [head, *body[1:], body[0]]


def report(names):
    copied = copy_bandwidth()
    yield f"{common.machine()}. PyTorch's copy: {copied:,.0f} GB/s."
    for name in names:
        for one in FAMILIES[name]():
            text = f"### {one.title}\n\n{common.markdown(table(one, copied))}"
            yield text + (f"\n\nThe next variant: {one.after}" if one.after else "")


def main(arguments=None):
    options = parser().parse_args(arguments)
    if unknown := set(options.families) - set(FAMILIES):
        print(f"no family {', '.join(unknown)}: choose of {', '.join(FAMILIES)}")
        return 2
    if not devices.gpu_available():
        print("not run: the library's kernels (needs an NVIDIA GPU and CuPy)")
        return 2
    shown = []
    for text in report(options.families or FAMILIES):
        print(text, end="\n\n", flush=True)
        shown.append(text)
    if options.write:
        common.write(PAGE, "\n\n".join(shown), "kernels")
    return 0


def parser():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = ", ".join(FAMILIES)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=known)
    parser.add_argument("--write", action="store_true", help=f"also into {PAGE.name}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
