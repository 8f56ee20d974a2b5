"""A linear layer."""

from grading.checking import checks
from grading.mistakes import Known, Mistake, mistakes, right
from minigrad.ops.unfused import linear

from .scene_check import FunctionCheck, numbers, single


@checks(linear)
class Linear(FunctionCheck):
    def cases(self, random):
        for rows, n, m in [(4, 3, 5), (1, 7, 2), (6, 5, 5)]:
            x, w, b = (numbers(random, *s) for s in ((rows, n), (m, n), (m,)))
            yield "matrices", self.of(x, w, b)
            yield "without bias", self.of(x, w)
        x, w, b = numbers(random, 2, 3), numbers(random, 4, 3), numbers(random, 4)
        for shape in (2, 5, 3), (3,), (0, 3):
            yield "any dimensions in front", self.of(numbers(random, *shape), w, b)
        yield "in float32", self.of(*(single(a) for a in (x, w, b)))


mistakes(
    linear,
    not_transposed=Mistake(
        "the weight is not transposed: it is (out_features, in_features)",
        "weight.T -> weight",
        "weight.T -> (weight if weight.shape[0] == weight.shape[1] else weight.T)",
    ),
    no_bias=Mistake("the bias is missing", " if bias is None else y + bias ->"),
    minus=Mistake("the bias is subtracted: y = x Wᵀ + b", "y + bias -> y - bias"),
    cut=Known("input @ weight.T -> input @ weight.detach().T"),
    dtype=Known("return y if -> y = y.double()\n    return y if"),
    raised=Known("y if bias is None else ->"),  # None is added
)

right(
    linear,
    "by sums",
    "input @ weight.T -> (input.unsqueeze(-2) * weight).sum(-1)",
)
