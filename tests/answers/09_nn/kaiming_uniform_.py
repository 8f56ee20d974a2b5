"""Answers of kaiming_uniform_ by other algorithms."""

from minigrad.nn.init import calculate_gain, kaiming_uniform_, uniform_
from tools.audit.specimens import answer


@answer(kaiming_uniform_, right="by its variance")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    if tensor.ndim < 2:
        raise ValueError("two dimensions at least")
    out, into = tensor[:, 0].numel(), tensor[0].numel()
    if mode == "fan_in":
        variance = calculate_gain(nonlinearity, a) ** 2 / into
    elif mode == "fan_out":
        variance = calculate_gain(nonlinearity, a) ** 2 / out
    else:
        raise ValueError(f"no mode {mode}")
    bound = (3 * variance) ** 0.5
    uniform_(tensor, a=-bound, b=bound)
    return tensor
