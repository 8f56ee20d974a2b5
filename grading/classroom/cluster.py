"""Many machines: submissions judged by the workers of a Dask cluster.

A worker gets cells and gives verdicts back, as plain values; it needs a clone of the
same version and nothing of the class. Its reply has to make sense, but is not safe:
Dask sends it as a pickle, so a worker can do here whatever the grader can. A worker
that dies, hangs or talks nonsense costs a second try by another one; whatever no worker
could judge is left to this machine.
"""

import contextlib
import time
from typing import NamedTuple

from ..checking.verdict import Failure, Verdict
from . import judging
from .judging import checks_here

TRIES = 2
PATIENCE = 900  # seconds for one submission
ALONE = 60  # seconds without any worker
SHORT, LONG = 0.05, 0.5  # seconds until the scheduler is asked again


class Item(NamedTuple):
    """A submission to be judged. how: the other arguments of `judged`."""

    key: tuple  # (student, lab)
    lab: str
    cells: list
    names: list  # of the lab's exercises
    how: dict


def judge(lab, cells, checks, **how):
    """What a worker does: (verdicts, warnings) as plain values."""
    if checks != checks_here():
        raise RuntimeError("this worker has other checks: update its clone")
    verdicts, warnings = judging.judged(lab, [tuple(c) for c in cells], **how)
    records = [verdict.to_dict() | {"picture": verdict.picture} for verdict in verdicts]
    return {"verdicts": records, "warnings": warnings}


def understood(reply, names):
    """(verdicts, warnings) of a worker's reply; None where it makes no sense."""
    try:
        verdicts = [
            Verdict(**one | {"failures": [Failure(**f) for f in one["failures"]]})
            for one in reply["verdicts"]
        ]
        warnings = [str(warning) for warning in reply["warnings"]]
        return (verdicts, warnings) if [v.name for v in verdicts] == names else None
    except (TypeError, LookupError, ValueError, AttributeError):
        return None


class Cluster:
    """The workers of a scheduler, each of which does one thing at a time."""

    def __init__(self, scheduler, task=judge, patience=PATIENCE, alone=ALONE):
        from distributed import Client

        self.client, self.task = Client(scheduler, timeout=30), task
        self.patience, self.alone = patience, alone
        self.bad = set()  # workers that hung, or made no sense
        self.running = {}  # future -> (item, when it began, its worker, tries)
        self.seen = time.monotonic()  # when there was a worker, last

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self.client.close(timeout=5)

    def judged(self, work):
        """Yield (item, (verdicts, warnings) or None) for each Item, as they are done.

        Few are taken from `work` at a time. Workers get the next ones before what is
        done is yielded, so that none waits while it's entered into the gradebook.
        """
        again, work = [], ((item, 0) for item in work)
        while True:
            workers, done = self._known(), []
            for item, tries, result in self._ended(workers):
                if result is None and tries + 1 < TRIES:
                    again.append((item, tries + 1))
                else:
                    done.append((item, result))
            for worker in self._free(workers):
                item, tries = again.pop() if again else next(work, (None, 0))
                if item is None:
                    break
                self._send(item, tries, worker)
            yield from done
            if not self.running:
                item, tries = again.pop() if again else next(work, (None, 0))
                if item is None:
                    return
                if time.monotonic() - self.seen > self.alone:
                    yield item, None
                else:
                    again.append((item, tries))
            self._wait()

    def _wait(self):
        """Wait until something is done, but not long: a worker may have gone."""
        from distributed import wait

        time.sleep(SHORT)
        with contextlib.suppress(Exception):  # nothing is done; no scheduler is there
            wait([*self.running], LONG, "FIRST_COMPLETED")

    def _free(self, workers):
        """The workers that have nothing to do, and have done nothing wrong."""
        busy = {worker for _, _, worker, _ in self.running.values()}
        good = workers - self.bad
        if good:
            self.seen = time.monotonic()
        return good - busy

    def _known(self):
        """All workers: unlike scheduler_info(), this isn't what the client keeps."""
        try:
            return {*self.client.nthreads()}
        except Exception:  # the scheduler is gone, in one of many ways
            return set()

    def _send(self, item, tries, worker):
        future = self.client.submit(
            self.task, item.lab, item.cells, checks_here(), **item.how,
            workers=[worker], allow_other_workers=False, pure=False, retries=0,
        )  # fmt: skip
        self.running[future] = item, time.monotonic(), worker, tries

    def _ended(self, workers):
        """(item, tries, result) of what has ended, one way or another."""
        for future, (item, begun, worker, tries) in [*self.running.items()]:
            late = time.monotonic() - begun > self.patience
            if future.done() or late or worker not in workers:
                del self.running[future]
                result = understood(self._reply(future), item.names)
                if result is None:
                    self.bad.add(worker)
                yield item, tries, result

    def _reply(self, future):
        with contextlib.suppress(Exception):
            if future.status == "finished":
                return future.result(timeout=self.patience)
            future.cancel()
