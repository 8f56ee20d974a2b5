"""Copies between host and device, as a list of what happened. Written in lab 00."""

from ..exercises.registry import exercise


@exercise(points=2, stars=1, minutes=10, level="good to know")
def costliest_copy(copies, links):
    """The name of the array whose copies take longest, all of them together.

    copies: a list of (name, link, nbytes), one for each copy that was made; an array
    may be copied many times. links: {link: (latency, rate)}; one copy takes latency +
    nbytes / rate microseconds: latency in microseconds, rate in bytes a microsecond.
    Of arrays that take equally long, the one that was copied first; each copy of these
    takes a whole number of microseconds. A copy may take no time at all: latency 0,
    nbytes 0. None where nothing was copied.

    links = {"to device": (10, 20000), "to host": (10, 10000)}
    costliest_copy([("x", "to device", 400000), ("y", "to host", 400000)], links) -> "y"
    """


@exercise(points=3, stars=2, minutes=20, level="good to know")
def needless_copies(events):
    """The numbers of the copies that could be left out, as a list, in order.

    events: what a program did, a list of tuples, counted from 0:
        ("host", reads, writes): the CPU reads some arrays and changes others
        ("kernel", reads, writes): a kernel does so on the device
        ("to device", name): the array is copied from the host to the device
        ("to host", name): the array is copied from the device to the host
    reads, writes: tuples of names, of one letter or more; a name may be in both. At
    first every array is on the host alone.

    A copy is needless where both places hold the same already: after the last copy of
    this array, either way, nothing has changed it, neither here nor there. Reading does
    not change an array.

    needless_copies([("to device", "x"), ("kernel", ("x",), ("y",)), ("to host", "x"),
                     ("to host", "y")]) -> [2]
    """
