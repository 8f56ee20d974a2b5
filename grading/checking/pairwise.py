"""Cases in which every two values meet: for mistakes that need two things at once."""


def drawn(random, **choices):
    """The same as tuples: values of the choices, in their order."""
    return [tuple(case.values()) for case in pairwise(random, **choices)]


def pairwise(random, **choices):
    """Yield dicts with one value of each choice, until every two values have met.

    pairwise(random, size=(0, 1, 5), stride=(0, 1), offset=(0, 7)) gives about six
    dicts, and in one of them size is 0 while stride is 0. There are far fewer than all
    combinations, and mistakes that show only where two unusual things come together
    meet their pair.
    """
    values = {key: [(key, i) for i in range(len(choices[key]))] for key in choices}
    missing = {
        value: {(b, j) for b in choices if b != key for _, j in values[b]}
        for key in choices
        for value in values[key]
    }
    while left := [value for value, others in missing.items() if others]:
        first = random.choice(left)
        row = [first, random.choice(sorted(missing[first]))]
        rest = [key for key in choices if key not in dict(row)]
        for key in random.sample(rest, len(rest)):
            random.shuffle(values[key])
            gain = lambda value: len(missing[value].intersection(row))  # noqa: B023, E731
            row.append(max(values[key], key=gain))
        for value in row:
            missing[value].difference_update(row)
        at = dict(row)
        yield {key: choices[key][at[key]] for key in choices}
