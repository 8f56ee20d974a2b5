"""What tests and labs use: how long something takes."""

from .table import bench_table
from .timing import Timing, bench

__all__ = ["Timing", "bench", "bench_table"]
