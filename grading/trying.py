"""`with trying():` runs an example that needs answers which may not be right yet."""

import contextlib

from minigrad.slots.errors import NotAnswered, own_line


@contextlib.contextmanager
def trying():
    """Run the block; say in a line what is missing or goes wrong, and go on.

    So that Run All comes to the end. `show` displays a picture or a value.
    """
    try:
        yield _display()
    except NotAnswered as error:
        print(f"{str(error).partition('. ')[0]}, and this cell needs one.")
    except Exception as error:
        print(f"{type(error).__name__}: {error}{own_line(error)}")


def _display():
    try:
        from IPython.display import display
    except ImportError:
        return print
    return display
