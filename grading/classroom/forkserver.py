"""The process from which those that judge are forked, while it's still importing.

PyTorch takes longer to import than nbgrader, so `begin` comes before that.
"""

import multiprocessing
import signal
from multiprocessing import forkserver
from pathlib import Path

WORTH = 10  # submissions for each process that judges; it takes seconds to start


def context():
    """multiprocessing's, whose processes have imported what judging needs."""
    how = multiprocessing.get_context("forkserver")
    how.set_forkserver_preload([f"{__package__}.preloaded"])
    return how


def begin(directory, everything=False):
    """Begin it if several processes may be needed for what isn't graded yet."""
    handed_in = {(p.parent.name, p.name) for p in Path(directory).glob("submitted/*/*")}
    graded = {
        (p.stem, p.parent.name) for p in Path(directory).glob("verdicts/*/*.json")
    }
    if len(handed_in if everything else handed_in - graded) >= 2 * WORTH:
        context()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C isn't for it
        forkserver.ensure_running()
        signal.signal(signal.SIGINT, before)
