"""Inputs, copied into the memory that a graph reads."""

import numpy as np

from grading.exercise import checks, mistakes, right
from minigrad.cuda import copy_inputs

from .scene_check import SceneCheck, brief, numbers

ENDS = {"turned": ".T", "elsewhere": '.to("sim")', "first": "[:1].expand(...)"}


@checks(copy_inputs)
class CopyInputs(SceneCheck):
    """Leaves out static tensors that share memory: it cannot hold two inputs."""

    def words(self, scene):
        shapes = [f"{a.dtype}{list(a.shape)}" for a in scene["static"]]
        given = [
            f"{g.dtype}{list(g.shape)}"
            if isinstance(g, np.ndarray)
            else f"{'given' if g[0] == 'given' else 'static'}[{g[1]}]"
            f"{ENDS.get(g[0], '')}"
            for g in scene["given"]
        ]
        layout = {"turned": ", transposed", "inside": ", every third cell"}
        said = f"{', '.join(shapes)}{layout.get(scene['layout'], '')}"
        return f"copy_inputs({said}; {', '.join(given)})"

    def cases(self, random):
        def of(static, given, layout="row by row"):
            static = [np.asarray(numbers(random, *shape)) for shape in static]
            given = [
                g if g and isinstance(g[0], str) else np.asarray(numbers(random, *g))
                for g in given
            ]
            return {"scene": "inputs_copied", "static": static, "given": given,
                    "layout": layout}  # fmt: skip

        yield "the numbers", of([(3,)], [(3,)])
        yield "the numbers", of([(2, 3), (4,)], [(2, 3), (4,)])
        yield "the numbers", of([(2,), (2,), (2,)], [(2,)] * 3)
        yield "the numbers", of([(), (0, 3)], [(), (0, 3)])
        yield "the numbers", of([(3,), (3,)], [(3,), ("given", 0)])
        for layout in "turned", "inside":
            shapes = [(2, 3), (3, 2)]
            yield "any layout", of(shapes, shapes, layout)
            yield "any layout", of([(3, 3)] * 2, [("turned", 1), (3, 3)], layout)
            both = [("static", 1), ("static", 0)]
            yield "any layout", of([(2, 3), (2, 3)], both, layout)
        yield "what does not fit", of([(3,)], [(1,)])
        yield "what does not fit", of([(3,), (2, 2)], [(3,), (2, 1)])
        yield "what does not fit", of([(2, 3)], [(3, 2)])
        yield "what does not fit", of([(2, 3)], [(3,)])
        yield "what does not fit", of([(2,), (1, 3)], [(2,), (3,)])
        for dtype in ("float32", "int64"):
            scene = of([(2,), (3,)], [(2,), (3,)])
            scene["given"][1] = scene["given"][1].astype(dtype)
            yield "what does not fit", scene
        yield "what does not fit", of([(3,), (2,)], [(3,), ("elsewhere", 1)])
        yield "views of static ones", of([(3,), (3,)], [("static", 1), ("static", 0)])
        yield "views of static ones", of([(3,), (3,)], [("static", 1), (3,)])
        yield "views of static ones", of([(3,), (3,)], [(3,), ("static", 0)])
        yield "views of static ones", of([(3,)] * 3, [("static", i) for i in (2, 0, 1)])
        yield "views of static ones", of([(3, 3)], [("turned", 0)])
        yield "views of static ones", of([(2, 2)] * 2, [("turned", 1), ("turned", 0)])
        yield "views of static ones", of([(3,), (3,)], [("first", 1), ("first", 0)])
        yield "the same", of([(3,), (2,)], [("static", 0), (2,)])
        yield "none", of([], [])

    def expected(self, scene):
        static = scene["static"]
        views = {
            "turned": lambda n: static[n].T,
            "given": lambda n: scene["given"][n],
            "first": lambda n: np.broadcast_to(static[n][:1], static[n].shape),
        }
        given = [g if isinstance(g, np.ndarray) else
                 views.get(g[0], static.__getitem__)(g[1])
                 for g in scene["given"]]  # fmt: skip
        fits = all((a.shape, a.dtype) == (b.shape, b.dtype) for a, b in
                   zip(static, given, strict=True))  # fmt: skip
        fits = fits and "elsewhere" not in [g[0] for g in scene["given"] if
                                            isinstance(g, tuple)]  # fmt: skip
        return {
            "static tensors": [np.array(a) for a in (given if fits else static)],
            "raises": None if fits else "RuntimeError",
            "the lists are as they were": True,
            "they read the same memory": True,
            "given tensors": [g if isinstance(g, np.ndarray) else None
                              for g in scene["given"]],
        }  # fmt: skip

    def lines(self, case):
        lines = super().lines(case)
        return [(k, v if isinstance(v, str) else brief(v)) for k, v in lines]


mistakes(copy_inputs)(r"""
rebound: a static tensor takes another's place in the list: the graph reads the old
    memory still. t.copy_(x) writes into it
>         t.copy_(x)\n ->         static[static.index(t) if False else [s is t for s in
    static].index(True)] = x\n
name_only: nothing is copied: `t = x` gives a name to another tensor, and leaves the
    memory as it was
> t.copy_(x) -> t = x
memory_swapped: the static tensor reads other memory now: the graph has the old
    addresses
> t.copy_(x) -> t.storage = x.storage
no_check: where shape or dtype differ, RuntimeError: copy_ would broadcast and cast
> if (t.shape, t.dtype, t.device) != (x.shape, x.dtype, x.device): -> if False:
any_shape: a shape that broadcasts to the static one's is another shape
> (t.shape, t.dtype, t.device) != (x.shape, x.dtype, x.device) -> (t.dtype, t.device) !=
    (x.dtype, x.device)
any_dtype: numbers of another dtype do not fit: the trace was made for this one
> (t.shape, t.dtype, t.device) != (x.shape, x.dtype, x.device) -> (t.shape, t.device) !=
    (x.shape, x.device)
checked_late: something was written before the error: check all of them first
>     given = [x.clone() if id(x.storage) in memory else x for x in given]\n    for t, x
    in zip(static, given, strict=True):\n        t.copy_(x)\n ->
&             )\n    memory ->             )\n        t.copy_(x)\n    memory
overwritten: a given tensor reads static memory that was written to before its turn:
    clone such ones first
> given = [x.clone() if id(x.storage) in memory else x for x in given] ->
> if id(x.storage) in memory -> if any(x is t for t in static[:0])
only_the_same: a view of static memory, such as its transpose, is overwritten while it
    is read, too
> id(x.storage) in memory -> any(x is t for t in static)
row_by_row: the numbers are written as if a static tensor had its elements one after the
    other, but it may be transposed, or part of a larger one
>         t.copy_(x)\n ->         t.storage.data[: x.numel()] =
    x.numpy().reshape(-1)\n
given_changed: the given tensors are read, and not written to
>     for t, x in zip(static, given, strict=True):\n        t.copy_(x)\n ->     for t, x
    in zip(static, given, strict=True):\n        t.copy_(x), x.zero_()\n
wrong_error: another type of error is raised: RuntimeError is wanted, as PyTorch's
> raise RuntimeError( -> raise ValueError(
right: by assignment to all elements
> t.copy_(x) -> t[...] = x
equivalent: all are checked, and what reads static memory is cloned, before any copy
> order: for number, (t, x) in
> arguments swapped: for number, (t, x) in
> branch dropped: given = [x.clone() if id(x.storage) in memory else x for x in given]
    -> given = [(x.clone())
> order: for t, x in zip(static, given, strict=True):
""")


@right(copy_inputs, "all cloned")
def _(static, given):
    def facts(x):
        return tuple(x.shape), x.dtype, x.device

    if [facts(t) for t in static] != [facts(x) for x in given]:
        raise RuntimeError("the inputs are not those that the graph was captured with")
    copies = [x.clone() for x in given]
    for i in range(len(static)):
        static[i].copy_(copies[i])


@right(copy_inputs, "by comparing storages, and what is in its place left alone")
def _(static, given):
    copies = []
    for number, t in enumerate(static):
        x = given[number]
        for fact in "shape", "dtype", "device":
            if getattr(t, fact) != getattr(x, fact):
                raise RuntimeError(f"input {number} has another {fact}")
        if x is not t:
            inside = any(x.storage is other.storage for other in static)
            copies.append((t, x.clone() if inside else x))
    for t, x in copies:
        t.copy_(x)
