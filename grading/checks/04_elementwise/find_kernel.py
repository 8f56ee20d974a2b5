"""find_kernel: the kernel for an operator, device and dtype; here kernels are names."""

from grading.checking.pairwise import drawn
from grading.checking.typed import typed
from grading.drivers import sizes
from grading.exercise import Check, Problem, call, same
from minigrad.dispatch import find_kernel, missing

OPERATORS, DEVICES = ("add", "mul", "relu"), ("cpu", "sim", "cuda")
TYPES = ("float32", "int64", "float16")


def filled(*keys):
    """A registry; each kernel's name says what it is for."""
    return {key: "_".join(str(part or "any") for part in key) for key in keys}


def every(operators=OPERATORS, devices=DEVICES, types=TYPES):
    return filled(*[(o, d, t) for o in operators for d in devices for t in types])


def cases(random):
    full = every(random.sample(OPERATORS, 2), random.sample(DEVICES, 2), TYPES[:2])
    for key in random.sample(list(full), 6):
        yield "the kernel of all three", call(full, *key)
    some = filled(("add", "cpu", None), ("add", "sim", "float32"))
    yield "a kernel for every dtype", call(some, "add", "cpu", "int64")
    some = filled(("mul", "sim", None))
    yield "a kernel for every dtype", call(some, "mul", "sim", "int8")
    both = filled(("add", "cpu", None), ("add", "cpu", "float16"))
    yield "the dtype's own goes first", call(both, "add", "cpu", "float16")
    other = dict(reversed(both.items()))
    yield "the dtype's own goes first", call(other, "add", "cpu", "float16")
    yield "the dtype's own goes first", call(both, "add", "cpu", "float32")
    for device in ("sim", "cuda"):
        cpu = every(devices=("cpu",)) | filled(("add", "cpu", None))
        yield "never another device's", call(cpu, "add", device, "float32")
    any_device = filled(("relu", "cuda", None), ("add", "sim", None))
    yield "never another device's", call(any_device, "relu", "sim", "float32")
    singles = every(OPERATORS[:2], types=("float32",))
    yield "what is missing", call(singles, "mul", "sim", "float16")
    adds = every(operators=("add",), types=TYPES[:2])
    yield "what is missing", call(adds, "mul", "cpu", "float32")
    yield "what is missing", call({}, "add", "cpu", "float32")
    keys = [("add", "cpu", "int8"), ("add", "cpu", None), ("add", "cpu", "int16"),
            ("add", "sim", "int8"), ("add", "sim", None), ("mul", "cpu", "int8"),
            ("mul", "cpu", None), ("relu", "cuda", "float32")]  # fmt: skip
    for there in drawn(random, **{str(n): (False, True) for n in range(len(keys))}):
        some = [key for key, is_there in zip(keys, there, strict=True) if is_there]
        random.shuffle(some)
        part = (
            "the dtype's own goes first" if there[0] or there[1] else "what is missing"
        )
        yield part, call(filled(*some), *keys[0])
        later = {key: "later" for key in some[:2]}
        yield "a registry that grows", call(filled(*some), *keys[0], later=later)
    key = "add", "cpu", "int8"
    for before in {}, filled(("add", "cpu", None)):
        yield "a registry that grows", call(before, *key, later=filled(key))


def reference(registry, operator, device, dtype, later=None):
    registry = registry | (later or {})
    fits = {t: kernel for (*of, t), kernel in registry.items()
            if of == [operator, device]}  # fmt: skip
    if kernel := fits.get(dtype, fits.get(None)):
        return {"returns": kernel}
    return {"raises": missing(registry, operator, device, dtype)}


def compare(got, expected, case):
    """The message may be another, if it names what is wanted and what there is."""
    said = got.get("raises") if isinstance(got, dict) else None
    if "returns" in expected or not isinstance(said, str):
        return same(got, expected)
    registry, *wanted = case.args
    devices = {key[1] for key in registry if key[0] == wanted[0]}
    return all(
        name in said for name in ([*devices, *wanted] if devices else wanted[:1])
    )


def describe(exercise, case):
    if not case.options:
        return typed(exercise, case)
    registry, *key = case.args
    again = f"find_kernel(registry, {', '.join(map(repr, key))})"
    return (
        f"registry = {registry}; {again}; registry.update({case.options['later']}); "
        + again
    )


def diagnose(got, expected, case):
    if isinstance(got, Problem):
        other = {"CircularAnswers", "RecursionError"} & set(got.types)
        if "raises" in expected and got.kind == "raised" and not other:
            return "wrong_error", (
                "The error isn't a DispatchError, which is how a missing kernel is "
                "recognized. Use `raise DispatchError(...)`."
            )
    elif "raises" in got and "raises" in expected:
        return "message", (
            "The message leaves out the operator, the device, the dtype, or a device "
            "that has the operator. Use `missing(registry, operator, device, dtype)`."
        )
    elif "raises" in got:
        return "not_found", (
            "There's a kernel for these three, but it isn't found. Use the keys "
            "`(operator, device, dtype)` and `(operator, device, None)`."
        )
    return None


check = Check(
    find_kernel,
    cases=cases,
    reference=reference,
    compare=compare,
    driver=sizes.find_kernel,
    describe=describe,
    diagnose=diagnose,
    not_tested="kernels that run: find_kernel calls none, so names stand for them",
)
