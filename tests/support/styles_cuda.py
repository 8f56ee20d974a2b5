"""Kernels in other styles, by the simulator's tokens."""

import re

from cudasim import LEVELS
from minigrad.exercises.signature import kernel_pattern
from tools.audit.cuda_edits import Edits
from tools.audit.edits import Edit

MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
STATEMENTS = {"return", "else", "goto", "struct", "typename", "operator"}


class Kernel(Edits):
    """A kernel's text, its tokens, and what is changed in it."""

    def __init__(self, text):
        self.pieces = []
        super().__init__(text)

    def change(self, begin, end, new):
        self.pieces.append((begin, end, new))

    def changed(self):
        pieces = self.pieces
        return (
            Edit("style", self.text, *pieces).change(self.text) if pieces else self.text
        )

    def is_code(self, i):
        return self.tokens[i].kind == "id" and not self.in_directive(i)

    def inside(self):
        """The tokens within braces."""
        pairs = [(a, b) for a, b in self.partner.items() if self.words[a] == "{"]
        return sorted({i for a, b in pairs for i in range(a, b)})

    def stop(self, i):
        """The last token of the statement that begins with token i."""
        word = self.words[i]
        if word == "{":
            return self.partner[i]
        if word in ("if", "for", "while"):
            last = self.stop(self.partner[i + 1] + 1)
            if word == "if" and self.words[last + 1 : last + 2] == ["else"]:
                return self.stop(last + 2)
            return last
        return next(self.outside(";", i))


def other_names(text):
    """Variables are called otherwise; parameters are the contract's."""
    kernel = Kernel(text)
    words, inside = kernel.words, kernel.inside()
    declared = {
        words[i + 1]
        for i in inside
        if kernel.is_code(i) and words[i] not in STATEMENTS
        and kernel.tokens[i + 1].kind == "id" and words[i + 2] in ("=", ";", "[", ",")
    }  # fmt: skip
    declared -= {words[i] for i in range(len(words)) if i not in inside
                 or words[i - 1] in (".", "->") or kernel.in_directive(i)}  # fmt: skip
    for i in inside:
        if words[i] in declared:
            kernel.change(kernel.end(i), kernel.end(i), "_")
    return kernel.changed()


def another_function(text):
    """The whole work is done by a function that the kernel calls."""
    head = re.search(kernel_pattern(), text)
    names = re.findall(r"(\w+)\s*(?:,|$)", head["parameters"])
    work = f"__device__ void {head['name']}_({head['parameters']})"
    kernel = f"{head[0]} {{\n    {head['name']}_({', '.join(names)});\n}}\n"
    return f"{text[: head.start()]}{work}{text[head.end() :]}\n\n{kernel}"


def while_loops(text):
    """Each `for` whose rounds all come to their end is a `while`."""
    kernel, ends = Kernel(text), {}
    for i in reversed(range(len(kernel.words))):
        if kernel.words[i] != "for" or not kernel.is_code(i):
            continue
        close = kernel.partner[i + 1]
        first, second = (n for n in range(i + 2, close) if kernel.words[n] == ";")
        last = kernel.stop(close + 1)
        if "continue" in kernel.words[close:last] or second == first + 1:
            continue
        begin, end = kernel.begins, kernel.end
        step = text[end(second) : begin[close]]
        kernel.change(begin[i], end(i + 1), "{ ")
        kernel.change(end(first), begin[first + 1], " while (")
        kernel.change(begin[second], begin[close], "")
        kernel.change(end(close), end(close), " {")
        ends[end(last)] = f"{ends.get(end(last), '')} {step}; }} }}"
    for place, new in ends.items():
        kernel.change(place, place, new)
    return kernel.changed()


def turned_round(text):
    """The other branch comes first, and comparisons are read from the right."""
    kernel = Kernel(text)
    done = 0
    for i, word in enumerate(kernel.words):
        if word in MIRRORED and kernel.is_binary(i) and not kernel.is_template(i):
            level = LEVELS[word]
            left, right = kernel.left_of(i, level), kernel.right_of(i, level)
            if kernel.begins[left] >= done:
                new = f"{kernel.source(i + 1, right)} {MIRRORED[word]} "
                done = kernel.end(right)
                new += kernel.source(left, i - 1)
                kernel.change(kernel.begins[left], done, new)
        elif word == "if" and kernel.is_code(i):
            close = kernel.partner[i + 1]
            last = kernel.stop(close + 1)
            if kernel.words[last + 1 : last + 2] != ["else"]:
                kernel.change(kernel.end(i + 1), kernel.end(i + 1), "!(")
                kernel.change(kernel.begins[close], kernel.end(close), ")) ; else")
    return kernel.changed()


STYLES = other_names, another_function, while_loops, turned_round
