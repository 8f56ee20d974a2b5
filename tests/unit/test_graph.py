"""The small TensorFlow 1, beside TensorFlow's own where it is installed."""

import numpy as np
import pytest

import minigrad
from minigrad import graph


@pytest.fixture(autouse=True)
def _answers():
    minigrad.answers_from("solutions")


X, T = np.array([[1.0, 2], [3, 4]], "f4"), np.array([[1.0], [2]], "f4")
W = np.array([[0.5], [1]], "f4")


def regression():
    """Losses of four steps, by a graph that is run."""
    with graph.Graph().as_default() as g:
        x, t = graph.placeholder("x"), graph.placeholder("t")
        w = graph.Variable(W, "w")
        error = x @ w - t
        loss = graph.reduce_sum(error * error)
        (dw,) = graph.gradients(loss, [w], graph.gradient_of)
        train = graph.assign(w, w - 0.02 * dw)
    session = graph.Session(g)
    runs = [session.run([loss, train], {x: X, t: T}) for _ in range(4)]
    return [loss.item() for loss, _ in runs]


def test_a_regression_is_that_of_numpy():
    w, losses = W.astype("f8"), []
    for _ in range(4):
        error = X @ w - T
        losses.append((error**2).sum())
        w = w - 0.02 * 2 * X.T @ error
    np.testing.assert_allclose(regression(), losses, 1e-5)


@pytest.mark.slow  # importing TensorFlow is
def test_a_regression_is_that_of_tensorflow():
    tf = pytest.importorskip("tensorflow", reason="not run: needs TensorFlow").compat.v1
    with tf.Graph().as_default():
        x, t = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        w = tf.Variable(W, use_resource=True)
        error = x @ w - t
        loss = tf.reduce_sum(error * error)
        (dw,) = tf.gradients(loss, [w])
        with tf.control_dependencies([loss]):
            train = tf.assign(w, w - 0.02 * dw)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            feed = {x: X, t: T}
            losses = [session.run([loss, train], feed)[0] for _ in range(4)]
    np.testing.assert_allclose(regression(), losses, 1e-5)


def test_what_is_known_before_is_computed_once():
    calls = []
    graph.KERNELS["Noted"] = lambda a: calls.append(a) or a
    try:
        with graph.Graph().as_default():
            r = graph.placeholder("r")
            y = graph.op("Noted", graph.constant(2.0) * 3.0) * r
        session = graph.Session(y.graph)
        assert [session.run(y, {r: n}).item() for n in (1.0, 2.0)] == [6.0, 12.0]
    finally:
        del graph.KERNELS["Noted"]
    assert len(calls) == 1


def test_any_operation_can_be_fed_and_placeholders_must_be():
    with graph.Graph().as_default() as g:
        x = graph.placeholder("x")
        h = graph.tanh(x)
        y = graph.cond(h, h * 2.0, h + 1.0)
    session = graph.Session(g)
    assert session.run(y, {h: 0.0}).item() == 1
    with pytest.raises(ValueError, match="x"):
        session.run(y)
    with pytest.raises(TypeError, match="not allowed"):
        bool(h)
    with graph.Graph().as_default(), pytest.raises(ValueError, match="another graph"):
        _ = h + 1.0
    with g.as_default(), pytest.raises(LookupError, match="RegisterGradient"):
        graph.gradients(graph.op("Step", x), [x], graph.gradient_of)
    assert "tanh1 = Tanh(x)" in str(g)
