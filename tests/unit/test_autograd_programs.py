"""Small programs with gradients: minigrad does what PyTorch does, errors too.

Each program of autograd_programs.txt is the body of a function of m that returns
something; an indented line goes on.
"""

from pathlib import Path

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import torch
from graphs import both_of, lines, outcome, quiet, rounded
from hypothesis import given, settings
from hypothesis import strategies as st
from table import table

import minigrad

SUPPORT = Path(__file__).parents[1] / "support"
PROGRAMS = (SUPPORT / "autograd_programs.txt").read_text("utf-8")


@table("line", lines(PROGRAMS))
@pytest.mark.filterwarnings("ignore")
def test_program(line):
    ours, theirs = both_of(line)
    assert ours == theirs


# ------------------------------------------------- random programs in place


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 7), min_size=1, max_size=7))
def test_random_programs_in_place(steps):
    """Views and writes through them, in any order: one gradient, or both refuse."""

    def run(m):
        w = m.tensor([0.5, -1.5, 2.0, 3.0], requires_grad=True)
        x = m.zeros(2, 2) + w.view(2, 2)
        views = [x[0], x.T, x.view(4)]
        for step in steps:
            if step == 0:
                views[0].mul_(w[:2])
            elif step == 1:
                views[1][1] = w[2:] * 2
            elif step == 2:
                views[2].add_(1)
            elif step == 3:
                x.mul_(x.detach() + 1)
            elif step == 4:
                views.append(x[:, 1])
            elif step == 5:
                views[-1].exp_()
            elif step == 6:
                x = x * views[2].view(2, 2)
                views = [x[0], x.T, x.view(4)]
            else:
                views[0].copy_(views[1][0].clone())
        (sum(v.sum() for v in views) + (x * x).sum()).backward()
        return w.grad

    ours, theirs = outcome(run, minigrad), outcome(run, torch)
    if isinstance(theirs, str):
        assert ours == theirs
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)


# ------------------------------------------------- random programs of views

VIEWING = [lambda v: v[0:1], lambda v: v[..., 0], lambda v: v.reshape(-1),
           lambda v: v.permute(*reversed(range(v.ndim)))]  # fmt: skip


def take(m, step, views, w):
    """One step of a program: another view, a write, or something to add to the loss."""
    what, which, how = step
    v, view = views[which % len(views)], VIEWING[how]
    if what == "view" and v.ndim and v.is_contiguous():
        views.append(view(v))
    elif what == "write":
        v.mul_(3) if how else v.fill_(1.5)
    elif what == "write in no_grad()":
        quiet(m, v.mul_, 2)
    elif what == "write w":
        v.add_(w.sum())
    elif what == "use":
        return (v * v).sum()
    return 0


WHAT = ["view", "write", "write in no_grad()", "write w", "use"]
STEP = st.tuples(st.sampled_from(WHAT), st.integers(0, 4), st.integers(0, 3))


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.booleans(), st.lists(STEP, min_size=2, max_size=8))
def test_random_programs_of_views(of_leaf, steps):
    def run(m):
        w = m.tensor([[0.5, -1.5], [2.0, 3.0]], requires_grad=True)
        views = [w if of_leaf else w * 1]
        loss = sum([take(m, step, views, w) for step in steps])
        asked = [(v.requires_grad, v.is_leaf, v._version) for v in views]
        (loss + sum((v * v).sum() for v in views)).backward()
        return w.grad, [v.grad for v in views if v.is_leaf], asked

    ours, theirs = (rounded(outcome(run, m)) for m in (minigrad, torch))
    assert ours == theirs
