"""Chapter 09, SGD."""

import numpy as np
import torch

from grading.checking import cause, checks
from minigrad.optim.sgd import sgd

from .update_rules import RuleCheck


@checks(sgd)
class Sgd(RuleCheck):
    rule = "sgd"

    def cases(self, random):
        yield "plain steps", self.of(random, lr=0.1)
        yield "plain steps", self.of(random, steps=1, lr=0.03)
        yield "momentum", self.of(random, lr=0.1, momentum=0.9)
        yield "momentum", self.of(random, steps=2, lr=0.2, momentum=0.5)
        yield "dampening", self.of(random, lr=0.1, momentum=0.8, dampening=0.3)
        yield "weight decay", self.of(random, lr=0.1, weight_decay=0.2)
        how = {"momentum": 0.7, "weight_decay": 0.1}
        yield "weight decay", self.of(random, lr=0.05, **how)
        yield "nesterov", self.of(random, lr=0.1, momentum=0.9, nesterov=True)
        yield "nesterov", self.of(random, lr=0.1, nesterov=True, **how)

    def expected(self, scene):
        x = torch.nn.Parameter(torch.tensor(scene["param"]))
        optimiser, steps = torch.optim.SGD([x], **scene["options"]), []
        for grad in scene["grads"]:
            x.grad = torch.tensor(grad)
            optimiser.step()
            steps.append(x.detach().numpy().copy())
        return {"steps": np.stack(steps), "changed": ""}

    def model(self, scene, sign=-1, first="copy", lr_inside=False, decay="grad",
              forget=False, look=True, damp=True):  # fmt: skip
        """The rule with a mistake."""
        options = {"momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False}
        options |= scene["options"]
        lr, beta, damping, wd, nesterov = (
            options[k]
            for k in ("lr", "momentum", "dampening", "weight_decay", "nesterov")
        )
        x, buffer, steps = scene["param"].copy(), None, []
        damping = damping if damp else 0
        for grad in scene["grads"]:
            g = grad + wd * x if decay == "grad" else grad
            if beta:
                if buffer is None:
                    start = {"copy": g, "damped": (1 - damping) * g, "zero": 0 * g}
                    buffer = start[first]
                else:
                    kept = 0 if forget else beta * buffer
                    buffer = kept + (1 - damping) * (lr * g if lr_inside else g)
                ahead = g + beta * buffer if look else buffer
                g = ahead if nesterov else buffer
            if decay == "apart":
                x = x * (1 - lr * wd)
            x = x + sign * lr * g
            steps.append(x.copy())
        return {"steps": np.stack(steps), "changed": ""}

    @cause("the step goes up the hill: lr times the direction is subtracted")
    def uphill(self, scene):
        return self.model(scene, sign=1)

    @cause("the parameter is not changed in place: param.sub_(...), or what you "
           "computed is lost")  # fmt: skip
    def not_in_place(self, scene):
        return {"steps": np.stack([scene["param"]] * len(scene["grads"])),
                "changed": ""}  # fmt: skip

    @cause("the momentum is not used")
    def no_momentum(self, scene):
        return self.model({**scene, "options": {**scene["options"], "momentum": 0}})

    @cause("the buffer is not returned, or not kept: each step begins a new one")
    def forgets(self, scene):
        options = {**scene["options"], "dampening": 0}
        return self.model({**scene, "options": options}, forget=True)

    @cause("the first buffer is the gradient itself: dampening begins with the second "
           "step")  # fmt: skip
    def damped_first(self, scene):
        return self.model(scene, first="damped")

    @cause("the first step is lost: where the buffer is None it begins with the "
           "gradient, not with 0")  # fmt: skip
    def zero_first(self, scene):
        return self.model(scene, first="zero")

    @cause("the weight decay is missing")
    def no_decay(self, scene):
        return self.model(scene, decay="none")

    @cause("the weights are shrunk apart from the gradient, as AdamW does it: here "
           "weight_decay * param is added to the gradient, and goes through the "
           "momentum")  # fmt: skip
    def decoupled(self, scene):
        return self.model(scene, decay="apart")

    @cause("nesterov is not used: the direction is grad + momentum * buffer")
    def no_nesterov(self, scene):
        return self.model(scene, look=False)

    @cause("dampening is not used: the gradient enters the buffer times 1 - dampening")
    def no_dampening(self, scene):
        return self.model(scene, damp=False)

    @cause("the gradient enters the buffer times 1 - momentum, as in a moving average: "
           "in SGD it enters whole, but for dampening")  # fmt: skip
    def averaged(self, scene):
        options = scene["options"]
        return self.model({**scene, "options": {**options,
                          "dampening": options.get("momentum", 0)}})  # fmt: skip
