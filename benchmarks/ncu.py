"""Memory traffic as Nsight Compute counts it."""

import csv
import shutil

from benchmarks import alone

SECONDS = 300
OPS = ("ld", "st", "atom", "red")
METRICS = {
    "sectors": [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in OPS],
    "requests": [f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum" for op in OPS],
    "bank_passes": [
        f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in OPS[:3]
    ],
}


def counted(launches):
    """[{count: value}] of the launches, or why there is none."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return "ncu is not on the PATH"
    names = ",".join(m for metrics in METRICS.values() for m in metrics)
    options = ["--csv", "--print-units", "base", "--metrics", names]
    run = alone.watch([ncu, *options], launches, SECONDS)
    if run.code is None:
        return f"ncu took over {SECONDS} s"
    counts = read(run.output)
    if run.code or len(counts) != len(launches):
        shown = [x for x in run.output.splitlines() if "==ERROR==" in x]
        found = f"{len(counts)} of {len(launches)} launches counted"
        return shown[0].replace("==ERROR== ", "") if shown else found
    return counts


def read(text):
    """[{count: value}] from ncu's CSV, in the order of the launches."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    launches = {}
    for row in csv.DictReader(lines):
        value = float(row["Metric Value"].replace(",", "") or 0)
        launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = value
    return [
        {count: int(sum(found.get(m, 0) for m in metrics))
         for count, metrics in METRICS.items()}
        for _, found in sorted(launches.items())
    ]  # fmt: skip
