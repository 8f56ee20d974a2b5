"""What the messages of libraries speak of: errors of CUDA's runtime and driver."""

import re

from grading.exercise import Check, checks, mistake, mistakes, right
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
    for said in "error {}", "CUDA_ERROR_{}", "cudaError_t({})", "[{}]", "{}":
        yield said.format(error.number)


@checks(read_error)
class ReadError(Check):
    """Leaves out messages that name two errors: the contract says one at most."""

    def cases(self, random):
        for error in ERRORS:
            yield "words", PYTORCH.format(error.words)
        for error in ERRORS:
            said = f"{error.runtime}: {error.words}"
            yield "words", f"cupy_backends.cuda.api.runtime.CUDARuntimeError: {said}"
        for error in random.sample([e for e in ERRORS if e.driver], 4):
            said = f"{error.runtime} ({error.driver}): {error.words}"
            yield "words", f"the launch failed with {said}"
        for error in ERRORS:
            yield "the runtime's name", f"the call returned {error.runtime}"
        for error in ERRORS:
            if error.driver:
                said = f"Call to cuMemcpyDtoH_v2 results in {error.driver}"
                yield "the driver's name", f"CudaAPIError: [{error.number}] {said}"
        said = (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB."
        )
        yield "capitals or not", said
        said = "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 4,096 bytes"
        yield "capitals or not", said
        for error in random.sample(ERRORS, 4):
            yield "capitals or not", f"E0000 {error.words.upper()}"
            yield "capitals or not", f"failed: {error.runtime.lower()}"
            yield "capitals or not", f"failed: {(error.driver or error.words).lower()}"
        for place in PLACES:
            for kind in range(3):
                names = [n for e in ERRORS for n in names_of(e)[kind - 3 :][:1]]
                yield "anywhere", place.format(random.choice(names))
        for error in ERRORS:
            for message in cut_short(error):
                yield "no error of CUDA's", message
        for message in OTHERS:
            yield "no error of CUDA's", message

    def expected(self, message):
        for error in ERRORS:
            said = filter(None, [error.runtime, error.driver, error.words])
            if re.search("|".join(map(re.escape, said)), message, re.IGNORECASE):
                return error.number, CAUSES[error.number]
        return None

    def general(self, case):
        causes, got = set(CAUSES.values()), case.got
        word = got[1] if isinstance(got, tuple) and len(got) == 2 else None
        if not isinstance(word, str) or word in causes:
            return super().general(case)
        meant = "".join(f" Did you mean {k!r}?" for k in nearest(word.lower(), causes))
        return "no_cause", f"{word!r} is none of the six causes.{meant}"


mistakes(read_error)("""
case_of_message: capitals make no difference: bring the message to small letters as well
> message = message.lower() -> message = message
case_of_signs: the message is in small letters: so must be what you look for
> sign.lower() in -> sign in
words_only: a message may hold one of the two names and no words
> signs = error.runtime, error.driver, error.words -> signs = (error.words,)
no_driver: the driver's name, error.driver, is looked for as well
> error.driver, error.words -> error.words
no_runtime: the runtime's name, error.runtime, is looked for as well
> error.runtime, error.driver, -> error.driver,
whole: the words stand anywhere in a longer message: ask with `in`
> sign.lower() in message -> sign.lower() == message
all_signs: one of the three texts is enough
> if any(sign and -> if all(sign and
only_cause: a pair is wanted, (number, cause)
> return error.number, causes -> return causes
launch_as_kernel: 701 is refused before the kernel runs: its launch asks for too much
> 701: "launch" -> 701: "kernel"
failure_as_launch: 719 happens while the kernel runs, whatever its name says
> 719: "kernel" -> 719: "launch"
image_as_driver: 209: the driver is new enough, but the program has no code for this GPU
> 209: "build" -> 209: "driver"
ptx_as_build: 222: the program's PTX is newer than the driver, which is to be renewed
> 222: "driver" -> 222: "build"
device_as_driver: 100: the driver is there, but sees no GPU
> 100: "device" -> 100: "driver"
first_line: a message may have several lines: look at all of them
> message = message.lower() -> message = (message.lower().splitlines() or [""])[0]
after_colon: the names stand anywhere, also before a colon
> message = message.lower() -> message = message.lower().split(":")[-1]
between_spaces: a name may stand inside a longer word, or beside a bracket: ask with
    `in` of the text, not of its words
> sign.lower() in message -> f" {sign.lower()} " in f" {message} "
short_name: CUDA_ERROR_ and cudaError belong to the names: OUT_OF_MEMORY may be of
    another library
> sign.lower() in message -> sign.lower().removeprefix("cuda_error_") in message
> sign.lower() in message -> sign.lower().removeprefix("cudaerror") in message
none_is_a_name: str(None) is "None", and no name: skip what an error does not have
> if any(sign and sign.lower() -> if any(str(sign).lower()
else_unknown: a message that speaks of no error of CUDA's: return None
> return None -> return 0, "unknown"
by_number: a number in the message may be another one: look for words and names
no_cause:
> "device" -> "Device"
> "build" -> "biuld"
equivalent: a message speaks of one error at most: in which order they are tried is no
    matter
> order: [*(ERRORS)][::-1]
""")


@mistake(read_error)
def by_number(message):
    for error in ERRORS:
        if str(error.number) in message or error.words in message:
            return error.number, CAUSES[error.number]


@right(read_error, "by regular expressions")
def _(message):
    for number, runtime, driver, words in ERRORS:
        if re.search(f"{runtime}|{driver or words}|{words}", message, re.I):
            return number, CAUSES[number]


@right(read_error, "by a table of all texts")
def _(message):
    causes = {"driver": (35, 222), "device": (100,), "build": (209,), "memory": (2,),
              "launch": (9, 701), "kernel": (700, 716, 719)}  # fmt: skip
    table = {}
    for cause, numbers in causes.items():
        for number, *texts in (error for error in ERRORS if error.number in numbers):
            table |= {text.upper(): (number, cause) for text in texts if text}
    found = [answer for text, answer in table.items() if text in message.upper()]
    return found[0] if found else None


@right(read_error, "by splitting, and a match")
def _(message):
    def cut(error):
        texts = (text.lower() for text in error[1:] if text is not None)
        return any(len(message.lower().split(text)) > 1 for text in texts)

    for error in filter(cut, ERRORS):
        match error.number:
            case 35 | 222 as number:
                return number, "driver"
            case 9 | 701 as number:
                return number, "launch"
            case number:
                others = {100: "device", 209: "build", 2: "memory"}
                return number, others.get(number, "kernel")
