"""Bounds for code that is not ours: how long it may run, how much it may print."""

import builtins
import contextlib
import ctypes
import io
import signal
import sys
import threading
import time


class TimeUp(BaseException):
    """Raised inside code that has run too long. No `except Exception` catches it."""


PATIENCE = 10  # times as many seconds by the clock, where it waits or is not let run


@contextlib.contextmanager
def time_limit(seconds):
    """Raise TimeUp in this block after `seconds` of work, however busy the machine is.

    And again: an `except` may eat it.
    """
    alarm = hasattr(signal, "setitimer")
    work, late = time.process_time() + seconds, time.monotonic() + PATIENCE * seconds
    is_up = lambda: time.process_time() > work or time.monotonic() > late  # noqa: E731
    if alarm and threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGALRM, lambda *_: _raise_if(is_up))
        left = signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *left)  # of a limit around this one
            signal.signal(signal.SIGALRM, before)
    else:
        over = threading.Event()
        thread = threading.get_ident()
        threading.Thread(
            target=_watch, args=(seconds, over, thread, is_up), daemon=True
        ).start()
        try:
            yield
        finally:
            over.set()


class Page(io.StringIO):
    """Keeps the first few thousand characters that are printed, drops the rest."""

    size = 5000

    def write(self, text):
        room = self.size - self.tell()
        super().write(text[: max(room, 0)])
        return len(text)


@contextlib.contextmanager
def captured():
    """Collect what is printed in this block, to stdout and stderr."""
    page = Page()
    with contextlib.redirect_stdout(page), contextlib.redirect_stderr(page):
        yield page


@contextlib.contextmanager
def alone():
    """Let nothing in this block wait for somebody who types, or end the notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    asked, builtins.input = builtins.input, _no_input
    if shell:
        shell.ask_exit = sys.exit  # what exit() in a notebook calls
    try:
        yield
    finally:
        builtins.input = asked
        if shell:
            vars(shell).pop("ask_exit", None)


def _no_input(prompt=""):
    raise OSError("nobody types here: take input() or pdb out of the answer")


def _raise_if(is_up):
    if is_up():
        raise TimeUp


def _watch(seconds, over, thread, is_up):
    while not over.wait(seconds):
        seconds = 0.1
        if is_up():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread), ctypes.py_object(TimeUp)
            )
