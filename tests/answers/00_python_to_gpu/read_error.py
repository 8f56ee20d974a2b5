"""Answers of read_error by other algorithms."""

import re

from minigrad.kernels.driver import ERRORS, read_error
from tools.audit.specimens import answer

CAUSES = {
    2: "memory", 9: "launch", 35: "driver", 100: "device", 209: "build",
    222: "driver", 700: "kernel", 701: "launch", 716: "kernel", 719: "kernel",
}  # fmt: skip


@answer(read_error, right="by regular expressions")
def _(message):
    for number, runtime, driver, words in ERRORS:
        if re.search(f"{runtime}|{driver or words}|{words}", message, re.I):
            return number, CAUSES[number]


@answer(read_error, right="by a table of all texts")
def _(message):
    causes = {"driver": (35, 222), "device": (100,), "build": (209,), "memory": (2,),
              "launch": (9, 701), "kernel": (700, 716, 719)}  # fmt: skip
    table = {}
    for cause, numbers in causes.items():
        for number, *texts in (error for error in ERRORS if error.number in numbers):
            table |= {text.upper(): (number, cause) for text in texts if text}
    found = [answer for text, answer in table.items() if text in message.upper()]
    return found[0] if found else None


@answer(read_error, right="by splitting, and a match")
def _(message):
    def cut(error):
        texts = (text.lower() for text in error[1:] if text is not None)
        return any(len(message.lower().split(text)) > 1 for text in texts)

    for error in filter(cut, ERRORS):
        match error.number:
            case 35 | 222 as number:
                return number, "driver"
            case 9 | 701 as number:
                return number, "launch"
            case number:
                others = {100: "device", 209: "build", 2: "memory"}
                return number, others.get(number, "kernel")
