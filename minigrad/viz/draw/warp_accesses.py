"""What the accesses of one warp have in common in pictures of memory and of banks."""

from .kernel_launch import CannotRun, prepared
from .page import Legend, SourceLine, Space, Text, page
from .recorders import WarpAccesses, warps_of
from .text import count

PANELS = 8  # accesses, drawn at most
KINDS = {"read": "read", "write": "written", "atomic": "updated atomically"}


def accesses_of(kernel, grid, block, args, line, warp, space, shared_mem):
    """(Launch, Accesses of one warp by place); CannotRun where there are none."""
    ready = of_warp(kernel, grid, block, args, line, warp)
    tool = WarpAccesses(warp, space)
    run = ready.run(shared_mem, ["coalescing", "banks", tool])
    accesses = [a for a in tool.seen.values() if line in (None, a.place[0])]
    if not accesses:
        where = "" if line is None else f" in line {line}"
        notes = " ".join(run.notes())
        raise CannotRun(
            f"Warp {warp} of {run.kernel.name} makes no access of {space} memory"
            f"{where}. {notes}".strip()
        )
    return run, sorted(accesses, key=lambda a: (a.place[0], a.kind == "write", a.place))


def of_warp(kernel, grid, block, args, line, warp):
    """The Launch of a launch; ValueError unless it has the warp, and the text the line.

    line: None for all lines.
    """
    ready = prepared(kernel, grid, block, args)
    most = warps_of(ready.block) * ready.grid[0] * ready.grid[1] * ready.grid[2]
    if not 0 <= warp < most:
        raise ValueError(f"warp={warp}: this launch has warps 0 to {most - 1}")
    if line is not None and not 1 <= line <= ready.kernel.code.count("\n") + 1:
        raise ValueError(
            f"line={line}: the text has lines 1 to "
            f"{ready.kernel.code.count(chr(10)) + 1}"
        )
    return ready


def accesses_page(run, warp, panels, total, key, what="accesses"):
    """The panels under one heading."""
    where = divmod(warp, warps_of(run.block))
    head = f"{run.heading}   warp {warp}"
    about = f"Warp {where[1]} of block {where[0]}: its 32 lanes are threads that run "
    about += "together."
    notes = run.notes()
    if total > len(panels):
        notes.append(f"Cut: {len(panels)} of {total} {what} are drawn; line=... "
                     f"chooses others.")  # fmt: skip
    parts = [Text([head], 11, weight="bold")]
    for panel in panels:
        parts += [Space(0.1), *panel.parts()]
    parts += [Space(0.08), Legend(key), Text(notes, 8.5)]
    alt = " ".join([f"{head}. {about}", *(p.alt() for p in panels), *notes])
    return page(parts, alt)


def source_line(run, place):
    """The line of an access, with a caret under it."""
    line, column = place
    return SourceLine(line, run.lines[line - 1], column)


def request_text(access):
    """Who asks for what: x is read by 32 lanes, 4 bytes each"""
    lanes, nbytes = count(len(access.lanes), "lane"), count(access.size, "byte")
    return f"{access.name} is {KINDS[access.kind]} by {lanes}, {nbytes} each"


def verdict_and_rest(words):
    """What a panel says: the verdict in bold, then the rest."""
    return [Text(words[:1], weight="bold"), Text(words[1:])]


def lanes_text(lanes):
    """(text, small text) for the lanes that share a box: 5; 4 to 7; or how many."""
    first, last = lanes[0], lanes[-1]
    if first == last:
        return str(first), ""
    if lanes == list(range(first, last + 1)):
        return str(first), f"\u2026{last}"
    return f"\u00d7{len(lanes)}", ""
