"""What tests and labs use: how long something takes, and how long it must."""

from .published import published, rate, rates, series
from .roof import Ceilings, ceilings
from .table import bench_table
from .timing import Timing, bench
from .verify import verify
from .ways import Ways

__all__ = [
    "Ceilings",
    "Timing",
    "bench",
    "bench_table",
    "ceilings",
    "published",
    "rate",
    "rates",
    "series",
    "verify",
    "Ways",
]
