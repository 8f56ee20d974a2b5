"""Modules beside PyTorch's: the same program with minigrad and with torch."""

import copy
import gc
import pickle
import re

import pytest
from answers import filled  # noqa: F401

import minigrad
from minigrad import nn

torch = pytest.importorskip("torch", reason="not run: modules (need torch)")
BOTH = [minigrad, torch]


def tiny(lib):
    """A network with a module in a module, a buffer, and a shared parameter."""

    class Block(lib.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.norm = lib.nn.LayerNorm(width)
            self.fc = lib.nn.Linear(width, width, bias=False)
            self.register_buffer("scale", lib.ones(width))
            self.register_buffer("cache", lib.zeros(2), persistent=False)
            self.nothing = None
            self.register_parameter("missing", None)

        def forward(self, x):
            return x + self.fc(self.norm(x)) * self.scale

    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = lib.nn.ModuleList([Block(4), Block(4)])
            self.gain = lib.nn.Parameter(lib.ones(1))
            self.head = lib.nn.Sequential(lib.nn.Linear(4, 3), lib.nn.ReLU())
            self.tied = self.head[0]
            self.also = self.head[0].weight

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return self.head(x) * self.gain

    return Net()


def both(do):
    """What a function of the library gives with each, or the error."""
    results = []
    for lib in BOTH:
        try:
            results.append(do(lib))
        except Exception as error:
            results.append((type(error).__name__, str(error)))
    return results


SAID = [
    lambda m, lib: [name for name, _ in m.named_parameters()],
    lambda m, lib: [name for name, _ in m.named_parameters(remove_duplicate=False)],
    lambda m, lib: [name for name, _ in m.named_parameters("a", recurse=False)],
    lambda m, lib: [name for name, _ in m.named_parameters(prefix="net")],
    lambda m, lib: [tuple(p.shape) for p in m.parameters()],
    lambda m, lib: [name for name, _ in m.named_buffers()],
    lambda m, lib: [name for name, _ in m.named_buffers(recurse=False)],
    lambda m, lib: [name for name, _ in m.named_modules()],
    lambda m, lib: [name for name, _ in m.named_modules(remove_duplicate=False)],
    lambda m, lib: [name for name, _ in m.named_children()],
    lambda m, lib: len(list(m.children())),
    lambda m, lib: {k: tuple(v.shape) for k, v in m.state_dict().items()},
    lambda m, lib: list(m.state_dict()),
    lambda m, lib: list(m.state_dict(prefix="model.")),
    lambda m, lib: m.state_dict()["gain"].requires_grad,
    lambda m, lib: [v.requires_grad for v in m.state_dict(keep_vars=True).values()],
    lambda m, lib: repr(m),
    lambda m, lib: m.get_submodule("blocks.1.fc") is m.blocks[1].fc,
    lambda m, lib: m.get_parameter("head.0.weight") is m.also,
    lambda m, lib: m.get_submodule("blocks.7"),
    lambda m, lib: m.unknown,
    lambda m, lib: setattr(m, "gain", 3),
    lambda m, lib: setattr(m.blocks[0], "scale", "no"),
    lambda m, lib: m.register_buffer("a.b", lib.ones(1)),
    lambda m, lib: m.register_buffer("", lib.ones(1)),
    lambda m, lib: m.register_buffer("forward", lib.ones(1)),
    lambda m, lib: m.add_module("x", 3),
    lambda m, lib: m.train(3),
    lambda m, lib: m.to(lib.int64),
    lambda m, lib: lib.nn.Module()(1),
    lambda m, lib: [b.training for b in m.eval().modules()],
    lambda m, lib: (m.eval(), m.blocks[0].train(), [b.training for b in m.modules()])[
        2
    ],
    lambda m, lib: [type(b).__name__ for b in m.blocks[1:]],
    lambda m, lib: m.head[5],
    lambda m, lib: repr(m.head[:1]),
    lambda m, lib: (m.head.append(lib.nn.Tanh()), m.head.insert(0, lib.nn.Flatten()))[
        0
    ],
    lambda m, lib: m.head.__delitem__(0) or list(m.head._modules),
    lambda m, lib: delattr(m, "gain") or [n for n, _ in m.named_parameters()],
    lambda m, lib: setattr(m, "gain", None) or [n for n, _ in m.named_parameters()],
    lambda m, lib: setattr(m, "head", lib.nn.ReLU()) or list(m._modules),
]


@pytest.mark.parametrize("number", range(len(SAID)))
def test_a_module_says_what_pytorchs_says(number):
    ours, theirs = both(lambda lib: plain(SAID[number](tiny(lib), lib)))
    assert worded(ours) == worded(theirs)


def worded(result):
    """Texts without what differs for a reason, or between versions of PyTorch."""
    if isinstance(result, tuple):
        return tuple(map(worded, result))
    if not isinstance(result, str):
        return result
    for text in ("torch.", "nn.Buffer, ", " or complex"):
        result = result.replace(text, "")
    return re.sub(r"(elementwise_affine=\w+), bias=\w+", r"\1", result)


def plain(value):
    return value if isinstance(value, list | dict | bool | int | str) else repr(value)


def test_a_shared_parameter_is_there_once():
    fc = nn.Linear(3, 3)
    net = nn.Sequential(fc, nn.ReLU(), fc)
    assert len(list(net.parameters())) == 2
    assert len(net.state_dict()) == 4


def test_init_comes_before_parameters():
    class Forgets(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter(minigrad.ones(2))

    with pytest.raises(AttributeError, match="before Module.__init__"):
        Forgets()


def test_a_parameter_of_no_tensor_says_so():
    with pytest.raises(TypeError, match="takes a tensor, not list"):
        nn.Parameter([1.0])


def test_apply_goes_to_the_leaves_first():
    seen = both(
        lambda lib: (s := [], tiny(lib).apply(lambda m: s.append(type(m))), s)[2]
    )
    assert [t.__name__ for t in seen[0]] == [t.__name__ for t in seen[1]]


def test_to_changes_dtypes_of_floats_and_keeps_the_objects():
    net = nn.Sequential(nn.BatchNorm2d(3), nn.Linear(2, 2))
    before = [*net.parameters()]
    assert net.double() is net
    assert all(a is b for a, b in zip(before, net.parameters(), strict=True))
    assert net[1].weight.dtype == net[0].running_mean.dtype == minigrad.float64
    assert net[0].num_batches_tracked.dtype == minigrad.int64
    for turn, dtype in [
        (net.half, minigrad.float16),
        (net.bfloat16, minigrad.bfloat16),
        (net.float, minigrad.float32),
    ]:
        assert {p.dtype for p in turn().parameters()} == {dtype}


def test_to_moves_parameters_gradients_and_buffers():
    net = nn.BatchNorm1d(3)
    net.weight.grad = minigrad.ones(3)
    net.to("sim")
    places = {t.device for t in (net.weight, net.weight.grad, net.running_var)}
    assert places == {"sim"}
    assert net.to(minigrad.zeros(1)).weight.device == "cpu"


def test_zero_grad():
    fc = nn.Linear(2, 2)
    fc.weight.grad = minigrad.ones(2, 2)
    fc.zero_grad(set_to_none=False)
    assert fc.weight.grad.tolist() == [[0, 0], [0, 0]] and fc.bias.grad is None
    fc.zero_grad()
    assert fc.weight.grad is None


def test_requires_grad_():
    fc = nn.Linear(2, 2).requires_grad_(False)
    assert not any(p.requires_grad for p in fc.parameters())


def test_copies_and_pickles_share_nothing():
    net = tiny(minigrad)
    for other in copy.deepcopy(net), pickle.loads(pickle.dumps(nn.Linear(2, 3))):
        first, again = next(net.parameters()), next(other.parameters())
        assert first is not again and isinstance(again, nn.Parameter)
        assert first.storage is not again.storage
    assert copy.deepcopy(net).also is not net.also


def test_a_module_goes_with_its_last_name():
    gc.freeze()  # collections leave alone what other tests have made
    fc, gone = nn.Linear(2, 2), []
    fc.weight.shown = type("Told", (), {"__del__": lambda self: gone.append(1)})()
    del fc
    gc.collect()
    assert gone


# ---------------------------------------------------------------- hooks


def hooked(lib):
    """What hooks see and change."""
    seen, fc = [], lib.nn.Linear(2, 1, bias=False)
    with getattr(lib, "no_grad", minigrad.autograd.no_grad)():
        fc.weight.fill_(1)
    handles = [
        fc.register_forward_pre_hook(lambda m, args: (args[0] * 2,)),
        fc.register_forward_hook(lambda m, args, y: seen.append(args[0].tolist())),
        fc.register_forward_hook(lambda m, args, y: y + 1),
        fc.register_forward_hook(
            lambda m, args, kwargs, y: seen.append(sorted(kwargs)), with_kwargs=True
        ),
        fc.register_forward_hook(lambda m, args, y: y * 10, prepend=True),
        fc.register_forward_pre_hook(
            lambda m, args, kwargs: ((args[0] + 1,), kwargs), with_kwargs=True
        ),
    ]
    results = [fc(lib.ones(1, 2)).tolist()]
    for handle in handles[:3]:
        handle.remove()
    results.append(fc(lib.ones(1, 2)).tolist())
    results.append(fc(lib.ones(1, 2)).tolist())
    return results, seen


def test_forward_hooks():
    ours, theirs = both(hooked)
    assert ours == theirs


# ---------------------------------------------------------------- checkpoints


def test_loading_says_what_does_not_fit():
    def load(lib, strict):
        net = tiny(lib)
        values = dict(net.state_dict())
        del values["gain"]
        values["head.0.bias"] = lib.zeros(7)
        values["other"] = lib.zeros(1)
        return net.load_state_dict(values, strict=strict)

    for strict in (True, False):
        ours, theirs = both(lambda lib, strict=strict: load(lib, strict))
        text = theirs[1].replace("torch.Size(", "").replace("])", "]")
        assert ours == (theirs[0], text)
        assert "size mismatch for head.0.bias" in ours[1]


def test_loading_loosely_returns_the_keys():
    fc = nn.Linear(2, 1)
    keys = fc.load_state_dict({"weight": minigrad.ones(1, 2), "x": 3}, strict=False)
    assert keys == (["bias"], ["x"]) and fc.weight.tolist() == [[1, 1]]
    assert (
        repr(fc.load_state_dict(fc.state_dict())) == "<All keys matched successfully>"
    )
    with pytest.raises(TypeError, match="dict-like"):
        fc.load_state_dict([1])


def test_loading_copies():
    fc, other = nn.Linear(2, 1), nn.Linear(2, 1)
    weight = fc.weight
    fc.load_state_dict(other.state_dict())
    assert fc.weight is weight and fc.weight.tolist() == other.weight.tolist()
    assert fc.weight.storage is not other.weight.storage
