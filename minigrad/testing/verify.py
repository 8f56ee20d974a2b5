"""A verification of an operator. Written in lab 11."""

from ..exercises.registry import exercise


@exercise(points=4, stars=3, minutes=35, level="extra")
def verify(op, reference):
    """Raise an error unless op is a batched outer product like `reference`.

    op(a, b), reference(a, b): functions of two tensors of minigrad on "cpu", of shapes
    (B, M) and (B, N), which return one of shape (B, M, N): y[i, m, n] = a[i, m] *
    b[i, n]. The reference is right in all respects. Where op is right, verify returns
    without a word: op may add up gradients in another order than the reference, and lay
    its result out in another way. Otherwise it raises an error, of whatever type: its
    own, or what op or the use of its result raises. op may be wrong for

    - values: of any batch; M and N that differ; more than 256 and more than 1024
      elements; both signs, fractions, NaN, infinities, and 0 times these;
    - sizes: B, M or N may be 1 or 0, one of them or several;
    - layout: a and b may be transposed, expanded, or begin inside a storage;
    - dtype: float16, float32 and float64 give that dtype, a product rounded once;
    - gradients: of both operands, where both or only one requires it, in the operand's
      precision, for any dy, of any strides;
    - the rest of the world: a and b stay as they are, and a result stays as it is
      when op is called again.
    """
