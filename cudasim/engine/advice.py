"""What to write so that an index stays inside, in the words of the text."""

import re

NAME = r"[A-Za-z_][\w.]*"
PART = rf"({NAME}|\([^()]*\))"
ROWS = re.compile(rf"{PART} ?\* ?({NAME}) ?\+ ?{PART}")
WORD = re.compile(rf"{NAME}(\[[^\[\]]*\])*$")
SHIFT = re.compile(r"(.+?) ?([+-]) ?(\d+)")
PLAIN = re.compile(r"\[[^\[\]]*\]")


def guard(launch, site, name, count, negative=False):
    """(question, condition) for an index into `name` that must stay below `count`.

    The condition is "" where the text doesn't tell it, both where no guard could help.
    """
    word, text = index_at(launch, site, name)
    inside, known = f"i {'>= 0' if negative else '< n'}", False
    if text and not re.search(r"\b[A-Za-z_]", text):  # a number
        return "", ""
    shift = SHIFT.fullmatch(text)
    if PLAIN.sub("[]", word) == PLAIN.sub("[]", name) and not moves(launch, name):
        inside, known = within(text, count, sizes(launch)), True
        if negative:
            down = shift and shift[2] == "-"
            inside = f"{shift[1]} >= {shift[3]}" if down else f"{text} >= 0"
        elif known_size := too_large(launch, text, count):
            return known_size, ""
    out = question(inside)
    out += f" Or leave the {shift[2]} {shift[3]} out" if shift else ""
    return out, inside * known


def too_large(launch, text, count):
    """What is said where a guard is there, and compares with more than the size."""
    named, code = sizes(launch), "\n".join(launch.lines)
    for size in () if count in named else [size for size in named if size > count]:
        for name in named[size]:
            if re.search(rf"\b{re.escape(text)} ?(<|>=) ?{name}\b", code):
                return f"{name} is {size}, so {text} < {name} isn't enough"
    return ""


def question(condition):
    """What is said of a guard that was not tried."""
    return f"is a guard, if ({condition}), missing or too wide?"


def written(launch, sites, message):
    """A sentence about the lines that write the shared array of a message, or ""."""
    name = re.match(r"reads (\w+)", message)[1]
    places = {launch.places[site][0] for site in sites}
    numbers = sorted(
        n for n in places if re.search(rf"\b{name}\b", launch.lines[n - 1])
    )
    if not numbers:
        return f"nothing has written {name}: is a line missing?"
    where = "lines " if len(numbers) > 1 else "line "
    where += ", ".join(map(str, numbers))
    return (
        f"{where} wrote to {name}, but not there: a shifted index, too narrow a guard?"
    )


def within(text, count, named):
    """`text` < `count`; rows and columns by themselves."""
    if match := ROWS.fullmatch(text):
        row, width, column = match.groups()
        wide = next((size for size, names in named.items() if width in names), 0)
        if wide and count % wide == 0:
            row = row.strip("()")
            return (
                f"{row} < {spelled(count // wide, named, width)} && {column} < {width}"
            )
    return f"{text} < {spelled(count, named)}"


def spelled(size, named, other=None):
    """The name of a size, if one has it; `other` only if no further one does."""
    names = sorted(named.get(size, [str(size)]), key=lambda name: name == other)
    return names[0]


def index_at(launch, site, name):
    """(word, index) of the word[index] at a place, or of the one name[...] in its line;
    empty texts where there is none."""
    line, column = launch.places[site]
    source, indices = launch.lines[line - 1], {}
    for begin in (at for at, letter in enumerate(source) if letter == "["):
        word, end = WORD.search(source[:begin]), closing(source, begin + 1)
        if word is not None and end is not None:
            indices[begin, end] = word[0], source[begin + 1 : end].strip()
    # A read's place is that of its bracket, a write's that of the operator after it.
    here = [index for (begin, _), index in indices.items() if begin == column - 1]
    here += [
        index
        for (begin, end), index in indices.items()
        if begin < column and not source[end + 1 : column - 1].strip(" ")
    ]
    if not here:
        alike = {index for index in indices.values() if index[0] == name}
        here = [*alike] if len(alike) == 1 else []
    return here[0] if here else ("", "")


def moves(launch, name):
    """Does the text change the pointer of this name?"""
    text = "\n".join(launch.lines)
    return re.search(rf"\b{re.escape(name)}\s*(\+[+=]|-[-=]|=[^=])", text) is not None


def closing(source, at):
    """Where the bracket ends that is open at a place of a line; None: later."""
    depth = 1
    for here in range(at, len(source)):
        depth += (source[here] == "[") - (source[here] == "]")
        if depth == 0:
            return here
    return None


def sizes(launch):
    """number -> the names that stand for it: of parameters first, then of macros."""
    names, program = {}, launch.kernel.module.program
    for parameter, value in zip(
        launch.kernel.function.parameters, launch.values, strict=True
    ):
        if parameter.type.plain.is_integer:
            names.setdefault(int(value), []).append(parameter.name)
    for macro in program._preprocessor.macros.values():
        own = macro.parameters is None and not macro.name.startswith("_")
        if own and [t.kind for t in macro.body] == ["number"]:
            text = macro.body[0].text
            if text.isdecimal():
                names.setdefault(int(text), []).append(macro.name)
    return names
