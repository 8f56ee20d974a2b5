"""Learning rates that change from epoch to epoch."""

import math


class LRScheduler:
    """The base: call step() after each epoch, after the optimiser's step().

    It writes "lr" into every group of the optimiser; "initial_lr" is the first one.
    """

    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer, self.last_epoch = optimizer, last_epoch
        self._step_count = 0
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] "
                    "when resuming an optimizer"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.step()

    def get_lr(self):
        """The learning rates of the groups in epoch self.last_epoch."""
        raise NotImplementedError

    def step(self):
        """Begin the next epoch."""
        self.last_epoch += 1
        self._step_count += 1
        self._last_lr = [*self.get_lr()]
        for group, lr in zip(self.optimizer.param_groups, self._last_lr, strict=True):
            group["lr"] = lr

    def get_last_lr(self):
        """The learning rates that were set last."""
        return self._last_lr

    def state_dict(self):
        """Everything but the optimiser, and functions."""
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
        self.step_size, self.gamma = step_size, gamma
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
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        epoch, last, low = self.last_epoch, self.T_max, self.eta_min
        if epoch == 0:
            return self._lrs()
        pairs = zip(self._lrs(), self.base_lrs, strict=True)
        if self._step_count == 1:  # resumed
            share = (1 + math.cos(math.pi * epoch / last)) / 2
            return [low + (base - low) * share for base in self.base_lrs]
        if (epoch - 1 - last) % (2 * last) == 0:  # at the bottom: up again
            up = (1 - math.cos(math.pi / last)) / 2
            return [lr + (base - low) * up for lr, base in pairs]
        new, old = (1 + math.cos(math.pi * e / last) for e in (epoch, epoch - 1))
        return [new / old * (lr - low) + low for lr, _ in pairs]


class LambdaLR(LRScheduler):
    """The first learning rate times lr_lambda(epoch): a function, or one a group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        several = isinstance(lr_lambda, list | tuple)
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if several else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(
                f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}"
            )
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * factor(self.last_epoch) for base, factor in pairs]
