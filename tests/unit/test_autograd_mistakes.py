"""Mistakes with gradients: each has its error, as in PyTorch or clearer."""

import warnings

import pytest
from answers import filled  # noqa: F401
from both import torch
from table import table

import minigrad
from minigrad.autograd import Function, gradcheck


def functions(m):
    return m.functional if m is minigrad else m.nn.functional


SAVES = """
f.linear(x, w) | x[m.tensor([0, 1])] | x * 2 | 2 * x | x / 2 | 2 / x | x ** 2 | x * x
x.exp() | f.dropout(x) | f.dropout(x, 1.0) | f.avg_pool2d(x.view(1, 1, 4, 2), 2)
f.max_pool2d(x.view(1, 1, 4, 2), 2) | x.clone().mul_(2) | x.clone().add_(x * x)
set_row(x.clone(), 0) | f.linear(d, w) | f.relu(x) | x.masked_fill(x > 0, 2.0)
"""
SAVES_NOTHING = """
x + 1 | 1 - x | -x | x + x | x.mean() | x.view(8) | x.T | x[1:] | f.dropout(x, 0.0)
f.dropout(x, training=False) | m.cat([x, x]) | x.clone() | x.double()
x.clone().add_(1)
f.linear(d, d, x[:, 0]) | x.expand(3, 4, 2) | x.sum(0)
"""


def second_backward(m, text):
    """True, or the error that a second backward raises."""
    x, w = (m.ones(n, 2, requires_grad=True) for n in (4, 3))
    names = {"m": m, "f": functions(m), "x": x, "w": w, "d": m.ones(4, 2)}
    y = eval(text, {**names, "set_row": set_row}).sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError as error:
        return str(error)[:60]
    return True


def set_row(x, number):
    x[number] = 5
    return x


@table("text", SAVES.strip().replace("\n", " | ").split(" | "))
def test_a_second_backward_needs_what_the_first_let_go(text):
    ours, theirs = (second_backward(m, text) for m in (minigrad, torch))
    assert "backward through the graph a second" in theirs
    assert ours == theirs


@pytest.mark.parametrize(
    "text", SAVES_NOTHING.strip().replace("\n", " | ").split(" | ")
)
def test_a_second_backward_of_what_saves_nothing(text):
    assert second_backward(torch, text) is True
    assert second_backward(minigrad, text) is True


def test_a_gradient_that_is_not_kept_is_warned_of():
    for m in (minigrad, torch):
        x = m.ones(2, requires_grad=True)
        y, kept = x * 2, x * 3
        kept.retain_grad()
        for tensor in (y, x[0], y.view(2)):
            with pytest.warns(UserWarning, match="not a leaf Tensor .*retain_grad"):
                assert tensor.grad is None
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for z in (x, m.ones(2), y.detach(), kept):
                assert z.grad is None
            y.grad = m.ones(2)
            (y + kept).sum().backward()
            assert (y.grad.tolist(), kept.grad.tolist()) == ([1, 1], [1, 1])


@pytest.mark.parametrize("text, error, words", [
    ("grad(y, [])", (RuntimeError, ValueError), "empty"),
    ("grad([y, y], x, [y])", RuntimeError, "got 2 tensors and 1 gradients"),
    ("grad([3.0], x)", (TypeError, AssertionError), "[tT]ensor"),
    ("grad(y, 'x')", RuntimeError, "all inputs have to be Tensors.* but got str"),
    ("grad(y, 3)", TypeError, "int"),
    ("backward([y, y], [None])", RuntimeError, "got 2 tensors and 1 gradients"),
    ("y.backward(inputs=[1])", RuntimeError, "all inputs have to be Tensors.* got int"),
])  # fmt: skip
def test_what_is_no_tensor_has_no_gradient(text, error, words):
    for m in (minigrad, torch):
        x = m.ones(2, requires_grad=True)
        names = {"grad": m.autograd.grad, "backward": m.autograd.backward}
        with pytest.raises(error, match=words):
            eval(text, {**names, "x": x, "y": (x * x).sum()})


def test_numbers_are_not_saved_as_tensors():
    for m in (minigrad, torch):

        class Saves(m.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x, 3)
                return x

        with pytest.raises(TypeError, match="argument 1 is of type int"):
            Saves.apply(m.ones(2, requires_grad=True))


def test_gradcheck_says_that_no_tensor_was_returned():
    x = minigrad.ones(2, dtype=minigrad.float64, requires_grad=True)
    with pytest.raises(ValueError, match="to return a tensor, or several, not float"):
        gradcheck(lambda x: x.sum().item(), (x,))


def test_gradcheck_sees_a_gradient_that_is_lost():
    x = minigrad.ones(2, dtype=minigrad.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="is 0 by backward and 2 by differences"):
        gradcheck(lambda x: x.detach() * 2, (x,))
    assert gradcheck(lambda x: (x * 2, x.detach()), (x,))
    assert gradcheck(lambda x: minigrad.ones(2, dtype=x.dtype), (x,))


class Double(Function):
    """With a number beside the tensor, or without a return."""

    @staticmethod
    def forward(ctx, x, forgets):
        return None if forgets else (x * 2, 5)

    @staticmethod
    def backward(ctx, dy, _):
        return dy * 2, None


def test_a_function_may_return_what_is_no_tensor():
    x = minigrad.ones(2, requires_grad=True)
    y, number = Double.apply(x, False)
    y.sum().backward()
    assert (x.grad.tolist(), number) == ([2, 2], 5)
    with pytest.raises(TypeError, match="is a return missing?"):
        Double.apply(x, True)


@pytest.mark.parametrize("text, words", [
    ("ones(2, 3).add_(ones(2, 4))", r"add: tensors of the shapes \[2, 3\] and \[2, 4"),
    ("ones(2, 3, 4) @ ones(3, 4, 5)", r"matmul: tensors of the shapes \[2, 3, 4\] and"),
    ("ones(2, 3).copy_(ones(4))", r"expanded size of the tensor \(3\)"),
])  # fmt: skip
def test_shapes_that_do_not_fit_are_named(text, words):
    with pytest.raises(RuntimeError, match=words):
        eval(text, {"ones": minigrad.ones})


def test_a_gradient_that_is_caught_on_its_way_frees_nothing_behind():
    for m in (minigrad, torch):
        x = m.ones(2, requires_grad=True)
        y = x * x
        for _ in range(2):
            assert m.autograd.grad(y.sum(), y)[0].tolist() == [1, 1]
        y.sum().backward()
        assert x.grad.tolist() == [2, 2]
        with pytest.raises(RuntimeError, match="a second time"):
            m.autograd.grad(y.sum(), x)


def test_a_gradient_is_where_its_output_is():
    x = minigrad.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="is on 'sim' and the output on 'cpu': grad"):
        (x * 2).backward(minigrad.ones(2, device="sim"))
    assert x.grad is None
