"""Operators beside NumPy written by hand, and beside PyTorch.

    python benchmarks/operators.py [--write] [--device cpu|sim|cuda]

Each row is one expression, as a user of minigrad writes it. On "cpu" beside NumPy: the
same formula on arrays. Without elements to speak of, what is left of the time is the
operator's overhead: finding the kernel, making the result. "of NumPy" is how many times
as long minigrad takes. The fastest of 30 samples is shown: other programs only add.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import minigrad
from benchmarks import common
from minigrad.ops import pointwise

PAGE = common.HOME / "docs" / "benchmarks" / "operators.md"
F32 = np.float32


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layer_norm(x):
    centred = x - x.mean(1, keepdims=True)
    var = np.mean(centred * centred, 1, keepdims=True)
    return centred / np.sqrt(var + F32(1e-5))


# what it is called, minigrad and PyTorch (m, x, y), NumPy (x, y)
EXPRESSIONS = [
    ("x + y", lambda m, x, y: x + y, lambda x, y: x + y),
    ("2 * x", lambda m, x, y: 2 * x, lambda x, y: F32(2) * x),
    ("x.T + y", lambda m, x, y: x.T + y, lambda x, y: np.add(x.T, y, order="C")),
    ("x + y[0]", lambda m, x, y: x + y[0], lambda x, y: x + y[0]),
    ("x[:, ::2] * 2", lambda m, x, y: x[:, ::2] * 2, lambda x, y: x[:, ::2] * F32(2)),
    ("relu(x)", lambda m, x, y: x.relu(), lambda x, y: np.maximum(x, 0)),
    ("x.exp()", lambda m, x, y: x.exp(), lambda x, y: np.exp(x)),
    ("x.sigmoid()", lambda m, x, y: x.sigmoid(), lambda x, y: 1 / (1 + np.exp(-x))),
    ("gelu(x)", lambda m, x, y: f(m).gelu(x), lambda x, y: pointwise.numpy_gelu(x)),
    ("x.sum()", lambda m, x, y: x.sum(), lambda x, y: x.sum()),
    ("x.sum(0)", lambda m, x, y: x.sum(0), lambda x, y: x.sum(0)),
    ("x.amax(1)", lambda m, x, y: x.amax(1), lambda x, y: x.max(1)),
    ("x.softmax(1)", lambda m, x, y: x.softmax(1), lambda x, y: softmax(x)),
    ("layer_norm(x)", lambda m, x, y: f(m).layer_norm(x, x.shape[1:]),
     lambda x, y: layer_norm(x)),
    ("x @ y", lambda m, x, y: x @ y, lambda x, y: x @ y),
    ("(x * y + 1).relu().sum()", lambda m, x, y: (x * y + 1).relu().sum(),
     lambda x, y: np.maximum(x * y + F32(1), 0).sum()),
]  # fmt: skip


def f(m):
    return m.functional if m is minigrad else m.nn.functional


def torch_or_none():
    try:
        import torch
    except ImportError:
        return None
    return torch


def row(name, ours, by_hand, side, device):
    """One expression at side x side elements; the contestants take turns."""
    torch, arrays = torch_or_none(), numbers(side)
    x, y = (minigrad.tensor(a, device=device) for a in arrays)
    runs = {"minigrad": lambda: ours(minigrad, x, y)}
    if device == "cpu":
        runs["NumPy"] = lambda: by_hand(*arrays)
    if torch:
        where = "cuda" if device == "cuda" else "cpu"
        p, q = (torch.from_numpy(a).to(where) for a in arrays)
        runs["PyTorch"] = lambda: ours(torch, p, q)
    best = common.fastest(runs, device)
    shown = [f"{seconds * 1e6:.1f}" for seconds in best]
    ratios = [f"{best[0] / other:.2f}" for other in best[1:]]
    pairs = [cell for pair in zip(shown[1:], ratios, strict=True) for cell in pair]
    return [name, f"{side} x {side}", shown[0], *pairs]


def numbers(side):
    rng = np.random.default_rng(0)
    return [rng.normal(size=(side, side)).astype(F32) for _ in range(2)]


def table(device, sides, expressions=EXPRESSIONS):
    """Rows of texts: every expression at every size."""
    others = ["NumPy"] * (device == "cpu") + ["PyTorch"] * bool(torch_or_none())
    pairs = [cell for name in others for cell in (f"{name} us", f"of {name}")]
    rows = [row(*e, side, device) for side in sides for e in expressions]
    return [["expression", "elements", "minigrad us", *pairs], *rows]


def main():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("--device", default="cpu", choices=["cpu", "sim", "cuda"])
    given = parser.parse_args()
    minigrad.answers_from("solutions")
    if (torch := torch_or_none()) and given.device != "cuda":
        torch.set_num_threads(1)
    sides = (32,) if given.device == "sim" else (32, 300, 1000)
    rows = table(given.device, sides)
    what = "PyTorch with one thread; the fastest of 30 samples"
    text = f"{common.machine()}, {what}\n\n{common.markdown(rows)}"
    print(text)
    if given.write:
        common.write(PAGE, text, f"operators on {given.device}")


if __name__ == "__main__":
    main()
