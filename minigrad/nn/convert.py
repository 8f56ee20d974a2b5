"""Methods that reach every parameter of a module: devices, dtypes, gradients."""

from ..autograd import no_grad
from ..dtypes import DTYPES, as_dtype, bfloat16, float16, float32, float64
from ..storage import DEVICES, NO_DEVICE
from ..tensor import Tensor
from .parameter import put

FLOATS = float16, bfloat16, float32, float64
NAMES = {dtype.name for dtype in DTYPES}


class Conversions:
    """Methods of Module."""

    def apply(self, fn):
        """Call fn(module) with every module below this one, then with itself."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn):
        """Put fn(tensor) in the place of each parameter, gradient and buffer."""
        for module in self.children():
            module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            with no_grad():
                put(param, fn(param))
                if param.grad is not None:
                    param.grad = fn(param.grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *to, device=None, dtype=None):
        """Move everything to a device, and what is float to a dtype; returns self.

        The module itself is changed; the parameters stay the same objects.
        """
        for given in to:
            if isinstance(given, Tensor):
                device, dtype = given.device, given.dtype
            elif isinstance(given, str | int) and given not in NAMES:
                device = given
            else:
                dtype = given
        if device is not None and device not in DEVICES:
            raise RuntimeError(NO_DEVICE.format(device))
        dtype = as_dtype(dtype, None)
        if dtype is not None and dtype not in FLOATS:
            raise TypeError(
                f"nn.Module.to only accepts floating point dtypes, but got desired "
                f"dtype={dtype}"
            )
        return self._apply(
            lambda x: x.to(device=device, dtype=dtype if x.dtype in FLOATS else None)
        )

    def float(self):
        return self.to(dtype=float32)

    def double(self):
        return self.to(dtype=float64)

    def half(self):
        return self.to(dtype=float16)

    def bfloat16(self):
        return self.to(dtype=bfloat16)

    def cpu(self):
        return self.to(device="cpu")

    def cuda(self):
        return self.to(device="cuda")

    def requires_grad_(self, requires_grad=True):
        """Set whether the parameters are to learn."""
        for param in self.parameters():
            param.requires_grad = requires_grad
        return self

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters; or fill them with 0."""
        for param in self.parameters():
            clear_grad(param, set_to_none)


def clear_grad(param, set_to_none):
    """Forget a parameter's gradient, or fill it with 0."""
    if param.grad is None:
        return
    if set_to_none:
        param.grad = None
    else:
        param.grad = param.grad.detach()
        param.grad.zero_()
