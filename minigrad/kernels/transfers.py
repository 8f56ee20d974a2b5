"""Copies between host and device, as a list of what happened. Written in lab 00."""

from ..exercises.registry import exercise


@exercise(points=2, stars=1, minutes=10, level="good to know")
def costliest_copy(copies, links):
    """Return the name of the array whose copies take the most time in total.

    copies: a list of (name, link, nbytes), one per copy that was made. An array may be
        copied many times.
    links: {link: (latency, rate)}. A copy takes latency + nbytes / rate microseconds,
        with the latency in microseconds and the rate in bytes per microsecond.

    If several arrays take the same time, return the one whose first copy comes first.
    (Every copy of such arrays takes a whole number of microseconds, and no total
    reaches 2 ** 53, so rounding can't hide a tie.) A copy may take no time, with
    latency 0 and nbytes 0. If nothing was copied, return None.

    links = {"to device": (10, 20000), "to host": (10, 10000)}
    costliest_copy([("x", "to device", 400000), ("y", "to host", 400000)], links) -> "y"
    """


@exercise(points=3, stars=2, minutes=20, level="good to know")
def needless_copies(events):
    """Return the numbers of the copies that aren't needed, a list in increasing order.

    events: what a program did, a list of tuples, counted from 0:
        ("host", reads, writes): the CPU reads the arrays in reads and changes those in
            writes
        ("kernel", reads, writes): a kernel does so on the device
        ("to device", name): the array is copied from the host to the device
        ("to host", name): the array is copied from the device to the host
    reads, writes: tuples of names, which have one letter or more. A name may be in
        both.

    At first, every array is only on the host. A copy isn't needed if both sides
    already hold the same values. That's so if nothing has changed the array, on either
    side, since it was last copied, in either direction. Reading doesn't change an
    array.

    needless_copies([("to device", "x"), ("kernel", ("x",), ("y",)), ("to host", "x"),
                     ("to host", "y")]) -> [2]
    """
