"""A verification of an operator, which you write in lab 11."""

from ..exercises.registry import exercise


@exercise(points=4, stars=3, minutes=50, level="extra")
def verify(op, reference):
    """Raise an error unless op is a correct batched outer product.

    op, reference: functions of two minigrad tensors on "cpu", a of shape (B, M) and b
        of shape (B, N). They return y of shape (B, M, N), with y[i, m, n] = a[i, m] *
        b[i, n]. The reference is correct in all respects.

    If op is correct, verify must return. Otherwise, it must raise an error of any type.
    If op itself or the use of its result raises one, don't catch it. op may be faulty
    in any of these respects:

    - values: several batches, M different from N, more than 256 or 1,024 elements,
      negative numbers, fractions, NaN, infinities, and 0 times NaN or infinity;
    - sizes: B, M, or N may be 1 or 0, and several of them at once;
    - layout: a or b may be transposed or expanded, or begin inside a storage;
    - dtype: for float16, float32, and float64, op returns the same dtype, and each
      product is rounded to it once;
    - gradients: of a and b, if both or only one of them requires it, for any dy with
      any strides, and at least as precise as a sum in the operand's dtype;
    - side effects: op doesn't change a or b, and a later call doesn't change an earlier
      result.

    A correct op may return any strides, any sign of a 0, and any bits for a NaN. It may
    add up a gradient in another order than the reference, or in a wider dtype. For sums
    of up to 40 products of numbers drawn by randn, compare gradients with rtol = atol =
    100 * np.finfo(dtype).eps. Faults change them by far more.
    """
