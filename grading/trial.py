"""`with trying():` runs an example that needs answers which may not be right yet."""

import contextlib
import traceback

from minigrad import simt
from minigrad.exercises.errors import NotAnswered, Stopped, own_line
from minigrad.exercises.sandbox import TimeUp, time_limit

SECONDS = 10  # for the cell; a launch in the simulator has half of it
UNSET = "\n  is there a cell above that was not run, and gives this name its value?"


@contextlib.contextmanager
def trying():
    """Run the block; say in a line what is missing or goes wrong, and go on.

    So that Run All comes to the end. `show` displays a picture or a value.
    """
    try:
        with simt.at_most(SECONDS / 2), time_limit(SECONDS):
            yield _display()
    except NotAnswered as error:
        print(f"{str(error).partition('. ')[0]}, and this cell needs one.")
    except TimeUp as error:
        print(
            f"not done after {SECONDS} s: is there a loop whose condition stays true?"
            f"{own_line(error)}"
        )
    except KeyboardInterrupt as stop:
        trace = stop.__traceback__
        raise Stopped("you stopped this cell").with_traceback(trace) from None
    except Exception as error:
        unset = UNSET if _is_unset(error) else ""
        print(f"{type(error).__name__}: {error}{own_line(error)}{unset}")


def _is_unset(error):
    """Does the cell itself use a name that no cell has set?"""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return isinstance(error, NameError) and last.name == "<module>"


def _display():
    try:
        from IPython.display import display
    except ImportError:
        return print
    return display
