"""Which chapter builds on which, and how far one is, as a picture."""

from minigrad.viz.draw.diagram import Arrow, Box, diagram

WIDE, HIGH, ACROSS, DOWN, MARGIN = 2.74, 0.7, 2.86, 1.02, 0.05  # inches


def overview(chapters, tallies, last):
    """A Picture of boxes; an arrow leads from a chapter to what is built on it.

    tallies: the progress in each chapter. last: where to go on, or None.
    """
    places = placed(chapters)
    boxes = [box(c, places[c.number], tallies[c], c == last) for c in chapters]
    arrows = [
        arrow(places[need], places[c.number])
        for c in chapters
        for need in direct(c, chapters)
    ]
    rows = 1 + max(row for _, row in places.values())
    size = 2 * MARGIN + 2 * ACROSS + WIDE, 2 * MARGIN + DOWN * (rows - 1) + HIGH
    said = [words(c, tallies[c], c == last) for c in chapters]
    return diagram(size, boxes, arrows, " ".join(said))


def placed(chapters):
    """{number: (column, row)}: each chapter below those that it builds on."""
    rows, rank = {}, {}
    for chapter in chapters:
        above = [rank[n] for n in direct(chapter, chapters)]
        rank[chapter.number] = 1 + max(above, default=-1)
        rows.setdefault(rank[chapter.number], []).append(chapter)
    places = {}
    for row, members in sorted(rows.items()):

        def middle(chapter):
            above = [places[n][0] for n in direct(chapter, chapters)]
            return sum(above) / max(len(above), 1)

        first = (3 - len(members)) / 2
        for k, chapter in enumerate(sorted(members, key=middle)):
            places[chapter.number] = first + k, row
    return places


def direct(chapter, chapters):
    """What a chapter builds on, without what these build on themselves."""
    there = {c.number: c for c in chapters}
    needs = [n for n in chapter.needs if n in there]
    below = {m for n in needs for m in everything(there[n], there)}
    return [n for n in needs if n not in below]


def everything(chapter, there):
    """All that a chapter builds on, however far down."""
    for number in chapter.needs:
        if number in there:
            yield number
            yield from everything(there[number], there)


def corner(place):
    return MARGIN + ACROSS * place[0], MARGIN + DOWN * place[1]


def box(chapter, place, have, here):
    kind = "marked" if here else "read" if is_done(have) else "unused"
    lines = chapter.title, state(have, here)
    return Box(*corner(place), WIDE, HIGH, f"{chapter.number:02}", lines, kind)


def arrow(above, below):
    (x0, y0), (x1, y1) = corner(above), corner(below)
    lean = 0.25 * WIDE * ((x1 > x0) - (x1 < x0))
    middle = WIDE / 2
    return Arrow((x0 + middle + lean, y0 + HIGH), (x1 + middle - lean, y1))


def is_done(have):
    return have.solved == have.count


def state(have, here):
    done = "all solved" if is_done(have) else f"{have.solved} of {have.count} solved"
    return f"{done}: continue here" if here else done


def words(chapter, have, here):
    needs = ", ".join(f"{n:02}" for n in chapter.needs)
    return (
        f"{chapter.number:02}, {chapter.title}, builds on {needs or 'no other'}: "
        f"{state(have, here)}."
    )
