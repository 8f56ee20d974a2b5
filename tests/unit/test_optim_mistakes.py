"""Mistakes with optimizers, schedules and clipping: as PyTorch or clearer."""

import math

import pytest
from answers import filled  # noqa: F401
from both import torch
from table import table

import minigrad

# what is written | words of minigrad's error; PyTorch refuses it as well, now or later
MISTAKES = """
SGD(net)                                  | should be an iterable .* but got Linear: model.par
SGD(None)                                 | got NoneType
SGD(used_up(net.parameters()))            | empty parameter list: .* call it again
SGD([net.weight * 2])                     | can't optimize a non-leaf .* a leaf, as
SGD(net.state_dict())                     | one of the params is str: a list of tensors
SGD([{"param": net.weight}])              | has no 'params', but 'param'
SGD([net.weight], lr="fast")              | Invalid learning rate: a number .* not str
SGD([net.weight], momentum=None)          | Invalid momentum value: .* not NoneType
SGD([net.weight], lr=-0.1)                | Invalid learning rate: -0.1
Adam([net.weight], betas=0.9)             | betas are two numbers
Adam([net.weight], betas=(0.9,))          | betas are two numbers
Adam([net.weight], betas=(0.9, 1.0))      | Invalid beta parameter at index 1: 1.0
opt.load_state_dict("opt.safetensors")    | 'state' and 'param_groups', but this is 'opt.saf
opt.load_state_dict(net.state_dict())     | 'state' and 'param_groups', but .*weight
opt.add_param_group([net.bias])           | param_group must be a dict, but got
stepped(s.StepLR(opt, 0))                 | step_size is a number of epochs, at least 1, not 0
stepped(s.StepLR(opt, "2"))               | step_size .* not '2'
stepped(s.CosineAnnealingLR(opt, 0))      | T_max is a number of epochs, at least 1, not 0
s.StepLR(net, 2)                          | Linear is not an Optimizer
s.LambdaLR(0.1, abs)                      | float is not an Optimizer
s.LambdaLR(opt, 0.5)                      | lr_lambda is a function of the epoch, .* not 0.5
s.LambdaLR(opt, [abs, abs])               | Expected 1 lr_lambdas, but got 2
s.CosineAnnealingLR(opt, 9, last_epoch=4) | 'initial_lr' is not specified in param_groups.0
clip(net, 1.0)                            | got Linear: model.parameters..
clip([1.0], 1.0)                          | expected a tensor or several of them, got list
clip_value(None, 1.0)                     | expected a tensor .* got NoneType
"""  # noqa: E501


def used_up(iterator):
    assert list(iterator)
    return iterator


def stepped(schedule):
    schedule.optimizer.step()
    schedule.step()


def names(m):
    net = m.nn.Linear(2, 1)
    opt = m.optim.SGD([net.weight], lr=0.1)
    clips = m.nn.utils.clip_grad_norm_, m.nn.utils.clip_grad_value_
    given = {"used_up": used_up, "stepped": stepped, "net": net, "opt": opt}
    clips = dict(zip(("clip", "clip_value"), clips, strict=True))
    optimizers = {name: getattr(m.optim, name) for name in ("SGD", "Adam")}
    return {**given, **clips, **optimizers, "s": m.optim.lr_scheduler}


@table("line", MISTAKES.strip().split("\n"))
def test_a_mistake_is_reported(line):
    text, words = map(str.strip, line.split(" | "))
    with pytest.raises((TypeError, ValueError, KeyError), match=words):
        eval(text, names(minigrad))
    with pytest.raises(Exception):  # noqa: B017  PyTorch's own may be any
        eval(text, names(torch))


def test_a_cosine_that_goes_on_begins_with_the_rate_that_is_there():
    p = minigrad.nn.Parameter(minigrad.ones(1))
    opt = minigrad.optim.SGD([{"params": [p], "initial_lr": 1.0}], lr=0.5)
    cosine = minigrad.optim.lr_scheduler.CosineAnnealingLR(opt, 10, last_epoch=6)
    assert (cosine.get_last_lr(), cosine.base_lrs) == ([0.5], [1.0])
    opt.step()
    cosine.step()
    new, old = (1 + math.cos(math.pi * epoch / 10) for epoch in (8, 7))
    assert cosine.get_last_lr() == [pytest.approx(0.5 * new / old)]


GRADIENTS = [
    ([[3.0, -4.0], [0.0, 0.0]],),
    ([[3.0, 0.0]], [0.5, -2.0, 1.0]),
    ([0.0, 0.0], [0.0]),
    ([1.0, math.inf],),
    ([1.0, math.nan],),
]


@pytest.mark.parametrize("order", [1, 2, 3, 0.5, math.inf])
@pytest.mark.parametrize("gradients", GRADIENTS, ids=str)
@pytest.mark.parametrize("single", [False, True])
def test_clipping_by_norms_of_many_orders(gradients, order, single):
    results = []
    for m in minigrad, torch:
        params = [m.nn.Parameter(m.zeros(m.tensor(g).shape)) for g in gradients]
        for p, g in zip(params, gradients, strict=True):
            p.grad = m.tensor(g)
        norm = m.nn.utils.clip_grad_norm_(params[0] if single else params, 1.5, order)
        values = [x for p in params for x in p.grad.flatten().tolist()]
        results.append([float(norm), *values])
    assert results[0] == pytest.approx(results[1], rel=1e-5, nan_ok=True)


def test_clipping_says_what_is_not_finite():
    for m in minigrad, torch:
        p = m.nn.Parameter(m.ones(2))
        assert m.nn.utils.clip_grad_norm_([], 1.0, error_if_nonfinite=True).item() == 0
        p.grad = m.tensor([1.0, math.inf])
        with pytest.raises(RuntimeError, match="of order inf .* is non-finite"):
            m.nn.utils.clip_grad_norm_([p], 1.0, math.inf, error_if_nonfinite=True)
        assert p.grad.tolist() == [1, math.inf]
