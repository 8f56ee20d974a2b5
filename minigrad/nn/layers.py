"""Linear, Embedding, Dropout, Flatten and Identity."""

from ..dispatch import number_for, tensor_for
from . import functional as f
from . import init, unfused
from .module import Module
from .parameter import new_parameters


class Identity(Module):
    """Returns its input."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Module):
    """y = x Wᵀ + b: (*, in_features) to (*, out_features)."""

    def __init__(self, in_features, out_features, bias=True, device="cpu", dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        sizes = (out_features, in_features), out_features if bias else None
        new_parameters(self, device, dtype, weight=sizes[0], bias=sizes[1])
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias anew, both between ± 1 / sqrt(in_features)."""
        init.as_layers_(self.weight, self.bias)

    def forward(self, input):
        weight, bias = self.weight, self.bias
        try:
            fits = input._layout[0][-1:] == weight._layout[0][1:]
        except AttributeError:
            tensor_for("linear", "input", input)
            tensor_for("linear", "weight", weight)
            raise
        if not fits:
            raise RuntimeError(
                f"Linear: mat1 and mat2 shapes cannot be multiplied: the input has "
                f"shape {list(input.shape)} and the weight {list(weight.shape)}. "
                f"The input's last size must be in_features = {weight.shape[-1]}"
            )
        run = unfused.linear if unfused.wants_unfused() else f.linear
        return run(input, weight, bias)

    def extra_repr(self):
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


class Embedding(Module):
    """Row i of the weight for each index i: (*) of ints to (*, embedding_dim)."""

    def __init__(
        self, num_embeddings, embedding_dim, padding_idx=None, device="cpu", dtype=None
    ):
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx
        new_parameters(self, device, dtype, weight=(num_embeddings, embedding_dim))
        self.reset_parameters()

    def reset_parameters(self):
        """Draw the weight anew, from the normal distribution; 0 at padding_idx."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input):
        return f.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        sizes, padding = (
            f"{self.num_embeddings}, {self.embedding_dim}",
            self.padding_idx,
        )
        return sizes if padding is None else f"{sizes}, padding_idx={padding}"


class Dropout(Module):
    """In training each element is 0 by the chance p, the others divided by 1 - p."""

    _shown = "p", "inplace"

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0 <= number_for("dropout", "p", p) <= 1:
            raise ValueError(
                f"dropout probability has to be between 0 and 1, but got {p}"
            )
        self.p, self.inplace = p, inplace

    def forward(self, input):
        if unfused.wants_unfused() and not self.inplace:
            f.check_dropout(input, self.p, self.training)
            return unfused.dropout(input, self.p, self.training)
        return f.dropout(input, self.p, self.training, self.inplace)


class Flatten(Module):
    """Dimensions start_dim to end_dim as one."""

    _shown = "start_dim", "end_dim"

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        tensor_for("flatten", "input", input)
        return input.flatten(self.start_dim, self.end_dim)
