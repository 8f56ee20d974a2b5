"""A verification of an operator. Written in lab 11."""

from ..exercises.registry import exercise


@exercise("11.8", points=4, stars=3, minutes=35)
def verify(op, reference):
    """Raise an AssertionError unless op is a batched outer product like `reference`.

    op(a, b), reference(a, b): functions of two tensors of minigrad on "cpu", of shapes
    (B, M) and (B, N), which return one of shape (B, M, N): y[i, m, n] = a[i, m] *
    b[i, n]. The reference is right in all respects. Where op is right, verify returns
    without a word, although op may add in another order than the reference. Otherwise
    it raises, or lets what op raises pass; op may be wrong for

    - values: of any batch, sizes that differ, more than 256 and more than 1024
      elements, NaN and infinities, numbers of both signs;
    - sizes: B, M or N may be 1 or 0;
    - layout: a and b may be transposed, expanded, or begin inside a storage;
    - dtype: float16, float32 and float64 give that dtype, each with its own precision;
    - gradients: of both operands, with any dy, and where only one requires it;
    - the rest of the world: a and b stay as they are, and a result stays as it is
      when op is called again.
    """
