"""How long a notebook takes somebody who has not seen it before: an estimate.

Nobody has been timed. Reading is at the speed of adults with English non-fiction, 238
words a minute (M. Brysbaert, How many words do we read per minute?, 2019); all other
minutes here, and those of an exercise, are judged by who wrote it.
"""

import re

READ = 1 / 238  # minutes: a word
LINE = 1 / 10  # a line of code: to read it, run it, and look at what it gives
PREDICT, PUZZLE, QUESTION = 1, 5, 2
MARKS = {r"\bPredict\b|\*\*predict\*\*": PREDICT, r"\*\*Puzzle": PUZZLE}


def duration(cells, exercises):
    """Say "65 minutes (an estimate)", from a lab's exercises or a lesson's cells."""
    if exercises:
        return (
            f"{rounded(sum(exercise.minutes for exercise in exercises))} (an estimate)"
        )
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    words, lines = len(text.split()), len(re.findall(r"^.*\S", code, re.M))
    asked = text.partition("## Before you go")[2].partition("<details>")[0]
    minutes = READ * words + LINE * lines
    minutes += QUESTION * len(re.findall(r"^\d\. ", asked, re.M))
    minutes += sum(each * len(re.findall(mark, text)) for mark, each in MARKS.items())
    return f"{rounded(minutes)} (an estimate)"


def rounded(minutes):
    if minutes < 85:
        return f"{5 * round(minutes / 5)} minutes"
    return f"{round(minutes / 30) / 2:g} hours"
