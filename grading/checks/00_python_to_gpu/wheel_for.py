"""wheel_for: which build of a library runs with a driver and on a GPU."""

from grading.checking.pairwise import drawn as pairs
from grading.exercise import Check, call
from minigrad.kernels.driver import wheel_for

OLD, MID, NEW = [(5, 0), (6, 0), (7, 0)], [(7, 5), (8, 0)], [(8, 0), (9, 0), (10, 0)]
WHEELS = {
    "cu118": ((11, 8), OLD + MID, None),
    "cu126": ((12, 6), OLD + MID + [(9, 0)], (9, 0)),
    "cu129": ((12, 9), MID + NEW, (10, 0)),
    "cu130": ((13, 0), MID + NEW, (12, 0)),
}
DRIVERS = (11, 4), (11, 8), (12, 0), (12, 6), (12, 8), (12, 9), (13, 0), (13, 3)
GPUS = (6, 1), (7, 0), (7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)
AMPERE = [(8, 0)]


def drawn(random):
    """Some wheels of one or two majors; minors have up to two digits."""

    def version(*majors):
        return random.choice(majors), random.choice([0, 1, 2, 9, 10, 11, 25])

    cudas = {version(12, 13) for _ in range(3)}
    wheels = {
        f"cu{n}": (cuda, [version(8, 9) for _ in range(random.randint(0, 2))],
                   random.choice([None, version(7, 8, 9)]))
        for n, cuda in enumerate(random.sample(sorted(cudas), len(cudas)))
    }  # fmt: skip
    return version(12, 13), version(8, 9), wheels


def beside(version, step):
    return version[0] + step[0], version[1] + step[1]


def cases(random):
    two = {"a": ((12, 6), AMPERE, None), "b": ((13, 0), AMPERE, None)}
    for driver in [(12, 8), (13, 0), (12, 0), (13, 9), (11, 8)]:
        yield "the driver", call(driver, (8, 0), two)
    yield "the driver", call((13, 0), (8, 0), dict(reversed(two.items())))
    ten = {"a": ((12, 9), AMPERE, None), "b": ((12, 10), AMPERE, None)}
    yield "the newest", call((12, 10), (8, 0), ten)
    names = {"z": ((12, 1), AMPERE, None), "a": ((12, 4), AMPERE, None)}
    yield "the newest", call((12, 8), (8, 0), names)
    yield "the newest", call((12, 8), (8, 0), dict(reversed(names.items())))
    for gpu in [(8, 0), (8, 6), (7, 5), (9, 0), (7, 0)]:
        yield "cubins", call((13, 0), gpu, {"a": ((13, 0), [(7, 5), (8, 6)], None)})
    more = {"a": ((12, 6), [(6, 0), (7, 0)], None), "b": ((13, 0), [(7, 5)], None)}
    for gpu in [(6, 1), (7, 0), (7, 2), (7, 5), (8, 0)]:
        yield "cubins", call((13, 0), gpu, more)
    for gpu in [(9, 0), (10, 0), (8, 9), (12, 0)]:
        yield "PTX", call((13, 0), gpu, {"a": ((12, 8), AMPERE, (9, 0))})
    for gpu in [(9, 0), (12, 1), (8, 10), (8, 5)]:
        yield "PTX", call((13, 0), gpu, {"a": ((12, 8), [], (8, 6))})
    for ptx in [(8, 6), (8, 7)]:
        yield "PTX", call((13, 0), (8, 6), {"a": ((13, 0), [], ptx)})
    late = {"a": ((12, 8), AMPERE, (8, 0)), "b": ((12, 1), [], (7, 0))}
    for driver in [(12, 6), (12, 8), (12, 9), (13, 0)]:
        yield "PTX and the driver", call(driver, (9, 0), late)
    one = {"a": ((12, 8), AMPERE, (8, 0))}
    yield "PTX and the driver", call((12, 4), (8, 6), one)
    yield "no wheels", call((12, 8), (8, 0), {})
    late = {"a": ((12, 11), [], (8, 0))}
    yield "versions of any digits", call((13, 0), (8, 0), late)
    two = {"a": ((12, 11), AMPERE, None), "b": ((13, 0), AMPERE, None)}
    yield "versions of any digits", call((13, 0), (8, 0), two)
    for _ in range(30):
        yield "versions of any digits", call(*drawn(random))
    near = (-1, 0), (0, -1), (0, 0), (0, 1), (1, -1)  # major, minor
    for cuda, cubins, ptx in pairs(
        random,
        cuda=near,
        cubins=[[], *([n] for n in near), [near[4], near[3]], [near[4], near[1]]],
        ptx=[None, *near],
    ):
        both = beside((12, 9), cuda), [beside((8, 6), c) for c in cubins]
        wheels = {
            "a": (*both, ptx and beside((8, 6), ptx)),
            "b": ((11, 0), AMPERE, None),
        }
        yield "versions of any digits", call((12, 9), (8, 6), wheels)
    for _ in range(12):
        real = random.choice(DRIVERS), random.choice(GPUS), WHEELS
        yield "real ones", call(*real)


def reference(driver, capability, wheels):
    best = None
    for name, (cuda, cubins, ptx) in wheels.items():
        ready = any(c[0] == capability[0] and c <= capability for c in cubins)
        later = ptx is not None and ptx <= capability and cuda <= driver
        if cuda[0] <= driver[0] and (ready or later):
            best = name if best is None or cuda > wheels[best][0] else best
    return best


check = Check(
    wheel_for,
    cases=cases,
    reference=reference,
    not_tested="wheels of equal CUDA: the contract says that no two are",
)
