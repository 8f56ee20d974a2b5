"""Outer product and bias-GELU: by minigrad, by an extension, and by PyTorch.

    python benchmarks/extension.py [--write]

The operators of chapter 11, forward, in float32: "extension" is examples/extension,
built by nvcc; "minigrad" its operators with the library's fastest kernels. PyTorch runs
them eager and under torch.compile. "compiled / ours" is how many times as long the
compiled one takes as the better of ours: 1 or more is the goal. On a GPU the L2 cache
is overwritten before each run, and events time the kernels. GB/s counts what must
move, each float once. On a CPU all have one thread. The fastest of 30 samples; they
take turns. On a GPU where Nsight Compute (ncu) is, its counters of both kernels follow.
"""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import torch

import minigrad
from benchmarks import common
from minigrad.dtypes import FLOATS
from minigrad.ops.pointwise import numpy_gelu
from minigrad.ops.pointwise_kernels import pointwise
from minigrad.testing import extension

PAGE = common.HOME / "docs" / "benchmarks" / "extension.md"
HEAD = ["work", "shape", "eager us", "compiled us", "extension us", "minigrad us",
        "compiled / ours", "GB/s of ours"]  # fmt: skip
SHAPES = {  # of the two operands
    "cuda": {"outer product": [((64, 1024), (64, 1024)), ((8, 512), (8, 4096)),
                               ((512, 100), (512, 100))],
             "bias-GELU": [((8192, 4096), (4096,)), ((1024, 1024), (1024,)),
                           ((4096, 1000), (1000,))]},
    "cpu": {"outer product": [((8, 128), (8, 128))],
            "bias-GELU": [((256, 512), (512,))]},
}  # fmt: skip

bias_gelu = pointwise(
    "bench_bias_gelu", lambda x, b: numpy_gelu(x + b), "gelu(a + b)", dtypes=FLOATS
)
EAGER = {
    "outer product": lambda a, b: a.unsqueeze(2) * b.unsqueeze(1),
    "bias-GELU": lambda x, b: torch.nn.functional.gelu(x + b),
}
OURS = {
    "outer product": lambda a, b: a.unsqueeze(2) * b.unsqueeze(1),
    "bias-GELU": lambda x, b: bias_gelu(x, b),
}


def row(work, shapes, device, native):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s).astype(np.float32) for s in shapes]
    a, b = (torch.from_numpy(x).to(device) for x in arrays)
    p, q = (minigrad.tensor(x, device=device) for x in arrays)
    compiled = torch.compile(EAGER[work], dynamic=False, fullgraph=True)
    built = {"outer product": native.outer, "bias-GELU": native.bias_gelu}[work]
    runs = {
        "eager": lambda: EAGER[work](a, b),
        "compiled": lambda: compiled(a, b),
        "extension": lambda: built(a, b),
        "minigrad": lambda: OURS[work](p, q),
    }
    expected = runs["eager"]()
    for name in ("compiled", "extension"):
        torch.testing.assert_close(runs[name](), expected)
    np.testing.assert_allclose(
        runs["minigrad"]().cpu().numpy(), expected.cpu(), 2e-5, 2e-6
    )
    how = {"flush": True} if device == "cuda" else {}
    eager, by_compiler, *ours = common.fastest(runs, device, **how)
    moved = 4 * (a.numel() + b.numel() + expected.numel())
    times = [f"{1e6 * t:.1f}" for t in (eager, by_compiler, *ours)]
    best = min(ours)
    shape = " x ".join(map(str, map(tuple, shapes)))
    return [
        work,
        shape,
        *times,
        f"{by_compiler / best:.2f}",
        f"{moved / best / 1e9:,.0f}",
    ]


COUNTERS = {  # what the page calls them
    "us": "gpu__time_duration.sum",
    "DRAM throughput %": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "compute throughput %": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "achieved occupancy %": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
}
PROGRAM = """
import torch
from minigrad.testing import extension
ops = extension.minigrad_ops()._C
a, b, x, bias = (torch.rand(s, device="cuda") for s in {shapes})
for _ in range(2):
    ops.outer(a, b), ops.bias_gelu(x, bias)
"""


def counters():
    """Nsight Compute's counters of the second launch of each kernel, as a table."""
    if not shutil.which("ncu"):
        return "Nsight Compute: not run: ncu is not on the PATH"
    shapes = [shape for each in SHAPES["cuda"].values() for shape in each[0]]
    metrics = ",".join(COUNTERS.values())
    command = ["ncu", "--csv", "--print-units", "base", "--metrics", metrics]
    command += ["--clock-control", "none", "-k", "regex:outer_kernel|bias_gelu_kernel"]
    program = [sys.executable, "-c", PROGRAM.format(shapes=shapes)]
    run = subprocess.run([*command, *program], capture_output=True, text=True)
    lines = [line for line in run.stdout.splitlines() if line.startswith('"')]
    if not lines:
        return f"Nsight Compute: not run: {run.stdout.strip().splitlines()[-1:]}"
    by_launch = {}
    for line in csv.DictReader(lines):
        launch = by_launch.setdefault(line["ID"], {"kernel": line["Kernel Name"]})
        launch[line["Metric Name"]] = float(line["Metric Value"].replace(",", ""))
    rows = [["kernel", *COUNTERS, "sectors a request"]]
    for launch in list(by_launch.values())[2:]:
        us, *shares, sectors, requests = (launch[m] for m in COUNTERS.values())
        cells = [f"{us / 1e3:.1f}", *(f"{s:.0f}" for s in shares)]
        cells += [f"{sectors:,.0f}", f"{requests:,.0f}", f"{sectors / requests:.1f}"]
        name = launch["kernel"].partition("(")[0].split("<")[0].split()[-1]
        rows.append([name, *cells])
    return f"Nsight Compute, stores alone:\n\n{common.markdown(rows)}"


def main():
    given = common.parser(__doc__, PAGE).parse_args()
    minigrad.answers_from("solutions")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    native = extension.minigrad_ops()._C
    torch.set_num_threads(1)  # of the CPU: several wait for each other, for NumPy's one
    with torch.no_grad(), minigrad.kernel_variant("fastest"):
        rows = [
            row(work, shapes, device, native)
            for work, each in SHAPES[device].items()
            for shapes in each
        ]
    versions = f"{common.machine()}, PyTorch {torch.__version__}"
    text = f"{versions}; the fastest of 30 samples\n\n{common.markdown([HEAD, *rows])}"
    if device == "cuda":
        text += f"\n\n{counters()}"
    print(text)
    if given.write:
        common.write(PAGE, text, f"operators on {device}")


if __name__ == "__main__":
    main()
