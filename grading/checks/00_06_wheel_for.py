"""Which build of a library runs with a driver and on a GPU, by NVIDIA's rules."""

from grading.exercise import Check, checks, mistake, mistakes, right
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


def wheel(cuda, cubins=(), ptx=None):
    return cuda, list(cubins), ptx


@checks(wheel_for)
class WheelFor(Check):
    """Leaves out wheels of equal CUDA: the contract says that no two are."""

    def cases(self, random):
        cubin = [(8, 0)]
        two = {"a": wheel((12, 6), cubin), "b": wheel((13, 0), cubin)}
        for driver in [(12, 8), (13, 0), (12, 0), (13, 9), (11, 8)]:
            yield "the driver", driver, (8, 0), two
        yield "the driver", (13, 0), (8, 0), dict(reversed(two.items()))
        ten = {"a": wheel((12, 9), cubin), "b": wheel((12, 10), cubin)}
        yield "the newest", (12, 10), (8, 0), ten
        names = {"z": wheel((12, 1), cubin), "a": wheel((12, 4), cubin)}
        yield "the newest", (12, 8), (8, 0), names
        yield "the newest", (12, 8), (8, 0), dict(reversed(names.items()))
        for gpu in [(8, 0), (8, 6), (7, 5), (9, 0), (7, 0)]:
            yield "cubins", (13, 0), gpu, {"a": wheel((13, 0), [(7, 5), (8, 6)])}
        more = {"a": wheel((12, 6), [(6, 0), (7, 0)]), "b": wheel((13, 0), [(7, 5)])}
        for gpu in [(6, 1), (7, 0), (7, 2), (7, 5), (8, 0)]:
            yield "cubins", (13, 0), gpu, more
        for gpu in [(9, 0), (10, 0), (8, 9), (12, 0)]:
            yield "PTX", (13, 0), gpu, {"a": wheel((12, 8), [(8, 0)], (9, 0))}
        for gpu in [(9, 0), (12, 1), (8, 10), (8, 5)]:
            yield "PTX", (13, 0), gpu, {"a": wheel((12, 8), [], (8, 6))}
        yield "PTX", (13, 0), (8, 6), {"a": wheel((13, 0), [], (8, 6))}
        yield "PTX", (13, 0), (8, 6), {"a": wheel((13, 0), [], (8, 7))}
        for driver in [(12, 6), (12, 8), (12, 9), (13, 0)]:
            late = {
                "a": wheel((12, 8), [(8, 0)], (8, 0)),
                "b": wheel((12, 1), [], (7, 0)),
            }
            yield "PTX and the driver", driver, (9, 0), late
        one = {"a": wheel((12, 8), cubin, (8, 0))}
        yield "PTX and the driver", (12, 4), (8, 6), one
        yield "no wheels", (12, 8), (8, 0), {}
        for _ in range(30):
            yield "versions of any digits", *self.drawn(random)
        for _ in range(12):
            yield "real ones", random.choice(DRIVERS), random.choice(GPUS), WHEELS

    def drawn(self, random):
        """Some wheels of one or two majors; minors have up to two digits."""

        def version(*majors):
            return random.choice(majors), random.choice([0, 1, 2, 9, 10, 11, 25])

        cudas = {version(12, 13) for _ in range(3)}
        wheels = {
            f"cu{n}": wheel(cuda, [version(8, 9) for _ in range(random.randint(0, 2))],
                            random.choice([None, version(7, 8, 9)]))
            for n, cuda in enumerate(random.sample(sorted(cudas), len(cudas)))
        }  # fmt: skip
        return version(12, 13), version(8, 9), wheels

    def expected(self, driver, capability, wheels):
        best = None
        for name, (cuda, cubins, ptx) in wheels.items():
            ready = any(c[0] == capability[0] and c <= capability for c in cubins)
            later = ptx is not None and ptx <= capability and cuda <= driver
            if cuda[0] <= driver[0] and (ready or later):
                best = name if best is None or cuda > wheels[best][0] else best
        return best


mistakes(wheel_for)("""
same_major: a driver runs programs of older major numbers as well
> cuda[0] <= driver[0] -> cuda[0] == driver[0]
any_driver: the major number of the wheel's CUDA must not be above the driver's
> cuda[0] <= driver[0] and ->
full_version: of cubins, the wheel's minor number may be above the driver's: only the
    major ones are compared
> cuda[0] <= driver[0] -> cuda <= driver
ptx_major: the driver compiles PTX of no newer CUDA than its own, major and minor: cuda
    <= driver
> and cuda <= driver -> and cuda[0] <= driver[0]
>  and cuda <= driver ->
older_cubins: a cubin runs on GPUs of its own major number only
> any(a == capability[0] and b <= capability[1] for a, b in cubins) -> any((a, b) <=
    capability for a, b in cubins)
equal_cubins: a cubin runs on GPUs of a higher minor number, too
> any(a == capability[0] and b <= capability[1] for a, b in cubins) -> capability in
    cubins
any_minor: a cubin does not run on a GPU with a lower minor number
>  and b <= capability[1] ->
no_ptx: PTX is code for the GPU, too
> (cubin or compiled) -> cubin
no_cubins: a cubin is enough: it takes no PTX then
> (cubin or compiled) -> compiled
both: either is enough, cubin or PTX
> (cubin or compiled) -> (cubin and compiled)
ptx_same: PTX for an older GPU is compiled for a newer one as well
> ptx <= capability -> ptx == capability
ptx_newer: PTX for a newer GPU cannot be used on an older one
> ptx <= capability and ->
ptx_by_parts: (8, 6) is older than (9, 0), whatever the minor numbers are: compare the
    pairs, not part by part
> ptx <= capability -> ptx[0] <= capability[0] and ptx[1] <= capability[1]
cuda_by_parts: (12, 8) is older than (13, 0), whatever the minor numbers are: compare
    the pairs, not part by part
> and cuda <= driver -> and cuda[1] <= driver[1]
as_number: 10 * major + minor takes (12, 11) for newer than (13, 0): compare the pairs
> and cuda <= driver -> and 10 * cuda[0] + cuda[1] <= 10 * driver[0] + driver[1]
> wheels[name][0], default -> 10 * wheels[name][0][0] + wheels[name][0][1], default
ptx_same_major: PTX is not bound to a major number: an older one is enough
> ptx <= capability -> ptx[0] == capability[0]
first: the first that runs is not always the newest
> return max(fitting, key=lambda name: wheels[name][0], default=None) -> return
    fitting[0] if fitting else None
by_name: the newest is the one with the highest CUDA, whatever the names are
> max(fitting, key=lambda name: wheels[name][0], default -> max(fitting, default
as_text: 12.10 is newer than 12.9: compare numbers, not texts
> wheels[name][0], default -> str(wheels[name][0]), default
newest_first: the newest wheel may not run where an older one does: choose among those
    that run
equivalent: no two wheels have the same CUDA: in which order they are tried is no matter
> order: [*(wheels.items())][::-1]
""")


@mistake(wheel_for)
def newest_first(driver, capability, wheels):
    known = [name for name in wheels if wheels[name][0][0] <= driver[0]]
    if not known:
        return None
    name = max(known, key=lambda name: wheels[name][0])
    cuda, cubins, ptx = wheels[name]
    ready = any(c[0] == capability[0] and c <= capability for c in cubins)
    later = ptx is not None and ptx <= capability and cuda <= driver
    return name if ready or later else None


def code_for(gpu, driver, cuda, cubins, ptx):
    if [c for c in cubins if c[0] == gpu[0] and c[1] <= gpu[1]]:
        return True
    return bool(ptx) and ptx <= gpu and cuda <= driver


@right(wheel_for, "from the newest down")
def _(driver, capability, wheels):
    for name in sorted(wheels, key=lambda name: wheels[name][0], reverse=True):
        cuda, cubins, ptx = wheels[name]
        if cuda[0] <= driver[0] and code_for(capability, driver, cuda, cubins, ptx):
            return name


@right(wheel_for, "the newest is taken away until one runs")
def _(driver, capability, wheels):
    left = dict(wheels)
    while left:
        name = max(left, key=left.get)  # of pairs of tuples the first decides
        cuda, cubins, ptx = left.pop(name)
        codes = [c for c in cubins if (c[0], 0) <= c <= capability < (c[0] + 1, 0)]
        codes += [ptx] if ptx and cuda <= driver and ptx <= capability else []
        if codes and cuda[0] <= driver[0]:
            return name
    return None


@right(wheel_for, "with versions as whole numbers")
def _(driver, capability, wheels):
    def number(version):
        return 1000 * version[0] + version[1]

    gpu, best, newest = number(capability), None, -1
    for name, (cuda, cubins, ptx) in wheels.items():
        runs = ptx is not None and number(ptx) <= gpu and number(cuda) <= number(driver)
        for cubin in cubins:
            runs = runs or 0 <= gpu - number(cubin) <= capability[1]
        if runs and cuda[0] <= driver[0] and number(cuda) > newest:
            best, newest = name, number(cuda)
    return best
