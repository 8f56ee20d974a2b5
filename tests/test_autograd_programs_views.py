"""Views made in no_grad() and written outside, and the other way: as PyTorch does."""

import pytest
from answers import filled  # noqa: F401
from both import torch
from graphs import both_of, lines, outcome, quiet, rounded
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad

VIEWS = """
x = leaf(m); v = quiet(m, lambda: x[0]); v.mul_(2)
x = leaf(m); v = quiet(m, lambda: x[0]); v.mul_(2); return x
x = leaf(m); v = x[0:2]; quiet(m, v.mul_, 2);
    return x, v, v.requires_grad, x.requires_grad, x.is_leaf
x = leaf(m); v = x[0:2]; quiet(m, v.mul_, 2); (v * v).sum().backward(); return x.grad
x = leaf(m); return quiet(m, lambda: x[0:2].numpy().tolist() + x.numpy().tolist())
x = leaf(m); v = x[0:2]; v.mul_(2)
x = leaf(m); v = x[0:2]; quiet(m, x.mul_, 2); (v * v).sum().backward();
    return x.grad, v
x = leaf(m); v = x[0:2]; w = v * v; quiet(m, x.mul_, 2); w.sum().backward();
    return x.grad
x = leaf(m); v = x[0:2]; w = v * 3; quiet(m, x.mul_, 2); w.sum().backward();
    return x.grad
x = leaf(m); v = quiet(m, lambda: x.view(3, 1)); u = v[0]; u.mul_(2)
x = leaf(m); v = quiet(m, lambda: x.view(3, 1)); v[0] = 7.0
x = leaf(m); v = quiet(m, lambda: x.view(3, 1)); quiet(m, lambda: v[0].mul_(3));
    return x, v
x = leaf(m) * 1; v = quiet(m, lambda: x[0:2]); x.mul_(2); v.mul_(2); return v
w = leaf(m); x = w * 1; v = quiet(m, lambda: x[0:2]); x.mul_(2); v.sum().backward();
    return w.grad
w = leaf(m); x = m.zeros(3); v = quiet(m, lambda: x[0:2]); x.mul_(w);
    return v.requires_grad
w = leaf(m); x = m.zeros(3); v = quiet(m, lambda: x[0:2]); v.add_(1); return v, x
w = leaf(m); x = m.zeros(3); v = x[0:2]; quiet(m, v.add_, 1); v.mul_(w[0:2]);
    x.sum().backward(); return w.grad
w = leaf(m); x = m.zeros(3); v = x[0:2]; quiet(m, v.mul_, w[0:2]);
    return v.requires_grad, x.requires_grad
x = leaf(m); v = x.detach(); v.mul_(2); return x, x._version, v._version
x = leaf(m); v = x.detach()[0:2]; v.mul_(2); return x, v.requires_grad
x = leaf(m); v = quiet(m, lambda: x.detach()); v.mul_(2); return x
x = leaf(m); v = quiet(m, lambda: x.detach()[0:2]); v.mul_(2); return x
x = leaf(m); v = quiet(m, lambda: x[0:2].detach()); v.mul_(2); return x, v
x = leaf(m); v = quiet(m, lambda: x[0:2]).detach(); v.mul_(2); return x, v
x = leaf(m); v = quiet(m, lambda: x[0:2]); v.requires_grad_();
    return v.requires_grad, v.is_leaf
x = leaf(m); v = quiet(m, lambda: x[0:2]); v.requires_grad_(); (v * 3).sum().backward();
    return v.grad, x.grad
x = leaf(m); v = quiet(m, lambda: x[0:2]).requires_grad_(); v.mul_(2)
x = leaf(m); x.requires_grad_(False); v = x[0:2]; x.requires_grad_(); v.mul_(2)
x = m.ones(3); v = x[0:2]; x.requires_grad_(); v.mul_(2)
x = m.ones(3); v = x[0:2]; x.requires_grad_(); x[0].mul_(2)
x = m.ones(3); v = x[0:2]; x.requires_grad_(); quiet(m, v.mul_, 2); return x
x = m.ones(3); v = x[0:2]; v.requires_grad_(); (v * 2).sum().backward();
    return v.grad, x.requires_grad
x = m.ones(3); v = x[0:2]; v.requires_grad_(); v.mul_(2)
x = m.ones(3); v = x[0:2]; v.requires_grad_(); x.mul_(2);
    return x, v.requires_grad, v.is_leaf
x = m.ones(3); v = x[0:2]; v.requires_grad_(); x.mul_(2); (v * 2).sum().backward();
    return v.grad
x = leaf(m); quiet(m, lambda: x.__setitem__(0, 9.0));
    return x, x.requires_grad, x._version
x = leaf(m); y = x * x; quiet(m, lambda: x.__setitem__(0, 9.0)); y.sum().backward()
x = leaf(m); quiet(m, lambda: x.copy_(m.ones(3))); (x * x).sum().backward();
    return x.grad
x = leaf(m); v = x.view(3, 1); quiet(m, lambda: v.T.zero_());
    return x, v, v.requires_grad
x = leaf(m); v = quiet(m, m.enable_grad()(lambda: x[0:2])); v.mul_(2)
x = leaf(m) * 1; v = quiet(m, m.enable_grad()(lambda: x[0:2])); v.mul_(2); return v, x
x = leaf(m) * 1; v = quiet(m, lambda: x); v.mul_(2); return v, v.requires_grad
x = leaf(m) * 1; v = quiet(m, lambda: x.flatten()); v.mul_(2);
    return v, v.requires_grad
x = leaf(m) * 1; v = quiet(m, lambda: x.reshape(3, 1)); v.mul_(2);
    return v, v.requires_grad
x = leaf(m) * 1; v = quiet(m, lambda: x.contiguous()); v.mul_(2);
    return v, v.requires_grad
x = leaf(m) * 1; v = quiet(m, lambda: x.to(m.float32)); v.mul_(2);
    return v, v.requires_grad
x = leaf(m) * 1; v = quiet(m, lambda: x.clone()); v.mul_(2); return v, v.requires_grad
x = leaf(m) * 1; v = quiet(m, lambda: x.T); v.mul_(2)
x = leaf(m) * 1; v = quiet(m, lambda: x[[0, 1]]); v.mul_(2); return v, v.requires_grad
x = leaf(m) * 1; v = quiet(m, lambda: x[0:2]); v.copy_(m.ones(2))
x = leaf(m) * 1; v = quiet(m, lambda: x[0:2]); v.zero_()
x = leaf(m) * 1; v = quiet(m, lambda: x[0:2]); v.fill_(2.0)
x = leaf(m) * 1; v = quiet(m, lambda: x[0:2]); quiet(m, v.fill_, 2.0);
    x.sum().backward(); return x
w = leaf(m); x = w * 1; v = quiet(m, lambda: x[0:2]); quiet(m, v.fill_, 2.0);
    (x * 3).sum().backward(); return w.grad
w = leaf(m); x = w * 1; y = x * x; v = quiet(m, lambda: x[0:2]); quiet(m, v.fill_, 2.0);
    y.sum().backward()
w = leaf(m); x = w.exp(); v = x[0:2]; quiet(m, v.fill_, 2.0); x.sum().backward()
w = leaf(m); x = w.exp(); v = x.detach(); v.fill_(2.0); x.sum().backward()
x = leaf(m); v = x[0:2]; u = quiet(m, lambda: v[0]); u.mul_(2)
w = leaf(m); x = w * 1; v = x[0:2]; u = quiet(m, lambda: v[0:1]); v.mul_(3);
    (u * 2).sum().backward(); return w.grad
x = leaf(m); v = quiet(m, lambda: x[0:2]); return m.autograd.grad((v * v).sum(), v)
x = leaf(m); v = quiet(m, lambda: x[0]); v.backward()
x = m.ones(3); v = x[0:2]; x.requires_grad_(); v.requires_grad_();
    (v * v * x[1:]).sum().backward(); return v.grad, x.grad
x = leaf(m); v = quiet(m, lambda: x[0:2]); w = quiet(m, lambda: x.view(3, 1));
    ((v * v).sum() + (w * w).sum() + x.sum()).backward(); return x.grad, v.grad, w.grad
"""


@pytest.mark.parametrize("line", lines(VIEWS))
@pytest.mark.filterwarnings("ignore")
def test_program(line):
    ours, theirs = both_of(line)
    assert ours == theirs


def test_no_gradient_goes_through_a_view_of_no_grad():
    """PyTorch says that it requires one all the same, and then computes none."""
    x = minigrad.ones(3, requires_grad=True)
    view = quiet(minigrad, lambda: x[0:2])
    assert not view.requires_grad
    (view * x[1:] + view[1]).sum().backward()
    assert x.grad.tolist() == [0, 1, 1]


# ------------------------------------------------- random programs

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


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.booleans(), st.lists(STEP, min_size=2, max_size=8))
def test_random_programs(of_leaf, steps):
    def run(m):
        w = m.tensor([[0.5, -1.5], [2.0, 3.0]], requires_grad=True)
        views = [w if of_leaf else w * 1]
        loss = sum([take(m, step, views, w) for step in steps])
        asked = [(v.requires_grad, v.is_leaf, v._version) for v in views]
        (loss + sum((v * v).sum() for v in views)).backward()
        return w.grad, [v.grad for v in views if v.is_leaf], asked

    ours, theirs = (rounded(outcome(run, m)) for m in (minigrad, torch))
    assert ours == theirs
