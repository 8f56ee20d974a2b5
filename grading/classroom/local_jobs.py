"""This machine's cores: submissions judged by several processes of ours at a time.

They get what a cluster's workers get, but one of them examines the grader for all.
What one of them could not do is left to the process that has started them.
"""

import multiprocessing
import os
import signal
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    ProcessPoolExecutor,
    wait,
)

from ..isolation import locks
from . import forkserver
from .cluster import judge, understood
from .judging import checks_here, draw_once, examine

AHEAD = 2  # submissions for each process, so that none has to wait


def count():
    """How many cores this process may use."""
    by_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if by_affinity else os.cpu_count()


class Cores:
    """So many processes, forked from one that has imported what they need."""

    def __init__(self, count, task=judge, examine=examine):
        self.count, self.task, self.examine, self.pool = count, task, examine, None
        self.examined = {}  # (lab, unsafe) -> future

    def __enter__(self):
        self.pool = self._begun()
        return self

    def __exit__(self, *error):
        self.pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.kill()
            process.join()

    def judged(self, work):
        """Yield (item, (verdicts, warnings) or None) for each Item, as it is done."""
        running = {}
        for item in work:
            examined = self._examined(item)
            running[self._sent(item)] = item, examined
            if len(running) >= AHEAD * self.count:
                yield from _done(running)
        while running:
            yield from _done(running)

    def _begun(self):
        return ProcessPoolExecutor(self.count, forkserver.context(), _begin)

    def _examined(self, item):
        """The future of an examination, once for each lab; again if it was killed."""
        key = item.lab, item.how["unsafe"]
        last = self.examined.get(key)
        if last is None or (last.done() and _is_killed(last)):
            self.examined[key] = self._submitted(self.examine, *key)
        return self.examined[key]

    def _sent(self, item):
        what = self.task, item.lab, item.cells, checks_here()
        return self._submitted(*what, examined=True, **item.how)

    def _submitted(self, *what, **how):
        try:
            return self.pool.submit(*what, **how)
        except BrokenExecutor:  # one of them has been killed
            self.pool = self._begun()
            return self.pool.submit(*what, **how)


def _is_killed(future):
    return isinstance(future.exception(), BrokenExecutor)


def _done(running):
    for future in wait(running, return_when=FIRST_COMPLETED).done:
        item, examined = running.pop(future)
        failed = examined.exception() or future.exception()
        yield item, None if failed else understood(future.result(), item.names)


def _begin():
    """Leave Ctrl+C to the process that has started this one, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    locks.end_with_parent()
    draw_once()
