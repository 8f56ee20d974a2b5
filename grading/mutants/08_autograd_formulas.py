"""Chapter 08, gradients of elementwise operators: wrong answers, and right ones."""

import numpy as np

from grading.specimens import mutant, right
from minigrad.ops import gradients

# ------------------------------------------------- products and powers

mul, div = gradients.mul_backward, gradients.div_backward
mutant(mul, "no_dy")(lambda dy, other: other + 0 * dy)
mutant(mul, "only_dy")(lambda dy, other: dy)
mutant(mul, "divided")(lambda dy, other: dy / other)
mutant(mul, "added")(lambda dy, other: dy + other)
mutant(mul, "shape", "summed up")(lambda dy, other: (dy * other).sum())
mutant(mul, "wrong_type")(lambda dy, other: (dy * other).tolist())
right(mul, "the other way round")(lambda dy, other: other * dy)
right(mul, "by numpy's name")(lambda dy, other: np.multiply(dy, other))
right(mul, "by einsum")(lambda dy, other: np.einsum("...,...->...", dy, other))


@mutant(mul, "changed")
def _(dy, other):
    dy *= other
    return dy


mutant(div, "other_operand")(lambda dy, a, b: dy / b + 0 * a)
mutant(div, "sign")(lambda dy, a, b: dy * a / (b * b))
mutant(div, "not_squared")(lambda dy, a, b: -dy * a / b)
mutant(div, "a_left_out")(lambda dy, a, b: -dy / b**2)
mutant(div, "no_dy")(lambda dy, a, b: -a / b**2 + 0 * dy)
mutant(div, "like_mul")(lambda dy, a, b: dy * a + 0 * b)
right(div, "b squared")(lambda dy, a, b: -dy * a / b**2)
right(div, "by the result")(lambda dy, a, b: -(a / b) * dy / b)
right(div, "as a power")(lambda dy, a, b: dy * a * -(b ** (-2.0)))

power, exponent = gradients.pow_backward, gradients.pow_exponent_backward


def slope(dy, a, b):
    return dy * b * a ** (np.asarray(b) - 1.0)


mutant(power, "not_less")(lambda dy, a, b: np.where(b == 0, 0, dy * b * a**b))
mutant(power, "no_factor")(lambda dy, a, b: np.where(b == 0, 0, dy * a ** (b - 1)))
mutant(power, "other_operand")(lambda dy, a, b: dy * a**b * np.log(a))
mutant(power, "zero_exponent")(lambda dy, a, b: dy * b * a ** (b - 1))
mutant(power, "no_dy")(lambda dy, a, b: np.where(b == 0, 0, b * a ** (b - 1) + 0 * dy))
right(power, "the factor chosen")(
    lambda dy, a, b: dy * np.where(np.equal(b, 0), 0, b * a ** (b - 1.0))
)
right(power, "the base chosen")(
    lambda dy, a, b: slope(dy, np.where(np.equal(b, 0), 1, a), b)
)


@right(power, "by a mask")
def _(dy, a, b):
    found, zero = slope(dy, a, b), np.equal(b, 0)
    found[np.broadcast_to(zero, found.shape)] = 0
    return found


def kept(found, a, y):
    return np.where((np.asarray(a) == 0) & np.isfinite(y), 0, found)


mutant(exponent, "other_operand")(
    lambda dy, a, y: kept(dy * y * (np.log(y) / np.log(a)) / a, a, y)
)
mutant(exponent, "no_log")(lambda dy, a, y: kept(dy * y, a, y))
mutant(exponent, "no_y")(lambda dy, a, y: kept(dy * np.log(a), a, y))
mutant(exponent, "log_of_y")(lambda dy, a, y: kept(dy * y * np.log(y), a, y))
mutant(exponent, "zero_base")(lambda dy, a, y: dy * y * np.log(a))
mutant(exponent, "always_zero")(
    lambda dy, a, y: np.where(np.asarray(a) == 0, 0, dy * y * np.log(a))
)
right(exponent, "the factor chosen")(lambda dy, a, y: dy * kept(y * np.log(a), a, y))
right(exponent, "with isinf")(
    lambda dy, a, y: np.where(np.equal(a, 0) & ~np.isinf(y), 0, dy * y * np.log(a))
)
right(exponent, "another base")(
    lambda dy, a, y: kept(dy * y * np.log2(a) * np.log(2), a, y)
)

# ------------------------------------------------- exp and log

exp, log = gradients.exp_backward, gradients.log_backward
mutant(exp, "no_dy")(lambda dy, y: y * 1)
mutant(exp, "only_dy")(lambda dy, y: dy)
mutant(exp, "again")(lambda dy, y: dy * np.exp(y))
mutant(exp, "like_power")(lambda dy, y: dy / y)
right(exp, "the other way round")(lambda dy, y: y * dy)
right(exp, "by numpy's name")(lambda dy, y: np.multiply(dy, y))
right(exp, "by exp once more")(lambda dy, y: dy * np.exp(np.log(y)))
mutant(log, "no_dy")(lambda dy, a: 1 / a)
mutant(log, "like_exp")(lambda dy, a: dy * np.log(a))
mutant(log, "times")(lambda dy, a: dy * a)
mutant(log, "of_y")(lambda dy, a: dy / np.log(a))
mutant(log, "guarded")(lambda dy, a: np.where(a > 0, dy / a, 0))
right(log, "by numpy's name")(lambda dy, a: np.divide(dy, a))
right(log, "by the slope")(lambda dy, a: dy * (1 / a))
right(log, "as a power")(lambda dy, a: dy * a**-1.0)

# ------------------------------------------------- relu, sigmoid, tanh

relu = gradients.relu_backward
sigmoid, tanh = gradients.sigmoid_backward, gradients.tanh_backward
mutant(relu, "no_dy")(lambda dy, y: np.where(y > 0, 1.0, 0.0))
mutant(relu, "of_dy")(lambda dy, y: np.where(dy > 0, dy, 0))
mutant(relu, "times_y")(lambda dy, y: dy * y)
mutant(relu, "at_zero")(lambda dy, y: np.where(y >= 0, dy, 0))
mutant(relu, "nan_lost")(lambda dy, y: np.where(y > 0, dy, 0))
mutant(relu, "product")(lambda dy, y: dy * ~(y <= 0))
right(relu, "with not")(lambda dy, y: np.where(~(y <= 0), dy, 0))
right(relu, "NaN by itself")(lambda dy, y: np.where((y > 0) | np.isnan(y), dy, 0.0))


@right(relu, "by a mask")
def _(dy, y):
    dx = dy.copy()
    dx[y <= 0] = 0
    return dx


mutant(sigmoid, "no_dy")(lambda dy, y: y * (1 - y))
mutant(sigmoid, "one_factor")(lambda dy, y: dy * (1 - y))
mutant(sigmoid, "like_tanh")(lambda dy, y: dy * (1 - y**2))
mutant(sigmoid, "sign")(lambda dy, y: dy * y * (y - 1))
right(sigmoid, "as a difference")(lambda dy, y: dy * (y - y**2))
right(sigmoid, "slope first")(lambda dy, y: (1 - y) * y * dy)
right(sigmoid, "in two terms")(lambda dy, y: dy * y - dy * y * y)


@mutant(sigmoid, "of_x")
def _(dy, y):
    s = 1 / (1 + np.exp(-y))
    return dy * s * (1 - s)


mutant(tanh, "no_dy")(lambda dy, y: 1 - y * y)
mutant(tanh, "not_squared")(lambda dy, y: dy * (1 - y))
mutant(tanh, "like_sigmoid")(lambda dy, y: dy * y * (1 - y))
mutant(tanh, "of_x")(lambda dy, y: dy * (1 - np.tanh(y) ** 2))
mutant(tanh, "sign")(lambda dy, y: dy * (y**2 - 1))
right(tanh, "squared")(lambda dy, y: dy * (1 - y**2))
right(tanh, "as a product")(lambda dy, y: dy * (1 - y) * (1 + y))
right(tanh, "in two terms")(lambda dy, y: dy - dy * np.square(y))

# ------------------------------------------------- max and where

largest, choice = gradients.max_backward, gradients.where_backward
mutant(largest, "no_dy")(lambda dy, a, b: np.where(a > b, 1.0, 0.0) + 0 * dy)
mutant(largest, "other_operand")(
    lambda dy, a, b: np.where(b < a, 0, np.where(a == b, dy / 2, dy))
)
mutant(largest, "tie_whole")(lambda dy, a, b: np.where(a < b, 0, dy))
mutant(largest, "tie_none")(lambda dy, a, b: np.where(a <= b, 0, dy))
mutant(largest, "nan_lost")(
    lambda dy, a, b: np.where(a > b, dy, np.where(a == b, dy / 2, 0))
)
mutant(largest, "product")(
    lambda dy, a, b: dy * np.where(a < b, 0, np.where(a == b, 0.5, 1))
)
right(largest, "with select")(
    lambda dy, a, b: np.select([a < b, a == b], [0 * np.ones_like(dy), dy / 2], dy)
)
right(largest, "equal first")(
    lambda dy, a, b: np.where(a == b, 0.5 * dy, np.where(a < b, 0, dy))
)


@right(largest, "by masks")
def _(dy, a, b):
    a, b = np.broadcast_to(a, dy.shape), np.broadcast_to(b, dy.shape)
    dx = dy.copy()
    dx[a == b] /= 2
    dx[a < b] = 0
    return dx


mutant(choice, "swapped")(
    lambda dy, condition, chosen: np.where(condition != chosen, dy, 0)
)
mutant(choice, "always_one")(lambda dy, condition, chosen: np.where(condition, dy, 0))
mutant(choice, "only_dy")(lambda dy, condition, chosen: dy)
mutant(choice, "no_dy")(
    lambda dy, condition, chosen: (
        np.where(condition == chosen, 1.0, 0) + np.zeros_like(dy)
    )
)
mutant(choice, "product")(lambda dy, condition, chosen: dy * (condition == chosen))
right(choice, "by comparison")(
    lambda dy, condition, chosen: np.where(condition == chosen, dy, 0)
)
right(choice, "with not")(
    lambda dy, condition, chosen: np.where(condition if chosen else ~condition, dy, 0.0)
)


@right(choice, "by a mask")
def _(dy, condition, chosen):
    dx, taken = np.zeros_like(dy), np.broadcast_to(condition, dy.shape) == chosen
    dx[taken] = dy[taken]
    return dx
