"""Copies between host and device, as a list of what happened. Written in lab 00."""

from ..exercises.registry import exercise


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
    already hold the same values. That's the case if the array has been copied before,
    in either direction, and nothing on either side has changed it since. Reading
    doesn't change an array.

    needless_copies([("to device", "x"), ("kernel", ("x",), ("y",)), ("to host", "x"),
                     ("to host", "y")]) -> [2]
    """
