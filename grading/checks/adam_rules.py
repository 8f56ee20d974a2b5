"""What the checks of Adam and AdamW share: cases, and patches of Adam's solution."""

from .update_rules import STEPS, RuleCheck


class AdamCheck(RuleCheck):
    kept, first = ("exp_avg", "exp_avg_sq"), "the first steps"

    def cases(self, random):
        """Weight decay is the heart of AdamW."""
        cases = [*self.all_cases(random)]
        return sorted(cases, key=lambda case: case[0] != self.first)

    def all_cases(self, random):
        def of(steps=STEPS, lr=0.1, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.0):
            options = {"lr": lr, "betas": betas, "eps": eps}
            return self.of(random, steps, **options, weight_decay=weight_decay)

        yield "the first steps", of(steps=1)
        yield "the first steps", of(steps=3)
        yield "fifty steps", of()
        yield "fifty steps", of(lr=0.01, betas=(0.5, 0.8))
        yield "a large eps", of(eps=0.3)
        yield "weight decay", of(weight_decay=0.3)
        yield "weight decay", of(steps=2, weight_decay=0.1, lr=0.5)


FIRST, SECOND = "exp_avg.mul_(beta1).add_(", "exp_avg_sq.mul_(beta2).add_("
ROOT = "root = (exp_avg_sq / (1 - beta2**step)).sqrt()"
STEP = "param.sub_(size * exp_avg / (root + eps))"
BOTH = {  # cause: (text, patch)
    "inside": (
        "eps stands inside the root: sqrt(exp_avg_sq) + eps",
        (".sqrt() -> .add(eps).sqrt()", "(root + eps) -> root"),
    ),
    "not_corrected": (
        "the bias correction is missing: both averages begin with 0, and are "
        "divided by 1 - beta ** step",
        (" / (1 - beta1**step) ->", " / (1 - beta2**step) ->"),
    ),
    "first_not_corrected": (
        "the average of the gradient is not corrected: divide by 1 - beta1 ** step",
        " / (1 - beta1**step) ->",
    ),
    "second_not_corrected": (
        "the average of the squares is not corrected: divide by 1 - beta2 ** step",
        " / (1 - beta2**step) ->",
    ),
    "eps_before": (
        "eps is added before the correction: it is beside the root of the corrected "
        "average",
        f"{ROOT} -> root = (exp_avg_sq.sqrt() + eps) / (1 - beta2**step) ** 0.5 - eps",
    ),
    "corrected_in_place": (
        "the averages themselves are corrected, in place: they are needed as they "
        "are in the next step",
        (
            "size = lr / (1 - beta1**step) -> size = lr; exp_avg.div_(1 - beta1**step)",
            "exp_avg_sq / (1 - beta2**step) -> exp_avg_sq.div_(1 - beta2**step)",
        ),
    ),
    "late": (
        "the correction is one step late: step is 1 in the first step",
        (
            "beta1**step -> beta1**(step - 1 or 1e9)",
            "beta2**step -> beta2**(step - 1 or 1e9)",
        ),
    ),
    "swapped": (
        "beta and 1 - beta are exchanged: average = beta * average + (1 - beta) * new",
        (
            "mul_(beta1).add_((1 - beta1) -> mul_(1 - beta1).add_(beta1",
            "mul_(beta2).add_((1 - beta2) -> mul_(1 - beta2).add_(beta2",
        ),
    ),
    "not_squared": (
        "the gradient is not squared in exp_avg_sq", "grad * grad -> grad.abs()"
    ),
    "no_root": (
        "the root is missing: lr * exp_avg / (sqrt(exp_avg_sq) + eps)", ".sqrt() ->"
    ),
    "uphill": ("the step goes up the hill: it is subtracted", "sub_ -> add_"),
    "not_in_place": (
        "the parameter is not changed in place: param.sub_(...)", "sub_ -> sub"
    ),
    "averages_lost": (
        "the averages are not changed in place: exp_avg.mul_(...).add_(...)",
        (
            "exp_avg.mul_(beta1).add_ -> exp_avg = (exp_avg * beta1).add",
            "exp_avg_sq.mul_(beta2).add_ -> exp_avg_sq = (exp_avg_sq * beta2).add",
        ),
    ),
}  # fmt: skip
RIGHT = {  # style: patch
    "new tensors, then copied": (
        "exp_avg.mul_(beta1).add_( -> exp_avg.copy_(beta1 * exp_avg + ",
        "exp_avg_sq.mul_(beta2).add_( -> exp_avg_sq.copy_(beta2 * exp_avg_sq + ",
    ),
    "as PyTorch's source has it": (
        "exp_avg.mul_(beta1).add_((1 - beta1) * grad) -> "
        "exp_avg += (1 - beta1) * (grad - exp_avg)",
        f"{ROOT} -> root = exp_avg_sq.sqrt() / (1 - beta2**step) ** 0.5",
        f"{STEP} -> param -= size * (exp_avg / (root + eps))",
    ),
    "by powers": (
        f"{ROOT} -> root = exp_avg_sq**0.5 * (1 - beta2**step) ** -0.5",
        f"{STEP} -> param += -size * exp_avg / (eps + root)",
    ),
    "both corrected first": (
        "size = lr / (1 - beta1**step) -> mean = exp_avg / (1 - beta1**step)",
        f"{STEP} -> param.copy_(param - lr * mean / (root + eps))",
    ),
}
