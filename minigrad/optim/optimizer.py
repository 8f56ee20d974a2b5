"""Optimizer: groups of parameters, and the state that belongs to each."""

from ..autograd import enable_grad, no_grad
from ..nn.convert import clear_grad
from ..storage import keep_freed_memory
from ..suggest import Suggesting
from ..tensor import Tensor

HINTS = {
    tuple: ": parameters() gives tensors, named_parameters() pairs",
    str: ": a list of tensors is expected, no dict",
}


class Optimizer(Suggesting):
    """The base of every optimizer.

    params: an iterable of tensors, or of dicts {"params": tensors, "lr": ...}, each a
    group with options of its own. defaults: the options that a group does not name.
    """

    stepped = False  # since a schedule was made for it

    def __init__(self, params, defaults):
        self.defaults, self.state, self.param_groups = defaults, {}, []
        wrong = (
            "params argument given to the optimizer should be an iterable of Tensors "
            f"or dicts, but got {type(params).__name__}"
        )
        if isinstance(params, Tensor):
            raise TypeError(wrong)
        try:
            groups = list(params)
        except TypeError:
            wrong += ": model.parameters() are those of a model"
            raise TypeError(wrong) from None
        if not groups:
            raise ValueError(
                "optimizer got an empty parameter list: the model has none, or what "
                "parameters() returned was already used up: call it again"
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        keep_freed_memory()

    def add_param_group(self, param_group):
        """Add parameters with options of their own."""
        if not isinstance(param_group, dict):
            kind = type(param_group)
            raise TypeError(f"param_group must be a dict, but got {kind}")
        if "params" not in param_group:
            names = ", ".join(map(repr, param_group))
            raise KeyError(f"param_group has no 'params', but {names}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but "
                "the ordering of tensors in sets will change between runs. Please use "
                "a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        for param in params:
            check_parameter(param)
        old = {p for group in self.param_groups for p in group["params"]}
        if len({*params}) < len(params):
            raise ValueError("parameter group has duplicate parameters")
        if old & {*params}:
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append({**self.defaults, **param_group, "params": params})

    def zero_grad(self, set_to_none=True):
        """Forget the gradients; or fill them with 0."""
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    def step(self, closure=None):
        """Change every parameter that has a gradient.

        closure: computes the loss anew, with gradients; what it returns is returned.
        """
        self.stepped, loss = True, None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                ready = [p for p in group["params"] if p.grad is not None]
                for param in ready:
                    check_gradient(param)
                self.update(ready, group)
        return loss

    def update(self, params, group):
        """Change these parameters, which have gradients."""
        raise NotImplementedError

    def state_dict(self):
        """{"state": {number: ...}, "param_groups": ...}: parameters by numbers."""
        params = [p for group in self.param_groups for p in group["params"]]
        numbers = {p: i for i, p in enumerate(params)}
        groups = [
            {**group, "params": [numbers[p] for p in group["params"]]}
            for group in self.param_groups
        ]
        state = {numbers[p]: dict(values) for p, values in self.state.items()}
        return {"state": dict(sorted(state.items())), "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Go on from a state_dict: its options, and copies of its state."""
        if not {"state", "param_groups"} <= set(getattr(state_dict, "keys", tuple)()):
            raise ValueError(
                "an optimizer's state_dict has 'state' and 'param_groups', but this is "
                f"{state_dict!r:.60}. minigrad.training.checkpoint.load(path) reads a "
                "file"
            )
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise ValueError(
                "loaded state dict has a different number of parameter groups"
            )
        params = {}
        for own, other in zip(self.param_groups, groups, strict=True):
            if len(own["params"]) != len(other["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match "
                    "the size of optimizer's group"
                )
            params |= zip(other["params"], own["params"], strict=True)
            own.update({k: v for k, v in other.items() if k != "params"})
        self.state = {
            params[number]: {
                key: loaded(key, v, params[number]) for key, v in kept.items()
            }
            for number, kept in state_dict["state"].items()
        }

    def __repr__(self):
        lines = []
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [
                f"    {k}: {v}" for k, v in sorted(group.items()) if k != "params"
            ]
        return "\n".join([f"{type(self).__name__} (", *lines, ")"])


def check_parameter(param):
    """Raise unless an optimizer can change this."""
    if not isinstance(param, Tensor):
        raise TypeError(
            "optimizer can only optimize Tensors, but one of the params is "
            f"{type(param).__name__}{HINTS.get(type(param), '')}"
        )
    if not param.is_leaf:
        raise ValueError(
            "can't optimize a non-leaf Tensor: give it what the tensor is made from, "
            "or a leaf, as tensor.detach().requires_grad_()"
        )


def check_gradient(param):
    """Raise where a gradient does not fit its parameter."""
    grad = param.grad
    if (grad.shape, grad.device) != (param.shape, param.device):
        raise RuntimeError(
            f"a gradient of shape {list(grad.shape)} on {grad.device!r} does not fit "
            f"its parameter, of shape {list(param.shape)} on {param.device!r}: after "
            "module.to(...) compute it anew, with zero_grad() and backward()"
        )


def loaded(key, value, param):
    """A piece of the state, as it is kept beside a parameter."""
    if key == "step" and hasattr(value, "storage"):
        return value.to(param.device).clone()
    return int(value) if key == "step" else beside(param, value)


def beside(param, value):
    """A copy of a tensor of the state, where its parameter is; a number as it is."""
    if not isinstance(value, Tensor):
        return value
    return value.to(device=param.device, dtype=param.dtype).clone()


def check_at_least_0(**options):
    """ValueError for an option below 0."""
    for name, value in options.items():
        words = {"lr": "learning rate", "eps": "epsilon value"}
        word = words.get(name, f"{name} value")
        try:
            fits = value >= 0
        except TypeError:
            raise TypeError(
                f"Invalid {word}: a number is expected, not {type(value).__name__}"
            ) from None
        if not fits:
            raise ValueError(f"Invalid {word}: {value}")
