"""SGD, Adam and AdamW: fifty steps beside torch.optim, in double."""

import numpy as np
import torch

from grading.checking.mistakes import Mistake, Patch, listed, say
from grading.exercise import checks, mistakes, right
from minigrad.optim.adam import adam, adamw
from minigrad.optim.sgd import sgd

from .scene_check import SceneCheck, both, brief, numbers, options_of

STEPS = 50


class RuleCheck(SceneCheck):
    """A rule; its steps are compared one by one with those of an optimiser."""

    optimiser = None  # torch's
    kept = ()  # the names of its averages

    def words(self, scene):
        return f"{len(scene['which'])} steps with {options_of(scene)}"

    def of(self, random, steps=STEPS, dtype=np.float64, **options):
        param = numbers(random, 3, 2).astype(dtype)
        count = steps // 2 + 1
        grads = [numbers(random, 3, 2).astype(dtype) + param for _ in range(count)]
        which = [n % count for n in range(steps)]
        which = which[:2] + random.sample(which[2:], len(which[2:]))
        return {"scene": "adam" if self.kept else "sgd", "param": param, "grads": grads,
                "which": which, "options": options}  # fmt: skip

    def expected(self, scene):
        x = torch.nn.Parameter(torch.tensor(scene["param"]))
        optimiser, steps = self.optimiser([x], **scene["options"]), []
        for n in scene["which"]:
            x.grad = torch.tensor(scene["grads"][n])
            optimiser.step()
            steps.append(x.detach().numpy().copy())
        found = {"steps": np.stack(steps), "changed": ""}
        if self.kept:
            averages = [optimiser.state[x][name].numpy() for name in self.kept]
            return found | {"averages": np.stack(averages)}
        buffer = optimiser.state[x].get("momentum_buffer")
        return found | {"buffer": None if buffer is None else buffer.numpy()}

    def lines(self, case):
        """The first step that is wrong."""
        case_line, *rest = super().lines(case)
        got, expected = case.got, case.expected
        if not isinstance(got, dict) or "steps" not in got:
            return [case_line, *rest]
        if got["changed"] or got["steps"].shape != expected["steps"].shape:
            return [case_line, ("got", got["changed"] or brief(got["steps"]))]
        pairs = zip(got["steps"], expected["steps"], strict=True)
        near = [np.allclose(a, b, self.rtol, self.atol) for a, b in pairs]
        if all(near):
            return [case_line, *rest]
        step = near.index(False)
        pair = both(expected["steps"][step], got["steps"][step])
        which = f"after step {step + 1}: "
        return [case_line, ("expected", which + pair[0]), ("got", which + pair[1])]

    def general(self, case):
        if isinstance(case.got, dict) and case.got.get("changed"):
            return "changed", (
                f"{case.got['changed']}: whoever called still needs it. Make a new "
                f"tensor, or copy it with clone()"
            )
        return super().general(case)


@checks(sgd)
class Sgd(RuleCheck):
    """Leaves out shapes but (3, 2): the rule is that of each number alone; and
    nesterov without momentum or with dampening, which PyTorch refuses."""

    optimiser = torch.optim.SGD

    def cases(self, random):
        both = {"momentum": 0.7, "weight_decay": 0.1}
        for part, options in [
            ("plain steps", {}), ("plain steps", {"steps": 1}),
            ("plain steps", {"lr": 0.03}),
            ("momentum", {"momentum": 0.9}), ("momentum", {"momentum": 0.5}),
            ("dampening", {"dampening": 0.5}),
            ("dampening", {"momentum": 0.8, "dampening": 0.3}),
            ("weight decay", {"weight_decay": 0.2}), ("weight decay", both),
            ("nesterov", {"momentum": 0.9, "nesterov": True}),
            ("nesterov", both | {"nesterov": True}),
        ]:  # fmt: skip
            yield part, self.of(random, **{"lr": 0.1} | options)
        given = {"buffer": numbers(random, 3, 2)}
        yield "plain steps", self.of(random, 1, lr=0.1) | given
        for dtype in np.float32, np.float16:
            how = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}
            yield dtype.__name__, self.of(random, 2, dtype, **how)


DECAY = "if weight_decay:\n        grad = grad + weight_decay * param"
UNGUARDED = """
equivalent: 0 * param is added, which changes nothing
> guard dropped: if weight_decay: -> if True
"""
NEXT = "buffer.mul_(momentum).add_((1 - dampening) * grad)"
mistakes(sgd)(f"""
uphill: the step goes up the hill: lr times the direction is subtracted
> sub_ -> add_
not_in_place: the parameter is not changed in place: param.sub_(...), or what you
    computed is lost
> param.sub_(lr * grad) -> param = param - lr * grad
fixed_lr: lr is not used: the direction is multiplied by it, whatever it is
> lr * grad -> 0.1 * grad
no_momentum: the momentum is not used
> if momentum: -> if False:
forgets: the buffer is not returned, or not kept: each step begins a new one
> return buffer ->
> {NEXT} -> buffer = grad.clone()
given_back: without momentum there is no buffer: None is returned
>     else:\n        buffer = None ->
damped_first: the first buffer is the gradient itself: dampening begins with the second
    step
> grad.clone() -> (1 - dampening) * grad
zero_first: the first step is lost: where the buffer is None it begins with the
    gradient, not with 0
> grad.clone() -> 0 * grad
no_decay: the weight decay is missing
> if weight_decay: -> if False:
decoupled: the weights are shrunk apart from the gradient, as AdamW does it: here
    weight_decay * param is added to the gradient, and goes through the momentum
> {DECAY} -> param.mul_(1 - lr * weight_decay)
no_nesterov: nesterov is not used: the direction is grad + momentum * buffer
> if nesterov else -> if False else
no_dampening: dampening is not used: the gradient enters the buffer times 1 - dampening
> (1 - dampening) * ->
changed:
> {DECAY} -> grad.add_(weight_decay * param).mul_(1.001)
> grad.clone() -> grad
equivalent: the buffer may be any tensor: the caller keeps the one that is returned
> a copy: return buffer
{UNGUARDED}
right: new tensors
> {NEXT} -> buffer = momentum * buffer + (1 - dampening) * grad
""")


@right(sgd, "by copy_")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    g = grad + weight_decay * param
    if not momentum:
        param.copy_(param - lr * g)
        return None
    buffer = g if buffer is None else buffer * momentum + g * (1 - dampening)
    param.copy_(param - lr * (g + buffer * momentum if nesterov else buffer))
    return buffer


class AdamCheck(RuleCheck):
    kept, first = ("exp_avg", "exp_avg_sq"), "the first steps"

    def cases(self, random):
        """Weight decay is the heart of AdamW."""
        usual = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.0}
        cases = [
            ("the first steps", {"steps": 1}), ("the first steps", {"steps": 3}),
            ("fifty steps", {}), ("fifty steps", {"lr": 0.01, "betas": (0.5, 0.8)}),
            ("a large eps", {"eps": 0.3}), ("weight decay", {"weight_decay": 0.3}),
            ("weight decay", {"steps": 2, "weight_decay": 0.1, "lr": 0.5}),
        ]  # fmt: skip
        for part, options in sorted(cases, key=lambda case: case[0] != self.first):
            yield part, self.of(random, **usual | options)
        how = usual | {"weight_decay": 0.1}
        yield "float32", self.of(random, 3, np.float32, **how)


ROOT = "root = (exp_avg_sq / (1 - beta2**step)).sqrt()"
STEP = "param.sub_(size * exp_avg / (root + eps))"
BOTH = f"""
inside: eps stands inside the root: sqrt(exp_avg_sq) + eps
> .sqrt() -> .add(eps).sqrt()
& (root + eps) -> root
not_corrected: the bias correction is missing: both averages begin with 0, and are
    divided by 1 - beta ** step
>  / (1 - beta1**step) ->
&  / (1 - beta2**step) ->
first_not_corrected: the average of the gradient is not corrected: divide by 1 - beta1
    ** step
>  / (1 - beta1**step) ->
second_not_corrected: the average of the squares is not corrected: divide by 1 - beta2
    ** step
>  / (1 - beta2**step) ->
eps_before: eps is added before the correction: it is beside the root of the corrected
    average
> {ROOT} -> root = (exp_avg_sq.sqrt() + eps) / (1 - beta2**step) ** 0.5 - eps
corrected_in_place: the averages themselves are corrected, in place: they are needed as
    they are in the next step
> size = lr / (1 - beta1**step) -> size = lr; exp_avg.div_(1 - beta1**step)
& exp_avg_sq / (1 - beta2**step) -> exp_avg_sq.div_(1 - beta2**step)
late: the correction is one step late: step is 1 in the first step
> beta1**step -> beta1**(step - 1 or 1e9)
& beta2**step -> beta2**(step - 1 or 1e9)
swapped: beta and 1 - beta are exchanged: average = beta * average + (1 - beta) * new
> mul_(beta1).add_((1 - beta1) -> mul_(1 - beta1).add_(beta1
& mul_(beta2).add_((1 - beta2) -> mul_(1 - beta2).add_(beta2
not_squared: the gradient is not squared in exp_avg_sq
> grad * grad -> grad.abs()
no_root: the root is missing: lr * exp_avg / (sqrt(exp_avg_sq) + eps)
> .sqrt() ->
uphill: the step goes up the hill: it is subtracted
> sub_ -> add_
not_in_place: the parameter is not changed in place: param.sub_(...)
> sub_ -> sub
averages_lost: the averages are not changed in place: exp_avg.mul_(...).add_(...)
> exp_avg.mul_(beta1).add_ -> exp_avg = (exp_avg * beta1).add
& exp_avg_sq.mul_(beta2).add_ -> exp_avg_sq = (exp_avg_sq * beta2).add
right: new tensors, then copied
> exp_avg.mul_(beta1).add_( -> exp_avg.copy_(beta1 * exp_avg +
& exp_avg_sq.mul_(beta2).add_( -> exp_avg_sq.copy_(beta2 * exp_avg_sq +
right: as PyTorch's source has it
> exp_avg.mul_(beta1).add_((1 - beta1) * grad) -> exp_avg += (1 - beta1) * (grad -
    exp_avg)
& {ROOT} -> root = exp_avg_sq.sqrt() / (1 - beta2**step) ** 0.5
& {STEP} -> param -= size * (exp_avg / (root + eps))
right: both corrected first
> size = lr / (1 - beta1**step) -> mean = exp_avg / (1 - beta1**step)
& {STEP} -> param.copy_(param - lr * mean / (root + eps))
"""


@checks(adam)
class Adam(AdamCheck):
    """Leaves out shapes but (3, 2): the rule is that of each number alone."""

    optimiser = torch.optim.Adam


mistakes(adam)(f"""
no_decay: the weight decay is missing
> {DECAY} ->
decoupled_decay: the weights are shrunk apart from the gradient: that is AdamW. In Adam
    weight_decay * param is added to the gradient
> {DECAY} -> param.mul_(1 - lr * weight_decay)
changed:
> {DECAY} -> grad += weight_decay * param + 1e-3
{UNGUARDED}
{BOTH}
""")


@checks(adamw)
class AdamW(AdamCheck):
    """Leaves out shapes but (3, 2): the rule is that of each number alone."""

    optimiser, first = torch.optim.AdamW, "weight decay"


def decayed(patch):
    """Weight decay as it should be, then a changed Adam."""
    patch = Patch(*patch)

    def answer(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
        param.mul_(1 - lr * weight_decay)
        rule = patch.made(adam)
        return rule(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, 0)

    return answer


SHRUNK = "param.mul_(1 - lr * weight_decay)"
for cause, m in listed(BOTH):
    say(adamw, [(cause, Mistake(m.cause, *map(decayed, m.answers)))])
mistakes(adamw)(f"""
no_decay: the weight decay is missing
> {SHRUNK} ->
coupled: the decay is added to the gradient, so it goes through the averages: that is
    Adam. Here param is multiplied by 1 - lr * weight_decay
> {SHRUNK} -> grad = grad + weight_decay * param
no_lr: the decay is not multiplied with lr: 1 - lr * weight_decay
> 1 - lr * weight_decay -> 1 - weight_decay
decay_after: the param shrinks after the step, not before it
> {SHRUNK} ->
& eps, 0) -> eps, 0); {SHRUNK}
""")
