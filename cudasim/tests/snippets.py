"""Snippets of CUDA C, each with what must come of it.

In the files under snippets/ the entries stand between lines of four dashes. Bodies are
put into a kernel, files stand for themselves. accepted: NVRTC compiles it, and so do
we. rejected: neither does. outside: NVRTC does, the subset does not. » marks the place
of the error, and => begins its message.
"""

import pathlib
import re

HERE = pathlib.Path(__file__).parent
INCLUDE = re.compile(r"^\s*#\s*include.*$", re.M)
BATCH = 40  # sources in a program
SIGNATURE = (
    "__global__ void k(float* o, int n, const float* c, double d, float f, "
    "unsigned u, int* q)"
)


def entries(kind):
    """The entries of one kind, with bodies put into a kernel in its second line."""
    bodies = read(f"{kind}_bodies")
    return [wrapped(entry) for entry in bodies] + read(f"{kind}_files")


def read(name):
    text = (HERE / "snippets" / f"{name}.txt").read_text(encoding="utf-8")
    return [entry.strip("\n") for entry in text.split("\n----\n")]


def wrapped(entry):
    body, arrow, message = entry.partition("\n=> ")
    return f"{SIGNATURE} {{\n{body}\n}}{arrow}{message}"


def expected(entry):
    """(source, line, column, message) of an entry with a mark."""
    text, _, message = entry.rpartition("\n=> ")
    before = text[: text.index("»")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return text.replace("»", "", 1), line, column, message


def kernels():
    """name -> text of the teaching kernels."""
    return {p.stem: p.read_text() for p in sorted((HERE / "kernels").glob("*.cu"))}


def together(sources):
    """One program of several: each in a namespace, without its #include lines."""
    heads = {line.strip(): 0 for text in sources for line in INCLUDE.findall(text)}
    spaces = [
        f"namespace n{i} {{\n{INCLUDE.sub('', text)}\n}}"
        for i, text in enumerate(sources)
    ]
    return "\n".join([*heads, *spaces])


def alone(text):
    """Must this stand in a program of its own? Macros know no namespaces."""
    rest = INCLUDE.sub("", text)
    return bool(re.search(r"^\s*#|extern\s|_Pragma|\btemplate\s*<>", rest, re.M))


def programs(sources):
    """The sources as few programs."""
    many = [s for s in sources if not alone(s)]
    parts = [many[at : at + BATCH] for at in range(0, len(many), BATCH)]
    return [s for s in sources if alone(s)] + [together(part) for part in parts]
