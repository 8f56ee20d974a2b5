"""What runs on after an answer's process should have ended."""

import contextlib

import psutil


def running(code):
    """The ids of processes that run this code, but for those of other tests'."""
    here = psutil.Process()
    line = {here, *here.parents()}
    result = (p for p in psutil.process_iter() if _runs(p, code))
    return {p.pid for p in result if not _is_anothers(p, line, code)}


def _runs(process, code):
    with contextlib.suppress(psutil.Error):
        return code in str(process.cmdline())


def _is_anothers(process, line, code):
    """Is it below what is not of our line? What has escaped is below process 1."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return any(p not in line and not _runs(p, code) for p in process.parents())
