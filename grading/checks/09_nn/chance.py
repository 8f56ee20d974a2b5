"""Random numbers, as checks look at them: by their seeds, and for what they share."""

import numpy as np


def seeds_drawn(random):
    """Seeds of draws, one of them twice; None for one without."""
    first, second = (random.getrandbits(32) for _ in range(2))
    seeds = [[first, None], [second], [first]]
    random.shuffle(seeds)
    return [seed for part in seeds for seed in part]


def by_state(drawn, seeds):
    """What was drawn, by the state that its seed, and draws since, have left."""
    states, last, since = {}, None, 0
    for array, seed in zip(drawn, seeds, strict=True):
        last, since = (last, since + 1) if seed is None else (seed, 0)
        states.setdefault((last, since), []).append(array)
    return [*states.values()]


def repeats(drawn, seeds):
    """Does each seed give the same numbers again?"""
    few = by_state(drawn, seeds)
    return all(np.array_equal(some[0], array) for some in few for array in some)


def looks_random(values):
    """Have numbers nothing to do with their neighbors, nor with those far away?"""
    flat = values.reshape(-1) - values.mean()
    n, width = flat.size, values.shape[-1]
    others = [*(np.roll(flat, k) for k in (1, width, n // 2)), flat[::-1]]
    near = 8 * flat.std() ** 2 / np.sqrt(n)
    return all(abs((flat * other).mean()) <= near for other in others)
