"""Chapter 09, Adam and AdamW."""

import numpy as np
import torch

from grading.checking import cause, checks
from minigrad.optim.adam import adam, adamw

from .update_rules import STEPS, RuleCheck


class AdamCheck(RuleCheck):
    rule, make, decoupled = "adam", torch.optim.Adam, False

    def cases(self, random):
        def of(steps=STEPS, lr=0.1, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.0):
            options = {"lr": lr, "betas": betas, "eps": eps}
            options["weight_decay"] = weight_decay
            return self.of(random, steps=steps, **options)

        if self.decoupled:
            yield "weight decay", of(weight_decay=0.3)
            yield "weight decay", of(steps=1, weight_decay=0.1, lr=0.5)
        yield "the first steps", of(steps=1)
        yield "the first steps", of(steps=3)
        yield "fifty steps", of()
        yield "fifty steps", of(lr=0.01, betas=(0.5, 0.8))
        yield "a large eps", of(eps=0.3)
        if not self.decoupled:
            yield "weight decay", of(weight_decay=0.3)
            yield "weight decay", of(steps=2, weight_decay=0.1, lr=0.5)

    def expected(self, scene):
        x = torch.nn.Parameter(torch.tensor(scene["param"]))
        optimiser, steps = self.make([x], **scene["options"]), []
        for grad in scene["grads"]:
            x.grad = torch.tensor(grad)
            optimiser.step()
            steps.append(x.detach().numpy().copy())
        kept = optimiser.state[x]
        averages = np.stack([kept[k].numpy() for k in ("exp_avg", "exp_avg_sq")])
        return {"steps": np.stack(steps), "averages": averages, "changed": ""}

    def model(self, scene, first=True, second=True, inside=False, late=False,
              decay=None, square=True, swapped=False, root=True, corrected=False,
              sign=-1, corrected_eps=True, lr_decay=True, keep=True):  # fmt: skip
        """The rule with a mistake."""
        o = scene["options"]
        (b1, b2), eps, lr, wd = o["betas"], o["eps"], o["lr"], o["weight_decay"]
        decay = decay or ("apart" if self.decoupled else "grad")
        x, steps = scene["param"].copy(), []
        m, v = np.zeros_like(x), np.zeros_like(x)
        c1, c2 = (1 - b1, 1 - b2) if not swapped else (b1, b2)
        for step, grad in enumerate(scene["grads"], 1):
            g = grad + wd * x if decay == "grad" else grad
            if decay == "apart":
                x = x * (1 - (lr if lr_decay else 1) * wd)
            if not keep:
                m, v = 0 * m, 0 * v
            m = (1 - c1) * m + c1 * g
            v = (1 - c2) * v + c2 * (g * g if square else abs(g))
            k = step - 1 if late else step
            one = 1 - b1**k if first and k else 1
            two = 1 - b2**k if second and k else 1
            mean, var = m / one, v / two
            if corrected:
                m, v = mean, var
            if not corrected_eps:  # eps beside the root that is not corrected
                below = (np.sqrt(v) + eps) / np.sqrt(two)
            elif inside:
                below = np.sqrt(var + eps)
            else:
                below = (np.sqrt(var) if root else var) + eps
            x = x + sign * lr * mean / below
            if decay == "after":
                x = x * (1 - lr * wd)
            steps.append(x.copy())
        averages = np.stack([m, v]) if keep else np.zeros((2, *x.shape))
        return {"steps": np.stack(steps), "averages": averages, "changed": ""}

    @cause("eps stands inside the root: sqrt(exp_avg_sq) + eps")
    def inside(self, scene):
        return self.model(scene, inside=True)

    @cause("the bias correction is missing: both averages begin with 0, and are "
           "divided by 1 - beta ** step")  # fmt: skip
    def not_corrected(self, scene):
        return self.model(scene, first=False, second=False)

    @cause("the average of the gradient is not corrected: divide by 1 - beta1 ** step")
    def first_not_corrected(self, scene):
        return self.model(scene, first=False)

    @cause("the average of the squares is not corrected: divide by 1 - beta2 ** step")
    def second_not_corrected(self, scene):
        return self.model(scene, second=False)

    @cause("eps is added before the correction: it is beside the root of the corrected "
           "average")  # fmt: skip
    def eps_before(self, scene):
        return self.model(scene, corrected_eps=False)

    @cause("the averages themselves are corrected, in place: they are needed as they "
           "are in the next step")  # fmt: skip
    def corrected_in_place(self, scene):
        return self.model(scene, corrected=True)

    @cause("the correction is one step late: step is 1 in the first step")
    def late(self, scene):
        return self.model(scene, late=True)

    @cause("beta and 1 - beta are exchanged: average = beta * average + (1 - beta) * "
           "new")  # fmt: skip
    def swapped(self, scene):
        return self.model(scene, swapped=True)

    @cause("the gradient is not squared in exp_avg_sq")
    def not_squared(self, scene):
        return self.model(scene, square=False)

    @cause("the root is missing: lr * exp_avg / (sqrt(exp_avg_sq) + eps)")
    def no_root(self, scene):
        return self.model(scene, root=False)

    @cause("the step goes up the hill: it is subtracted")
    def uphill(self, scene):
        return self.model(scene, sign=1)

    @cause("the parameter is not changed in place: param.sub_(...)")
    def not_in_place(self, scene):
        options = scene["options"]
        if options["weight_decay"] and not self.decoupled:
            return None
        right = self.model({**scene, "options": {**options, "weight_decay": 0.0}})
        return {**right, "steps": np.stack([scene["param"]] * len(scene["grads"]))}

    @cause("the averages are not changed in place: exp_avg.mul_(...).add_(...)")
    def averages_lost(self, scene):
        return self.model(scene, keep=False)

    @cause("the weight decay is missing")
    def no_decay(self, scene):
        return self.model(scene, decay="none")


@checks(adam)
class Adam(AdamCheck):
    @cause("the weights are shrunk apart from the gradient: that is AdamW. In Adam "
           "weight_decay * param is added to the gradient")  # fmt: skip
    def decoupled_decay(self, scene):
        return self.model(scene, decay="apart")


@checks(adamw)
class AdamW(AdamCheck):
    make, decoupled = torch.optim.AdamW, True

    @cause("the decay is added to the gradient, so it goes through the averages: that "
           "is Adam. Here param is multiplied by 1 - lr * weight_decay")  # fmt: skip
    def coupled(self, scene):
        return self.model(scene, decay="grad")

    @cause("the decay is not multiplied with lr: 1 - lr * weight_decay")
    def no_lr(self, scene):
        return self.model(scene, lr_decay=False)

    @cause("the param shrinks after the step, not before it")
    def decay_after(self, scene):
        return self.model(scene, decay="after")
