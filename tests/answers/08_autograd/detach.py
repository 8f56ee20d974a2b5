"""Answers of detach by other algorithms."""

from minigrad import Tensor
from minigrad.autograd import no_grad
from tools.audit.specimens import answer


@answer(Tensor.detach, right="without recording")
def _(self):
    with no_grad():
        x = self.as_strided(self.shape, self.strides, self.offset)
    return Tensor(x.storage, x.shape, x.strides, x.offset)
