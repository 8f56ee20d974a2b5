"""Learning rates that change from epoch to epoch."""

import math
import warnings

from ..suggest import Suggesting, in_module
from .optimizer import Optimizer


class LRScheduler(Suggesting):
    """The base: call step() after each epoch, after the optimizer's step().

    It writes "lr" into every group of the optimizer; "initial_lr" is the first one.
    """

    def __init__(self, optimizer, last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer, self.last_epoch = optimizer, last_epoch
        self._step_count, optimizer.stepped = 0, False
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", float(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] "
                    "when resuming an optimizer: load_state_dict() gives it back, or "
                    "begin with last_epoch=-1"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.step()

    def get_lr(self):
        """The learning rates of the groups in epoch self.last_epoch."""
        raise NotImplementedError

    def step(self):
        """Begin the next epoch; a warning if the first one had no optimizer.step()."""
        knows = type(self.optimizer).step is Optimizer.step
        if self._step_count == 1 and knows and not self.optimizer.stepped:
            warnings.warn(
                "scheduler.step() before optimizer.step(): the first learning rate is "
                "never used. The scheduler's step comes at the end of an epoch",
                stacklevel=2,
            )
        self.last_epoch += 1
        self._step_count += 1
        self._last_lr = [*self.get_lr()]
        for group, lr in zip(self.optimizer.param_groups, self._last_lr, strict=True):
            if hasattr(group["lr"], "storage"):
                group["lr"].fill_(lr)  # where kernels that were captured find it
            else:
                group["lr"] = lr

    def get_last_lr(self):
        """The learning rates that were set last."""
        return self._last_lr

    def state_dict(self):
        """Everything but the optimizer, and functions."""
        left_out = "optimizer", "lr_lambdas"
        return {k: v for k, v in vars(self).items() if k not in left_out}

    def load_state_dict(self, state_dict):
        """Go on from a state_dict."""
        vars(self).update(state_dict)

    def _lrs(self):
        return [group["lr"] for group in self.optimizer.param_groups]


class StepLR(LRScheduler):
    """Multiplied by gamma every step_size epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = epochs("step_size", step_size), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self._lrs()
        return [lr * self.gamma for lr in self._lrs()]


class CosineAnnealingLR(LRScheduler):
    """Down half a wave of the cosine, to eta_min at epoch T_max.

    From one epoch to the next, so that it may run beside another scheduler.
    I. Loshchilov, F. Hutter: SGDR (2017).
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = epochs("T_max", T_max), eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        epoch, last, low = self.last_epoch, self.T_max, self.eta_min
        if self._step_count == 1:  # the first epoch has the rates that are there
            return self._lrs()
        pairs = zip(self._lrs(), self.base_lrs, strict=True)
        if (epoch - 1 - last) % (2 * last) == 0:  # at the bottom: up again
            up = (1 - math.cos(math.pi / last)) / 2
            return [lr + (base - low) * up for lr, base in pairs]
        new, old = (1 + math.cos(math.pi * e / last) for e in (epoch, epoch - 1))
        return [new / old * (lr - low) + low for lr, _ in pairs]


class LambdaLR(LRScheduler):
    """The first learning rate times lr_lambda(epoch): a function, or one a group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        several = isinstance(lr_lambda, list | tuple)
        for function in lr_lambda if several else [lr_lambda]:
            if not callable(function):
                raise TypeError(
                    "lr_lambda is a function of the epoch, or a list of them, as "
                    f"lambda epoch: 0.9**epoch, not {function!r}"
                )
        groups = len(getattr(optimizer, "param_groups", self.__dict__))
        self.lr_lambdas = list(lr_lambda) if several else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(
                f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}"
            )
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * factor(self.last_epoch) for base, factor in pairs]


def epochs(name, number):
    """The number of epochs; ValueError unless it is one that divides."""
    if isinstance(number, bool) or not isinstance(number, int | float) or not number:
        raise ValueError(f"{name} is a number of epochs, at least 1, not {number!r}")
    return number


__getattr__ = in_module(__name__)
