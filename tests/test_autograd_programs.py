"""Small programs with gradients: minigrad does what PyTorch does, errors too."""

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import torch
from graphs import both_of, lines, outcome
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad

# ------------------------------------------------- programs: both do the same
#
# Each is the body of a function of m that returns something; an indented line goes on.

PROGRAMS = """
x = leaf(m); y = x * x + x; y.sum().backward(); return x.grad
x = leaf(m); (x * x).sum().backward(); (x * x).sum().backward(); return x.grad
x = leaf(m); y = x.sum(); y.backward(); y.backward(); return x.grad
x = leaf(m); y = (x * x).sum(); y.backward(); y.backward()
x = leaf(m); y = (x * x).sum(); y.backward(retain_graph=True); y.backward();
    return x.grad
x = leaf(m); y = x.exp(); z = y * y; w = y + z; w.sum().backward(); return x.grad
x = leaf(m); x.backward()
x = leaf(m); (x * 2).backward()
x = leaf(m); (x * 2).backward(m.ones(2))
x = leaf(m); (x * 2).backward(m.tensor([1., 0., 3.])); return x.grad
m.ones(3).sum().backward()
x = leaf(m); x.sum().backward(); x.grad.add_(1); x.sum().backward(); return x.grad
x = leaf(m); g = m.ones(3); x.grad = g; x.sum().backward(); return g, x.grad is g
x = leaf(m); x.grad = m.ones(2)
x = leaf(m); x.grad = m.ones(3, dtype=m.float64)
x = leaf(m); x.grad = 3
x = leaf(m); x.sum().backward(); x.grad = None; return x.grad
x, y = leaf(m), leaf(m); (x + y).sum().backward(); x.grad.add_(1); return y.grad
x = leaf(m); g = m.ones(3); (x * 1.0 + 0).backward(g); x.grad.add_(1); return g
x = leaf(m); x.backward(m.ones(3)); x.grad.add_(1); return x.grad
x = leaf(m); g = m.ones(3); x.backward(g); x.grad.add_(1); return g
x = leaf(m); y = x.expand(2, 3); y.backward(m.ones(2, 3)); return x.grad
x = leaf(m); x.sum().backward(); return x.grad.is_contiguous(), x.grad.stride()
x = leaf(m); y = x * 2; y.retain_grad(); y.sum().backward(); return y.grad, x.grad
x = leaf(m); y = x * 2; y.retain_grad(); y.add_(1); (y * 3).sum().backward();
    return y.grad
m.ones(3).retain_grad()
x = leaf(m); y = x * 2; y.sum().backward(inputs=[y]); return y.grad, x.grad
x, w = leaf(m), leaf(m); (x * w).sum().backward(inputs=[w]); return x.grad, w.grad
x = leaf(m); (x * 2).sum().backward(inputs=[])
x = leaf(m); return m.autograd.grad((x * x).sum(), x), x.grad
x = leaf(m); y = x * x; return m.autograd.grad(y.sum(), [y, x])
x, w = leaf(m), leaf(m); return m.autograd.grad(x.sum(), [w])
x, w = leaf(m), leaf(m); return m.autograd.grad(x.sum(), [x, w], allow_unused=True)
x, w = leaf(m), leaf(m);
    return m.autograd.grad(x.sum(), [w], materialize_grads=True)
x = leaf(m); return m.autograd.grad(x.sum(), m.ones(3))
x = leaf(m); y = x * x; return m.autograd.grad([y, y], x, [m.ones(3), m.ones(3)])
x = leaf(m); y = x * x; m.autograd.backward([y.sum(), (y * y).sum()]); return x.grad
x = leaf(m); g, = m.autograd.grad((x ** 3).sum(), x, create_graph=True);
    g.sum().backward(); return g, x.grad
x = leaf(m); (x ** 3).sum().backward(create_graph=True); g = x.grad;
    return g.requires_grad, m.autograd.grad(g.sum(), x)
x = leaf(m); g, = m.autograd.grad(x.exp().sum(), x, create_graph=True);
    h, = m.autograd.grad(g.sum(), x, create_graph=True);
    return m.autograd.grad(h.sum(), x)
x = leaf(m); y = x * 2; y.detach().add_(1); return y, y.detach().requires_grad
x = leaf(m); y = x.exp(); y.detach().add_(1); y.sum().backward()
x = leaf(m); x.add_(1)
x = leaf(m); x[[0, 0, -1]].sum().backward(); return x.grad
x = leaf(m); y = x * 2; (y[y > 1] ** 2).sum().backward(); return x.grad
x = leaf(m); z = x * x.view(3, 1); (z[:, [0, 2, 0]] * x).sum().backward();
    return x.grad
x = leaf(m); y = x * 2; y[[0, 2]] = m.tensor([7., 8.]); (y * y).sum().backward();
    return y, x.grad
x, v = leaf(m), leaf(m); y = x * 2; y[m.tensor([2, 0, 1])] = v;
    (y * y).sum().backward(); return x.grad, v.grad
x = leaf(m); y = x.exp(); y[[0]] = m.ones(1); y.sum().backward()
x = leaf(m); x[[0]] = m.ones(1)
x = leaf(m); x[0] = 3.0
x = leaf(m); x[0].add_(1)
x = leaf(m); x.view(3, 1).zero_()
with m.no_grad(): x = leaf(m); x.add_(1); x[0] = 5.0; return x, x.requires_grad
x = leaf(m); y = (x * 1).mul_(x); y.sum().backward(); return x.grad
x = leaf(m); y = x * 1; y.mul_(y); y.sum().backward()
x = leaf(m); y = x.exp(); y.add_(1); y.sum().backward()
x = leaf(m); y = x.sigmoid(); z = y * 2; y.mul_(2); z.sum().backward()
x = leaf(m); y = x * 3; z = y * y; y.add_(1); z.sum().backward()
x = leaf(m); y = x * 3; z = y * 2; y.add_(1); z.sum().backward(); return x.grad
x = leaf(m); y = x * 3; z = y + 2; y.add_(1); (z + y).sum().backward();
    return x.grad
x, w = leaf(m), m.ones(3); y = x * w; w.add_(1); y.sum().backward()
x, w = m.ones(3), leaf(m); y = x * w; z = w + 1; x.add_(1); z.sum().backward();
    return w.grad
x = leaf(m); w = m.ones(3); y = w * x; w.view(3, 1).add_(1); y.sum().backward()
x = leaf(m); y = x.clamp(0, 2); x.detach().zero_(); y.sum().backward()
x = leaf(m); y = x.relu(); z = y.exp(); y[1] = 7.0; z.sum().backward();
    return x.grad
x = leaf(m); y = x.exp(); y[0] = 7.0; y.sum().backward()
x = leaf(m); y = x + 1; y[0] = 7.0; (y * y).sum().backward(); return x.grad
x = leaf(m); y = m.zeros(3); y[1] = x[0]; y[2:] = x[1:2] * x[2];
    (y * y).sum().backward(); return x.grad, y.requires_grad
x = leaf(m); y = m.zeros(3); v, u = y[0], y[1]; v.mul_(x[0]);
    return u.requires_grad, y.requires_grad, y.is_leaf
x = leaf(m); y = m.zeros(2, 3); u = y.view(6); y[1] = x; (u * u).sum().backward();
    return x.grad
x = leaf(m); y = x * 1; v = y[0:2]; y.mul_(x); v.sum().backward(); return x.grad
x = leaf(m); y = x * 1; v = y[0:2]; v.mul_(3); y.mul_(2);
    (y.sum() + v.sum()).backward(); return x.grad
x = leaf(m); y = (x * 1).view(3, 1); v = y.T; v.mul_(x); y.sum().backward();
    return x.grad
x = leaf(m); y = (x * 1).expand(2, 3); y.add_(1)
x = leaf(m) * 1; v = quiet(m, lambda: x[0]); v.mul_(2)
with m.no_grad(): x = leaf(m) * 1; x[0].mul_(2); return x, x._version
x = m.zeros(3); a = x._version; x.add_(1); x[0] = 2.0; y = x.view(3, 1); y.zero_();
    return a, x._version, y._version, x.detach()._version, x.clone()._version
x = leaf(m); x.requires_grad = False; return (x * 2).requires_grad
x = leaf(m); (x * 2).requires_grad = False
x = leaf(m); return (x * 2).requires_grad_().requires_grad
m.tensor([1, 2]).requires_grad_()
return m.tensor([1, 2], requires_grad=True)
return m.ones(3, requires_grad=True).requires_grad, m.zeros(2, requires_grad=True).grad
x = leaf(m); y = m.zeros_like(x, requires_grad=True);
    return y.requires_grad, m.zeros_like(x).requires_grad
x = leaf(m); return m.ones(3).requires_grad, (x + m.ones(3)).requires_grad
x = leaf(m); x.numpy()
x = leaf(m);
    return x.detach().numpy().tolist(), x.tolist(), x.sum().item(), float(x[0])
x = leaf(m);
    return (x * 2).grad_fn.name(), x.sum().grad_fn.name(), x.exp().grad_fn.name()
x = leaf(m); y = x * x; (a, i), (b, j) = y.grad_fn.next_functions;
    return a is b, i, j, a.variable is x
x = leaf(m); y = (x * 2).exp();
    return y.grad_fn.next_functions[0][0].name(), (x * 2).grad_fn.next_functions[1]
x = leaf(m);
    return x.max(0).indices.grad_fn, x.grad_fn is None
x = leaf(m); y = x.long(); return y.requires_grad, y.is_leaf, y.grad_fn
x = leaf(m); return (x > 1).requires_grad, (x > 1).is_leaf
x = m.tensor(2.0, requires_grad=True); (x * x).backward(); return x.grad
x = m.ones(0, requires_grad=True); x.sum().backward();
    return x.grad, x.grad.shape == (0,)
x = m.ones(1, 1, requires_grad=True); (x * 3).backward(); return x.grad
x = leaf(m); h = []; x.register_hook(h.append); (x * 2).sum().backward(); return h
x = leaf(m); x.register_hook(lambda g: g * 10); (x * 2).sum().backward();
    return x.grad
x = leaf(m); y = x * 2; y.register_hook(lambda g: g * 10); (y * y).sum().backward();
    return x.grad
x = leaf(m); y = x * 2; h = y.register_hook(lambda g: g * 10); h.remove();
    h.remove(); y.sum().backward(); return x.grad
x = leaf(m); n = []; x.register_hook(lambda g: n.append(1));
    (x * x).sum().backward(); x.sum().backward(); return n
x = leaf(m); h = []; x.register_hook(h.append); x.sum().backward(); x.grad.add_(1);
    return h
x = leaf(m); y = x * 2; y.register_hook(lambda g: g * 3);
    return m.autograd.grad(y.sum(), [y]), m.autograd.grad((x * y).sum(), x)
x = leaf(m); y = x * 2; y.retain_grad(); y.register_hook(lambda g: g * 3);
    y.sum().backward(); return y.grad
m.ones(3).register_hook(print)
x = leaf(m); y = x * 2; y.register_hook(lambda g: g * 3); y.add_(1);
    y.register_hook(lambda g: g * 5); y.sum().backward(); return x.grad
"""


@pytest.mark.parametrize("line", lines(PROGRAMS))
def test_program(line):
    ours, theirs = both_of(line)
    assert ours == theirs


# ------------------------------------------------- random programs in place


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
