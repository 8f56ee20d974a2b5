"""The recorder: it hears what an operator allocates and launches.

ops/plans.py makes plans of what it hears. It stands below everything that tells it.
"""

import threading


class _Recorder(threading.local):
    active = None  # the Recording that listens in this thread, if one does


recorder = _Recorder()


class Recording:
    """What one call of an operator allocates and launches, in order.

    arrays: the memory of its operands; what it allocates is put behind. made: (the
    function that makes it, count, dtype) of each of those. launches: (args, places,
    told), where `places` says of each argument that is memory (its place in args, in
    arrays, its offset), and `told` is the rest of the launch. sound: was no other
    memory seen?
    """

    def __init__(self, arrays):
        self.arrays, self.made, self.launches = [*arrays], [], []
        self.constants, self.addresses, self.sound = [], {}, True

    def __enter__(self):
        recorder.active = self
        return self

    def __exit__(self, *error):
        recorder.active = None

    def allocated(self, array, *how):
        self.arrays.append(array)
        self.made.append(how)

    def constant(self, array):
        """An array that nobody ever writes to."""
        self.constants.append(array)

    def address(self, argument, array, offset):
        """This argument is where element number `offset` of an array lies."""
        self.addresses[id(argument)] = argument, array, offset

    def launched(self, args, *told):
        places = []
        for i, argument in enumerate(args):
            _, array, offset = self.addresses.get(id(argument), (None, None, 0))
            if array is not None and place_of(array, self.constants) is None:
                places.append((i, place_of(array, self.arrays), offset))
        self.sound = self.sound and all(place is not None for _, place, _ in places)
        self.launches.append(([*args], places, told))


def place_of(array, arrays):
    """Where this very array is in a list, or None."""
    for place, other in enumerate(arrays):
        if other is array:
            return place
    return None
