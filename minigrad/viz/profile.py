"""What torch.profiler has seen, as a picture: who called whom, and for how long."""

from .draw.canvas import TINTS, Canvas

WIDTH, ROW = 9.6, 0.34
LEFT = 0.9  # of the first microsecond, in inches


def profile(prof, only="aten::", most=6):
    """The operators of a torch.profiler.profile as bars, a level of calls a row.

    only: how the names begin that are drawn on the host's side (kernels of a GPU are
    drawn all). most: levels at most.
    """
    events = [e for e in prof.events() if e.time_range.elapsed_us() > 0]
    gpu = [e for e in events if str(e.device_type).endswith("CUDA")]
    host = [e for e in events if e not in gpu and e.name.startswith(only)]
    if not host:
        raise ValueError(f"the profiler has seen nothing that begins with {only!r}")
    start = min(e.time_range.start for e in host)
    end = max(e.time_range.end for e in (*host, *gpu))
    rows = {id(e): depth(e, only) for e in host}
    levels = min(max(rows.values()) + 1, most)
    canvas = Canvas(WIDTH, 0.75 + ROW * (levels + bool(gpu)))
    inch = (WIDTH - LEFT - 0.2) / max(end - start, 1)
    for e in host:
        if rows[id(e)] < levels:
            bar(canvas, e, rows[id(e)], start, inch, TINTS[rows[id(e)] % len(TINTS)])
    canvas.write(0.08, 0.2 + ROW / 2, "host", 8, ha="left")
    for e in gpu:
        bar(canvas, e, levels, start, inch, "#F6C667")
    if gpu:
        canvas.write(0.08, 0.2 + ROW * (levels + 0.5), "GPU", 8, ha="left")
    y = 0.28 + ROW * (levels + bool(gpu))
    canvas.axis(LEFT, y, end - start, inch, "\u00b5s")
    names = ", ".join(e.name for e in host if not rows[id(e)])
    return canvas.picture(
        f"Calls as bars over {end - start:.0f} microseconds, callers above what they "
        f"call. Outermost, in order: {names}."
    )


def depth(event, only):
    """How many operators of these stand above this one."""
    above = event.cpu_parent
    inside = above is not None and above.name.startswith(only)
    return (depth(above, only) if above is not None else 0) + inside


def bar(canvas, event, row, start, inch, color):
    from matplotlib.patches import Rectangle

    x = LEFT + (event.time_range.start - start) * inch
    width = max(event.time_range.elapsed_us() * inch, 0.015)
    y = 0.2 + row * ROW
    look = {"fc": color, "ec": "#595959", "lw": 0.7, "zorder": 3}
    canvas.axes.add_patch(Rectangle((x, y), width, ROW - 0.05, **look))
    name = event.name.removeprefix("aten::")
    if width > 0.085 * len(name):
        canvas.write(x + 0.05, y + ROW / 2 - 0.03, name, 8, ha="left")
