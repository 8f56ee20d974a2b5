"""Chapter 04, find_kernel: registries whose kernels are names that say which it is."""

from grading.cases import Raises
from grading.checking import Check, cause, checks
from grading.subject import Problem
from minigrad import dispatch
from minigrad.dispatch import DispatchError, missing

OPERATORS, DEVICES = ("add", "mul", "relu"), ("cpu", "sim", "cuda")
TYPES = ("float32", "int64", "float16")
SAID = ("DispatchError",)


def filled(*keys):
    """A registry; each kernel's name says what it is for."""
    return {key: "_".join(str(part or "any") for part in key) for key in keys}


def every(operators=OPERATORS, devices=DEVICES, types=TYPES):
    return filled(*[(o, d, t) for o in operators for d in devices for t in types])


@checks(dispatch.find_kernel)
class FindKernel(Check):
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

    def expected(self, registry, operator, device, dtype):
        matching = [k for k in registry if k[:2] == (operator, device)]
        found = [k for t in (dtype, None) for k in matching if k[2] == t]
        if not found:
            raise DispatchError(missing(registry, operator, device, dtype))
        return registry[found[0]]

    def _right(self, got, expected, args):
        if not isinstance(expected, Raises):
            return super()._right(got, expected, args)
        registry, *wanted = args
        there = {key[1] for key in registry if key[0] == wanted[0]}
        said = there | set(wanted) if there else {wanted[0]}
        raised = isinstance(got, Problem) and got.types[:1] == SAID
        return raised and all(word in got.message for word in said)

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

    @cause("a kernel for \"cpu\" cannot read the memory of another device: raise a "
           "DispatchError")  # fmt: skip
    def cpu_instead(self, registry, operator, device, dtype):
        for key in [(operator, d, t) for d in (device, "cpu") for t in (dtype, None)]:
            if key in registry:
                return registry[key]
        raise DispatchError

    @cause("a kernel of another dtype would read the elements as other numbers")
    def other_dtype(self, registry, operator, device, dtype):
        fits = [k for k in registry if k[:2] == (operator, device)]
        exact = [k for k in fits if k[2] in (dtype, None)]
        return registry[(exact or fits)[0]]

    @cause("a kernel that is registered for dtype None is for every dtype: look for "
           "it, too")  # fmt: skip
    def no_general(self, registry, operator, device, dtype):
        if (operator, device, dtype) in registry:
            return registry[operator, device, dtype]
        raise DispatchError

    @cause("the kernel for every dtype gives way to one for this dtype")
    def general_first(self, registry, operator, device, dtype):
        for key in (operator, device, None), (operator, device, dtype):
            if key in registry:
                return registry[key]
        raise DispatchError

    @cause("the first that fits in the registry's order is taken: a kernel for this "
           "dtype goes before one for every dtype")  # fmt: skip
    def first_in_order(self, registry, operator, device, dtype):
        for key, kernel in registry.items():
            if key[:2] == (operator, device) and key[2] in (dtype, None):
                return kernel
        raise DispatchError

    @cause("None is returned where there is no kernel: raise a DispatchError, or the "
           "mistake shows far from here")  # fmt: skip
    def none_there(self, registry, operator, device, dtype):
        exact = registry.get((operator, device, dtype))
        return exact or registry.get((operator, device, None))

    @cause("the key is returned: what is wanted is the kernel that stands under it")
    def key_itself(self, registry, operator, device, dtype):
        exact = (operator, device, dtype)
        return exact if exact in registry else (operator, device, None)
