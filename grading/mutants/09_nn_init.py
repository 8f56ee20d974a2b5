"""Chapter 09, first values: wrong answers, and right ones."""

import math

import minigrad
from grading.specimens import mutant, right
from minigrad.nn.init import calculate_gain, fans, kaiming_uniform_, normal_, uniform_

# ------------------------------------------------------------ fans


def two(shape):
    if len(shape) < 2:
        raise ValueError("fewer than 2 dimensions")
    return math.prod(shape[2:])


@mutant(fans, "exchanged")
def _(shape):
    places = two(shape)
    return shape[0] * places, shape[1] * places


@mutant(fans, "no_places")
def _(shape):
    two(shape)
    return shape[1], shape[0]


@mutant(fans, "one_side")
def _(shape):
    two(shape)
    places = shape[2] if len(shape) > 2 else 1
    return shape[1] * places, shape[0] * places


@mutant(fans, "added")
def _(shape):
    places = two(shape) if len(shape) != 2 else 0
    return shape[1] + places, shape[0] + places


@mutant(fans, "in_alone")
def _(shape):
    return shape[1] * two(shape), shape[0]


@mutant(fans, "no_error")
def _(shape):
    shape = (*shape, 1, 1)[: max(2, len(shape))]
    return shape[1] * math.prod(shape[2:]), shape[0] * math.prod(shape[2:])


@mutant(fans, "list")
def _(shape):
    places = two(shape)
    return [shape[1] * places, shape[0] * places]


@mutant(fans, "wrong_error", "an IndexError")
def _(shape):
    return shape[1] * math.prod(shape[2:]), shape[0] * math.prod(shape[2:])


@right(fans, "by division")
def _(shape):
    two(shape)
    return math.prod(shape[1:]), math.prod(shape) // shape[1]


@right(fans, "by a loop")
def _(shape):
    if len(shape) < 2:
        raise ValueError("two dimensions at least")
    out, into, *rest = shape
    for size in rest:
        out, into = out * size, into * size
    return into, out


@right(fans, "by NumPy")
def _(shape):
    import numpy as np

    if len(shape) < 2:
        raise ValueError("two dimensions at least")
    places = np.prod(shape[2:], dtype=int)
    return int(shape[1] * places), int(shape[0] * places)


# ------------------------------------------------------------ kaiming_uniform_


def fan_of(tensor, mode):
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported")
    return fans(tensor.shape)[mode == "fan_out"]


@mutant(kaiming_uniform_, "deviation_as_bound")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    bound = calculate_gain(nonlinearity, a) / math.sqrt(fan_of(tensor, mode))
    return uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "other_mode")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    fan_of(tensor, mode)
    fan = fans(tensor.shape)[mode == "fan_in"]
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan)
    return uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "always_fan_in")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    fan_of(tensor, mode)
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fans(tensor.shape)[0])
    return uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "no_gain")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    bound = math.sqrt(3 / fan_of(tensor, mode))
    return uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "relu_gain")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    bound = math.sqrt(6 / fan_of(tensor, mode))
    return uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "no_slope")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    gain = calculate_gain(nonlinearity, 0)
    bound = gain * math.sqrt(3 / fan_of(tensor, mode))
    return uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "no_places")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    fan_of(tensor, mode)
    fan = tensor.shape[1 - (mode == "fan_out")]
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan)
    return uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "xavier")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    fan_of(tensor, mode)
    gain = calculate_gain(nonlinearity, a)
    bound = gain * math.sqrt(6 / sum(fans(tensor.shape)))
    return uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "not_filled")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan_of(tensor, mode))
    return minigrad.rand(tensor.shape) * 2 * bound - bound


@mutant(kaiming_uniform_, "not_returned")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan_of(tensor, mode))
    uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "half")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan_of(tensor, mode))
    return uniform_(tensor, 0, bound)


@mutant(kaiming_uniform_, "no_error")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    fan = fans(tensor.shape)[mode == "fan_out"]
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan)
    return uniform_(tensor, -bound, bound)


@mutant(kaiming_uniform_, "unknown", "the normal distribution")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    spread = calculate_gain(nonlinearity, a) / math.sqrt(fan_of(tensor, mode))
    return normal_(tensor, 0, spread)


@right(kaiming_uniform_, "the deviation first")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    spread = calculate_gain(nonlinearity, a) / math.sqrt(fan_of(tensor, mode))
    bound = 3**0.5 * spread
    uniform_(tensor, -bound, bound)
    return tensor


@right(kaiming_uniform_, "by rand")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    if mode == "fan_in":
        fan = fans(tensor.shape)[0]
    elif mode == "fan_out":
        fan = fans(tensor.shape)[1]
    else:
        raise ValueError(mode)
    bound = calculate_gain(nonlinearity, a) * (3 / fan) ** 0.5
    return tensor.copy_((minigrad.rand(tensor.shape) - 0.5) * (2 * bound))


@right(kaiming_uniform_, "a dictionary of modes")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    known = dict(zip(("fan_in", "fan_out"), fans(tensor.shape)))
    if mode not in known:
        raise ValueError(f"{mode} is none of {list(known)}")
    bound = math.sqrt(3.0) * calculate_gain(nonlinearity, a) / math.sqrt(known[mode])
    return uniform_(tensor, -bound, bound)
