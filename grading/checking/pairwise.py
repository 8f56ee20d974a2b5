"""Cases in which every two values meet: for mistakes that need two things at once."""

import itertools


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
    keys = [*choices]
    missing = {
        frozenset([(a, i), (b, j)])
        for a, b in itertools.combinations(keys, 2)
        for i in range(len(choices[a]))
        for j in range(len(choices[b]))
    }

    def gain(row, value):
        return sum(frozenset([value, other]) in missing for other in row)

    in_order = sorted(map(tuple, map(sorted, missing)))
    while in_order:
        row = [*random.choice(in_order)]
        rest = [key for key in keys if key not in dict(row)]
        for key in random.sample(rest, len(rest)):
            values = [(key, i) for i in range(len(choices[key]))]
            random.shuffle(values)
            row.append(max(values, key=lambda value: gain(row, value)))  # noqa: B023
        missing -= {*map(frozenset, itertools.combinations(row, 2))}
        in_order = [pair for pair in in_order if frozenset(pair) in missing]
        at = dict(row)
        yield {key: choices[key][at[key]] for key in keys}
