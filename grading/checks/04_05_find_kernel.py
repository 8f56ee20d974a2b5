"""The kernel for an operator, device and dtype: kernels are names that say which."""

from grading.exercise import Check, Problem, Raises, checks
from minigrad.dispatch import DispatchError, find_kernel, missing

OPERATORS, DEVICES = ("add", "mul", "relu"), ("cpu", "sim", "cuda")
TYPES = ("float32", "int64", "float16")
SAID = ("DispatchError",)


def filled(*keys):
    """A registry; each kernel's name says what it is for."""
    return {key: "_".join(str(part or "any") for part in key) for key in keys}


def every(operators=OPERATORS, devices=DEVICES, types=TYPES):
    return filled(*[(o, d, t) for o in operators for d in devices for t in types])


@checks(find_kernel)
class FindKernel(Check):
    """Leaves out kernels that run: find_kernel calls none, so names stand for them."""

    scene = "find_kernel"

    def cases(self, random):
        full = every()
        for key in random.sample(list(full), 6):
            yield "the kernel of all three", full, *key
        some = filled(("add", "cpu", None), ("add", "sim", "float32"))
        yield "a kernel for every dtype", some, "add", "cpu", "int64"
        some = filled(("mul", "sim", None))
        yield "a kernel for every dtype", some, "mul", "sim", "int8"
        both = filled(("add", "cpu", None), ("add", "cpu", "float16"))
        yield "the dtype's own goes first", both, "add", "cpu", "float16"
        other = dict(reversed(both.items()))
        yield "the dtype's own goes first", other, "add", "cpu", "float16"
        yield "the dtype's own goes first", both, "add", "cpu", "float32"
        for device in ("sim", "cuda"):
            cpu = every(devices=("cpu",)) | filled(("add", "cpu", None))
            yield "never another device's", cpu, "add", device, "float32"
        any_device = filled(("relu", "cuda", None), ("add", "sim", None))
        yield "never another device's", any_device, "relu", "sim", "float32"
        yield "what is missing", every(types=("float32",)), "mul", "sim", "float16"
        yield "what is missing", every(operators=("add",)), "mul", "cpu", "float32"
        yield "what is missing", {}, "add", "cpu", "float32"
        key = "add", "cpu", "int8"
        for before in {}, filled(("add", "cpu", None)):
            yield "a registry that grows", before, *key, filled(key)

    def expected(self, registry, operator, device, dtype, later=None):
        registry = registry | (later or {})
        matching = [k for k in registry if k[:2] == (operator, device)]
        found = [k for t in (dtype, None) for k in matching if k[2] == t]
        if not found:
            raise DispatchError(missing(registry, operator, device, dtype))
        return registry[found[0]]

    def _right(self, got, expected, args):
        if not isinstance(expected, Raises):
            return super()._right(got, expected, args)
        registry, *wanted = args[:4]
        there = {key[1] for key in registry if key[0] == wanted[0]}
        said = there | set(wanted) if there else {wanted[0]}
        raised = isinstance(got, Problem) and got.types[:1] == SAID
        return raised and all(word in got.message for word in said)

    def lines(self, case):
        lines = dict(super().lines(case))
        if len(case.args) > 4:
            lines["input"] = f"registry = {case.args[0]}"
            lines["case"] = (
                f"find_kernel(registry, ...); registry.update({case.args[4]}); "
                "find_kernel(registry, ...)"
            )
        return list(lines.items())

    def general(self, case):
        found, error = case.got, isinstance(case.expected, Raises)
        if not isinstance(found, Problem) or "NotImplementedError" not in found.types:
            return super().general(case)
        if found.types[:1] != SAID:
            return "wrong_error", "raise a DispatchError, so that one can tell it apart"
        if error:
            return "message", (
                "the message must name the operator, the device and the dtype, and say "
                "what there is: missing(registry, operator, device, dtype) does"
            )
        return "not_found", "there is a kernel for these three, and it is not found"
