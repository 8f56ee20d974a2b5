"""Hooks, kept gradients, grad(), gradients of gradients, writes: as PyTorch does."""

import pytest
from answers import filled  # noqa: F401
from graphs import both_of, lines

PROGRAMS = """
x = leaf(m); h = []; y = x * 2; y.register_hook(lambda g: h.append(1)); z = y * 3;
    z.register_hook(lambda g: h.append(2)); x.register_hook(lambda g: h.append(3));
    z.sum().backward(); return h
x = leaf(m); y = x * 2; y.register_hook(lambda g: g * 2);
    y.register_hook(lambda g: g + 1); y.sum().backward(); return x.grad
x = leaf(m); y = x * 2; y.retain_grad(); y.register_hook(lambda g: g * 2);
    y.sum().backward(); return y.grad, x.grad
x = leaf(m); y = x * 2; y.register_hook(lambda g: g * 2); y.retain_grad();
    y.retain_grad(); (y + y.exp()).sum().backward(); return y.grad, x.grad
x = leaf(m); y = x * 2; y.retain_grad(); y.sum().backward(retain_graph=True);
    y.sum().backward(); return y.grad, x.grad
x = leaf(m); y = x * 2; y.retain_grad(); v = y[0:2]; v.retain_grad(); v.mul_(3);
    y.sum().backward(); return y.grad, x.grad
x = leaf(m); y = x * 2; v = y[0:2]; v.retain_grad(); y.mul_(3); v.sum().backward();
    return v.grad, x.grad
x = leaf(m); y = x * 2; v = y[0:2]; v.register_hook(lambda g: g * 10); y.mul_(3);
    v.sum().backward(); return x.grad
x = leaf(m); y = x * 2; v = y[0:2]; v.register_hook(lambda g: g * 10); v.mul_(3);
    v.sum().backward(); return x.grad
x = leaf(m); x.register_hook(lambda g: m.ones(2)); x.sum().backward(); return x.grad
x = leaf(m); y = x * 2; y.register_hook(lambda g: m.ones(2)); y.sum().backward();
    return x.grad
x = leaf(m); y = x * 2; y.register_hook(lambda g: 3); y.sum().backward()
x = leaf(m); y = x * 2; y.register_hook(lambda g: g.to(m.float64)); y.sum().backward();
    return x.grad
x = leaf(m); y = x * 2; y.register_hook(lambda g: g.mul_(2)); (y + 1).sum().backward();
    return x.grad
x = leaf(m); h = x.register_hook(lambda g: g * 2); h.remove(); x.sum().backward();
    return x.grad
x = leaf(m); h = x.register_hook(lambda g: g * 2); x.sum().backward(); h.remove();
    x.sum().backward(); return x.grad
x = leaf(m); x.register_hook(lambda g: int("a")); x.sum().backward()
x = leaf(m); y = (x * x).sum(); x.register_hook(lambda g: g * 2);
    return m.autograd.grad(y, x)
x = leaf(m); y = x * x; z = y * 2;
    return m.autograd.grad(z.sum(), [y, x], allow_unused=True), x.grad
x, w = leaf(m), leaf(m); y = (x * w).sum();
    return m.autograd.grad(y, [x, w], create_graph=True)[0].requires_grad
x, w = leaf(m), leaf(m);
    return m.autograd.grad((x * 2).sum(), [x, w], allow_unused=True, create_graph=True)
x, w = leaf(m), leaf(m); y = (x * 2).sum();
    m.autograd.grad(y, [w], allow_unused=False, materialize_grads=True)
x = leaf(m); y = x * x; a = m.autograd.grad(y, x, m.ones(3), retain_graph=True);
    return a, m.autograd.grad(y, x, m.ones(3))
x = leaf(m); y = x * x; m.autograd.grad(y.sum(), x); y.sum().backward()
x = leaf(m); y = x * x; m.autograd.grad(y.sum(), x, create_graph=True);
    y.sum().backward(); return x.grad
x = leaf(m);
    return m.autograd.grad([x.sum(), (x * x).sum()], [x], [m.tensor(2.0), None])
x = leaf(m); return m.autograd.grad(x, x, m.ones(3))
x = leaf(m); return m.autograd.grad(x[0], x)
x = leaf(m); return m.autograd.grad(x[0:2].sum(), x[0:2])
x = leaf(m); v = x[0:2]; return m.autograd.grad(v.sum(), [v, x])
x = leaf(m); v = x[0:2]; return m.autograd.grad(x.sum(), v, allow_unused=True)
x = leaf(m); y = x * 1; v = y[0:2]; v.mul_(2);
    return m.autograd.grad(y.sum(), [v], allow_unused=True)
x = leaf(m); y = x * 1; v = y[0:2]; v.mul_(2); return m.autograd.grad(y.sum(), [y, x])
x = leaf(m); return twice(m, x[[0, 0, 2]] ** 3, x)
x = leaf(m); return twice(m, x[1:] ** 3, x)
x = leaf(m); return twice(m, x[x > 1] ** 3, x)
x = leaf(m); return twice(m, m.cat([x, x * x]) ** 2, x)
x = leaf(m); return twice(m, m.stack([x, x * x], 1) ** 2, x)
x = leaf(m); return twice(m, m.where(x > 1, x * x * x, x.exp()), x)
x, w = leaf(m), leaf(m); y = x.view(3, 1) @ w.view(1, 3); return twice(m, y * y, x, w)
x, w = leaf(m), leaf(m); z = (x * x.view(3, 1)).view(1, 1, 3, 3);
    y = m.nn.functional.conv2d(z, w.view(1, 1, 1, 3), padding=1);
    return twice(m, y ** 3, w, x)
x = leaf(m); y = m.nn.functional.max_pool2d((x * x.view(3, 1)).view(1, 1, 3, 3), 2, 1);
    return twice(m, y ** 3, x)
x = leaf(m); return twice(m, x.softmax(0) ** 2, x)
x = leaf(m); return twice(m, x.max() * x, x)
x = leaf(m); return twice(m, x.max(0).values ** 3, x)
x = leaf(m); return twice(m, x.prod() * x, x)
x = leaf(m); return twice(m, x.gather(0, m.tensor([2, 2, 0])) ** 3, x)
x = leaf(m); y = x * 1; y[0] = y[1] * y[2]; return twice(m, y ** 2, x)
x = leaf(m); y = x * 1; y[[0, 2]] = y[1] * x[0:2]; return twice(m, y ** 2, x)
x = leaf(m); y = x * 1; y[y > 1] = 0.5; (y * y).sum().backward(); return y, x.grad
x = leaf(m); y = x * 1; y[y > 1] = y[y > 1] * 2; (y * y).sum().backward();
    return y, x.grad
x = leaf(m); y = x * 1; y[0:2] = y[1:3].clone(); (y * y).sum().backward();
    return y, x.grad
x = leaf(m); y = x * 1; z = y.softmax(0); z.mul_(2); z.sum().backward()
x = leaf(m); y = x * 1; z = y.softmax(0); y.mul_(2); (z * y).sum().backward();
    return x.grad
x = leaf(m); y = x * 1; z = y.log(); y.mul_(2); z.sum().backward()
x = leaf(m); y = x * 1; z = y.sum(); y.mul_(2); z.backward(); return x.grad
x = leaf(m); y = x * 1; z = y.max(); y.mul_(2); z.backward()
x = leaf(m); y = x * 1; z = y.amax(); z.mul_(2); z.backward()
x = leaf(m); y = x * 1; z = y.max(0).values; y.mul_(2); z.backward(); return x.grad
x = leaf(m); y = x * 1; z = y @ x; y.mul_(2); z.backward()
x = leaf(m); y = x * 1; z = y.view(3, 1) @ m.ones(1, 2); y.mul_(2); z.sum().backward();
    return x.grad
x = leaf(m); y = x * 1; w = m.ones(3); z = y @ w; w.view(3, 1).add_(1); z.backward()
x = leaf(m); y = x * 1; w = m.ones(3); z = y @ w; w[0] = 1.0; z.backward()
x = leaf(m); w = m.ones(3); v = w[0:1]; z = (x * w).sum(); v.add_(1); z.backward()
x = leaf(m); w = m.ones(4); z = (x * w[0:3]).sum(); w[3] = 5.0; z.backward()
x = leaf(m); w = m.ones(4); z = (x * w[0:3].clone()).sum(); w[3] = 5.0; z.backward();
    return x.grad
x = leaf(m); y = x * 1; z = m.where(y > 1, y, y * 2); y.mul_(2); z.sum().backward();
    return x.grad
x = leaf(m); c = m.tensor([True, False, True]); z = m.where(c, x, x * 2); c[0] = False;
    z.sum().backward()
x = leaf(m); i = m.tensor([0, 1]); z = x.gather(0, i); i[0] = 2; z.sum().backward()
x = leaf(m); y = x * 1; z = m.cat([y, y]); y.mul_(2); z.sum().backward(); return x.grad
x = leaf(m); y = x * 1; z = y / x; y.mul_(2); z.sum().backward(); return x.grad
x = leaf(m); y = x * 1; z = x / y; y.mul_(2); z.sum().backward()
x = leaf(m); y = x * 1; z = y.sqrt(); y.mul_(2); z.sum().backward(); return x.grad
x = leaf(m); y = x * 1; z = y ** 2; y.mul_(2); z.sum().backward()
x = leaf(m); y = x * 1; z = y ** 1; y.mul_(2); z.sum().backward()
x = leaf(m); y = x * 1; z = y.clamp(0, 2); y.mul_(2); z.sum().backward()
x = leaf(m); y = x * 1; z = abs(y); y.mul_(2); z.sum().backward()
x = leaf(m); y = x * 1; z = y.relu(); y.mul_(2); z.sum().backward(); return x.grad
x = leaf(m); y = x * 1; z = y.std(); y.mul_(2); z.backward()
x = leaf(m); y = x * 1; z = y.prod(); y.mul_(2); z.backward()
x = leaf(m); y = x * 1; z = y.log_softmax(0); y.mul_(2); z.sum().backward();
    return x.grad
x = leaf(m); y = x * 1; z = m.nn.functional.mse_loss(y, m.ones(3)); y.mul_(2);
    z.backward()
x = leaf(m); y = x * 1; z = m.nn.functional.gelu(y); y.mul_(2); z.sum().backward()
x = leaf(m); y = (x * 1).view(1, 3); z = m.nn.functional.layer_norm(y, (3,)); y.mul_(2);
    z.sum().backward()
x = leaf(m); y = (x * 1).view(1, 1, 3, 1); w = m.ones(1, 1, 1, 1, requires_grad=True);
    z = m.nn.functional.conv2d(y, w); y.mul_(2); z.sum().backward()
x = leaf(m); y = x * 2; y.requires_grad_(True); y.requires_grad = True;
    return y.is_leaf
x = leaf(m); y = x * x; y.backward(m.ones(3), inputs=[x]); return x.grad
x, w = leaf(m), leaf(m); y = x * w; y.sum().backward(inputs=x); return x.grad, w.grad
x = leaf(m); y = x * 2; y.sum().backward(inputs=[x, y]); return x.grad, y.grad
x = leaf(m); y = x * x; y.sum().backward(create_graph=True); z = (x.grad * x).sum();
    x.grad = None; z.backward(); return x.grad
x = leaf(m); y = x.expand(2, 3); y.sum().backward(); return x.grad
x = leaf(m); y = x.expand(2, 3).clone(); y[0].mul_(x); (y * y).sum().backward();
    return x.grad
x = leaf(m); y = m.zeros(2, 3); y[0], y[1] = x, x * 2; a, b = y;
    (a * b).sum().backward(); return x.grad
x = leaf(m); y = m.zeros(3, dtype=m.float64); y.copy_(x); y.sum().backward();
    return x.grad
x = leaf(m); y = m.zeros(3, dtype=m.int64); y.copy_(x); return y.requires_grad
x = leaf(m); y = x * 1; y.fill_(2.0); (y * x).sum().backward();
    return x.grad, y.requires_grad
x = leaf(m); y = x * 1; y.zero_(); y.add_(x); y.sum().backward(); return x.grad
x = leaf(m); y = x * 1; y += y; y.sum().backward(); return x.grad
x = leaf(m); y = x * 1; y *= y; y.sum().backward()
x = leaf(m); y = x; y += 1
x = leaf(m); y = x * 1; y -= y * 2; y /= 3; y **= 2; y.sum().backward(); return x.grad
x = leaf(m); y = x * 1; v = y[0:2]; u = y[1:3]; v.mul_(2); u.mul_(3);
    y.sum().backward(); return x.grad
x = leaf(m); y = x * 1; v = y[0:2]; u = v[1:2]; u.mul_(5); v.mul_(2);
    (y.sum() + u.sum()).backward(); return x.grad
x = leaf(m); y = x * 1; v = y[0:2]; u = y[1:3]; v.mul_(u); y.sum().backward()
x = leaf(m); y = x * 1; v = y[0:1]; u = y[1:2]; v.mul_(u); y.sum().backward()
x = leaf(m); y = x * 1; v = y[0:1]; u = y[1:2].clone(); v.mul_(u); y.sum().backward();
    return x.grad
x = leaf(m); y = x * 1; d = y.detach(); z = y * y; d[0] = 5.0; z.sum().backward()
x = leaf(m); y = x * 1; z = y.T; z.add_(1); return y, y._version, z._version
x = leaf(m); y = x.double(); y.sum().backward();
    return x.grad, x.grad.dtype == m.float32
x = leaf(m); y = x.double() * x; y.sum().backward(); return x.grad
x = leaf(m); a, b = x[0], x[1]; a.backward(); b.backward(); return x.grad
x = leaf(m); y = (x * 2)[0]; y.backward(m.tensor([1.0]))
x = leaf(m); y = x.sum(); y.backward(m.tensor(2)); return x.grad
x = leaf(m); y = x.sum(); y.backward(2.0)
x = leaf(m); y = (x * 2).sum(); y.backward(m.tensor(2.0, requires_grad=True));
    return x.grad, x.grad.requires_grad
x = leaf(m); g = m.tensor(2.0, requires_grad=True);
    (x * x).sum().backward(g, create_graph=True); x.grad.sum().backward();
    return g.grad
x = leaf(m); y = x * 2; del x; y.sum().backward();
    return y.grad_fn.next_functions[0][0].variable.grad
x = leaf(m); y = x * 2; z = y.detach().requires_grad_(); (z * z).sum().backward();
    y.backward(z.grad); return x.grad
x = leaf(m); y = x * 2; y.retain_grad(); y.sum().backward(retain_graph=True); y.add_(1);
    return y.grad
x = leaf(m); y = m.zeros(3); y.grad = m.ones(3); y.mul_(x);
    return y.grad
x = leaf(m); y = x * 2; v = y[0:2]; v.retain_grad(); v.mul_(3); v.sum().backward();
    return v.grad, x.grad
x = leaf(m); y = x * 2; v = y[0:2]; v.retain_grad(); v.mul_(3); y.mul_(5);
    v.sum().backward(); return v.grad, x.grad
x = leaf(m); y = x * 2; v = y[0:2]; v.retain_grad();
    (y * 2).sum().backward(retain_graph=True); y.mul_(3); v.sum().backward();
    return v.grad, x.grad
x = leaf(m); y = x * 2; y.register_hook(lambda g: m.ones(3, dtype=m.float64));
    y.sum().backward()
x = leaf(m); x.register_hook(lambda g: g.tolist()); x.sum().backward()
x = leaf(m); x.requires_grad = True; x.requires_grad = False; return x.requires_grad
"""


@pytest.mark.parametrize("line", lines(PROGRAMS))
@pytest.mark.filterwarnings("ignore")
def test_program(line):
    ours, theirs = both_of(line)
    assert ours == theirs
