"""Random numbers, as checks look at them: by their seeds, and for what they share."""

import numpy as np


def seeds_drawn(random):
    """Seeds of draws, one of them twice; None for one without."""
    first, second = (random.getrandbits(32) for _ in range(2))
    seeds = [[first, None], [second], [first]]
    random.shuffle(seeds)
    return [seed for part in seeds for seed in part]


def by_seed(drawn, seeds):
    """(the arrays that are each drawn anew, do the same seeds give the same again?)"""
    first, last, since, same = {}, None, 0, True
    for array, seed in zip(drawn, seeds, strict=True):
        last, since = (last, since + 1) if seed is None else (seed, 0)
        earlier = first.setdefault((last, since), array)
        same = same and np.array_equal(earlier, array, equal_nan=True)
    return [*first.values()], same


def looks_random(values):
    """Have numbers nothing to do with their neighbors, nor with those far away?"""
    flat = values.reshape(-1) - values.mean()
    n, width = flat.size, values.shape[-1]
    others = [*(np.roll(flat, k) for k in (1, width, n // 2)), flat[::-1]]
    near = 8 * flat.std() ** 2 / np.sqrt(n)
    return all(bool(abs((flat * other).mean()) <= near) for other in others)
