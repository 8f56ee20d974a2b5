"""How long a notebook takes somebody who has not seen it before."""

import re

READ = 1 / 230  # minutes: a word
LINE = 1 / 10  # a line of code: to read it, run it, and look at what it gives
PREDICT, PUZZLE, QUESTION = 1, 5, 2
MARKS = {r"\bPredict\b|\*\*predict\*\*": PREDICT, r"\*\*Puzzle": PUZZLE}


def duration(cells, holes):
    """ "65 minutes" or "1.5 hours": of a lab its exercises, of a lesson what it has."""
    minutes = sum(hole.minutes for hole in holes) if holes else lesson(cells)
    if minutes < 85:
        return f"{5 * round(minutes / 5)} minutes"
    return f"{round(minutes / 30) / 2:g} hours"


def lesson(cells):
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    questions = text.partition("## Before you go")[2].partition("<details>")[0]
    return (
        READ * len(text.split())
        + LINE * len(re.findall(r"^.*\S", code, re.M))
        + sum(each * len(re.findall(mark, text)) for mark, each in MARKS.items())
        + QUESTION * len(re.findall(r"^\d\. ", questions, re.M))
    )
