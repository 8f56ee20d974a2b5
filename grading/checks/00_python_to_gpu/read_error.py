"""read_error: what messages of libraries name: errors of CUDA's runtime and driver."""

import re

from grading.checking.pairwise import drawn
from grading.exercise import Check, call
from minigrad.kernels.driver import ERRORS, read_error
from minigrad.suggest import nearest

CAUSES = {
    2: "memory", 9: "launch", 35: "driver", 100: "device", 209: "build",
    222: "driver", 700: "kernel", 701: "launch", 716: "kernel", 719: "kernel",
}  # fmt: skip
PYTORCH = (
    "torch.AcceleratorError: CUDA error: {}\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so "
    "the stacktrace below might be incorrect.\n"
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1"
)
OTHERS = [
    "IndexError: index 5 is out of bounds for axis 0 with size 5",
    "MemoryError: Unable to allocate 8.00 GiB for an array with shape (1073741824,)",
    "ModuleNotFoundError: No module named 'cupy'",
    "AssertionError: Torch not compiled with CUDA enabled",
    "ValueError: none of the inputs is on a device, or None was given",
    "",
]
NUMBERED = (
    "CUDA error: {}", "CUDA error {}: failed", "error {}", "CUDA_ERROR_{}",
    "cudaError_t({})", "[{}]", "{}",
)  # fmt: skip
PLACES = (  # of what names an error
    "{}", "{} (step 12)", "step 12: {}", "first: {}: the second try", "<{}>", "[{}]",
    "'{}', it says.", "x_{}_y", "Last{}Error", "{}=9",
    'Traceback (most recent call last):\n  File "run.py", line 35\n{}',
    "Traceback:\n{}\n\nDuring handling of this, another one occurred:\nKeyError: 2",
)  # fmt: skip


def names_of(error):
    return [name for name in error[1:] if name]


def cut_short(error):
    """Texts that hold a part of a name, or the number, of an error: they name none."""
    for name in names_of(error):
        first = re.match(r"cudaError|CUDA_ERROR_|\w+\W", name).end()
        yield from (name[first:], name[:-1], name[:first] + "_" + name[first:])
    for said in NUMBERED:
        yield said.format(error.number)


def cases(random):
    of_driver = [error for error in ERRORS if error.driver]
    for error in ERRORS:
        yield "words", call(PYTORCH.format(error.words))
    for error in ERRORS:
        said = f"{error.runtime}: {error.words}"
        yield "words", call(f"cupy_backends.cuda.api.runtime.CUDARuntimeError: {said}")
    for error in random.sample(of_driver, 4):
        said = f"{error.runtime} ({error.driver}): {error.words}"
        yield "words", call(f"the launch failed with {said}")
    for error in ERRORS:
        yield "the runtime's name", call(f"the call returned {error.runtime}")
    for error in of_driver:
        said = f"Call to cuMemcpyDtoH_v2 results in {error.driver}"
        yield "the driver's name", call(f"CudaAPIError: [{error.number}] {said}")
    said = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB."
    yield "capitals or not", call(said)
    said = "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 4,096 bytes"
    yield "capitals or not", call(said)
    for error in random.sample(ERRORS, 4):
        yield "capitals or not", call(f"E0000 {error.words.upper()}")
        yield "capitals or not", call(f"failed: {error.runtime.lower()}")
        name = error.driver or error.words
        yield "capitals or not", call(f"failed: {name.lower()}")
    letters = str, str.upper, str.lower, str.swapcase, str.title
    for place, error, kind, write in drawn(
        random, place=PLACES, error=ERRORS, kind=range(-3, 0), letters=letters
    ):
        name = names_of(error)[kind:][0]
        yield "anywhere", call(place.format(write(name)))
    for error in ERRORS:
        for message in cut_short(error):
            yield "no error of CUDA's", call(message)
    for message in OTHERS:
        yield "no error of CUDA's", call(message)


def reference(message):
    for error in ERRORS:
        said = "|".join(map(re.escape, names_of(error)))
        if re.search(said, message, re.IGNORECASE):
            return error.number, CAUSES[error.number]
    return None


def diagnose(got, expected, case):
    causes = set(CAUSES.values())
    word = got[1] if isinstance(got, tuple) and len(got) == 2 else None
    if not isinstance(word, str) or word in causes:
        return None
    meant = "".join(f" Did you mean {k!r}?" for k in nearest(word.lower(), causes))
    return "no_cause", f"{word!r} is none of the six causes.{meant}"


check = Check(
    read_error,
    cases=cases,
    reference=reference,
    diagnose=diagnose,
    not_tested="messages that name two errors: the contract says one at most",
)
