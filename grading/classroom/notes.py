"""Many notes that say the same, as a few: one file may have a thousand things wrong."""

import re
from collections import defaultdict

FEW = 3  # names in a line
SHOWN = 10  # notes of a kind


def kind(note):
    """What a note says, without the names and numbers in it."""
    return re.split(r"[\d'\"`:]", note)[0]


def fewer(notes):
    """The notes without repetitions, at most SHOWN of a kind, then how many more."""
    kinds = defaultdict(dict)
    for note in notes:
        of_kind = kinds[kind(note)]
        of_kind[note] = of_kind.get(note, 0) + 1
    return [line for of_kind in kinds.values() for line in _shown(of_kind)]


def _shown(of_kind):
    for note, count in [*of_kind.items()][:SHOWN]:
        yield f"{note} ({count} times)" if count > 1 else note
    if more := sum([*of_kind.values()][SHOWN:]):
        yield f"{more} more notes like the last one"


def named(paths):
    """The first few of many paths, of different folders if there are, and a count."""
    by_folder = {path.partition("/")[0]: path for path in reversed(paths)}
    few = [*reversed(by_folder.values())][:FEW]
    more = len(paths) - len(few)
    return ", ".join(few) + (f" and {more} more" if more else "")
