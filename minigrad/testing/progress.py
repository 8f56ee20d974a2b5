"""A progress bar for what turns out to be slow."""

from time import perf_counter

PATIENCE = 2  # seconds


def slowly(steps, what):
    """The steps one by one; after two seconds with a bar, where rich is installed.

    The bar moves between steps only: a thread of its own would disturb what is timed.
    """
    begin, bar, steps = perf_counter(), None, list(steps)
    try:
        for done, step in enumerate(steps):
            if bar is None and perf_counter() - begin > PATIENCE:
                bar = started(what, len(steps))
            if bar:
                bar.update(bar.task_ids[0], completed=done, refresh=True)
            yield step
    finally:
        if bar:
            bar.stop()


def started(what, total):
    """rich's bar, or False without rich."""
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        return False
    console = Console(stderr=True)
    bar = Progress(console=console, auto_refresh=False, transient=True)
    bar.add_task(what, total=total)
    bar.start()
    return bar
