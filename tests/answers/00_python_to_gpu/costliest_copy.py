"""Answers of costliest_copy by other algorithms."""

from collections import Counter
from fractions import Fraction

from minigrad.kernels.transfers import costliest_copy
from tools.audit.specimens import answer


@answer(costliest_copy, right="name by name")
def _(copies, links):
    def time(name):
        mine = [(link, nbytes) for other, link, nbytes in copies if other == name]
        return sum(links[link][0] + nbytes / links[link][1] for link, nbytes in mine)

    names = dict.fromkeys(name for name, *_ in copies)
    return max(names, key=time, default=None)


@answer(costliest_copy, right="two lists, and a loop for the largest")
def _(copies, links):
    names, times = [], []
    for name, link, nbytes in copies:
        if name not in names:
            names.append(name)
            times.append(0)
        times[names.index(name)] += links[link][0] + nbytes / links[link][1]
    best = 0
    for k in range(len(names)):
        if times[k] > times[best]:
            best = k
    return names[best] if names else None


@answer(costliest_copy, right="a Counter of exact fractions")
def _(copies, links):
    spent = Counter()
    for name, link, nbytes in copies:
        latency, rate = map(Fraction, links[link])
        spent[name] += latency + nbytes / rate
    return spent.most_common(1)[0][0] if copies else None
