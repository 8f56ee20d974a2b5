"""Answers of wheel_for by other algorithms."""

from minigrad.kernels.driver import wheel_for
from tools.audit.specimens import answer


def code_for(gpu, driver, cuda, cubins, ptx):
    if [c for c in cubins if c[0] == gpu[0] and c[1] <= gpu[1]]:
        return True
    return bool(ptx) and ptx <= gpu and cuda <= driver


@answer(wheel_for, right="from the newest down")
def _(driver, capability, wheels):
    for name in sorted(wheels, key=lambda name: wheels[name][0], reverse=True):
        cuda, cubins, ptx = wheels[name]
        if cuda[0] <= driver[0] and code_for(capability, driver, cuda, cubins, ptx):
            return name


@answer(wheel_for, right="the newest is taken away until one runs")
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


@answer(wheel_for, right="with versions as whole numbers")
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
