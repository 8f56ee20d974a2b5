"""A verification of an operator, which you write in lab 11."""

from ..exercises.registry import exercise


@exercise(points=4, stars=3, minutes=50, level="extra")
def verify(op, reference):
    """Raise an error unless op is a correct batched outer product.

    op, reference: functions of two minigrad tensors on "cpu", a, (B, M), and b, (B, N).
        They return y, (B, M, N), with y[i, m, n] = a[i, m] * b[i, n]. The reference is
        correct in all respects.

    If op is correct, verify must return. Otherwise, it must raise an error of any type,
    or let one through that op or the use of its result raises. op may be faulty in

    - values: of any batch; if M and N differ; beyond the first 256 or 1,024 elements;
      for negative numbers, fractions, NaN, infinities, and 0 times these;
    - sizes: if one or more of B, M, and N are 1 or 0;
    - layout: if a or b is transposed or expanded, or begins inside a storage;
    - dtype: for float16, float32, and float64, it must return the same dtype, and each
      product must be rounded once to it;
    - gradients: of a and b, if both or only one requires it, for any dy with any
      strides. They must be as precise as sums in the operand's dtype;
    - the rest of the world: op must not change a or b, and another call of op must not
      change an earlier result.

    A correct op may return any strides, any sign of a 0, and any bits for a NaN. It may
    add up a gradient in another order than the reference, or in a wider dtype. For sums
    of up to 40 products of numbers drawn by randn, compare gradients with rtol = atol =
    100 * np.finfo(dtype).eps. Faults change them by far more.
    """
