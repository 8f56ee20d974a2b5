"""copy_inputs: inputs, copied into the memory that a graph reads."""

import functools

import numpy as np

from grading.checking.pairwise import pairwise
from grading.drivers import programs
from grading.exercise import Check, call, close
from minigrad.cuda import copy_inputs

from ..inputs import numbers


def cases(random):
    of = functools.partial(drawn, random)
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
        case = of([(2,), (3,)], [(2,), (3,)])
        case.options["given"][1] = case.options["given"][1].astype(dtype)
        yield "what does not fit", case
    yield "what does not fit", of([(3,), (2,)], [(3,), ("elsewhere", 1)])
    yield "views of static ones", of([(3,), (3,)], [("static", 1), ("static", 0)])
    yield "views of static ones", of([(3,), (3,)], [("static", 1), (3,)])
    yield "views of static ones", of([(3,), (3,)], [(3,), ("static", 0)])
    yield "views of static ones", of([(3,)] * 3, [("static", i) for i in (2, 0, 1)])
    yield "views of static ones", of([(3, 3)], [("turned", 0)])
    yield "views of static ones", of([(2, 2)] * 2, [("turned", 1), ("turned", 0)])
    yield "views of static ones", of([(3,), (3,)], [("first", 1), ("first", 0)])
    for row in pairwise(
        random,
        count=(1, 2, 3),
        at=(0, -1),
        shape=((2, 3), (1, 2), (3, 1)),
        what=("fits", (2, 2), (3,), (1, 1), "elsewhere", "float32", "int64"),
        layout=("row by row", "turned", "inside"),
    ):
        count, at, shape, what, layout = row.values()
        given = [shape] * count
        if isinstance(what, tuple):
            given[at] = what if layout == "row by row" or len(what) == 2 else (2, 2)
        elif what == "elsewhere":
            given[at] = (what, at % count)
        case = of([shape] * count, given, layout)
        if what in ("float32", "int64"):
            case.options["given"][at] = case.options["given"][at].astype(what)
        part = "any layout" if what == "fits" else "what does not fit"
        yield part, case
    yield "the same", of([(3,), (2,)], [("static", 0), (2,)])
    yield "none", of([], [])


def drawn(random, static, given, layout="row by row"):
    """Shapes as arrays; what is given may also be (a kind of view, of which one)."""

    def array(shape):
        return np.asarray(numbers(random, *shape))

    return call(
        static=[*map(array, static)],
        given=[g if g and isinstance(g[0], str) else array(g) for g in given],
        layout=layout,
    )


def reference(static, given):
    views = {
        "static": lambda n: static[n],
        "elsewhere": lambda n: static[n],
        "turned": lambda n: static[n].T,
        "given": lambda n: given[n],
        "first": lambda n: np.broadcast_to(static[n][:1], static[n].shape),
    }
    values = [g if isinstance(g, np.ndarray) else views[g[0]](g[1]) for g in given]
    fits = "elsewhere" not in [g[0] for g in given if isinstance(g, tuple)] and all(
        (a.shape, a.dtype) == (b.shape, b.dtype)
        for a, b in zip(static, values, strict=True)
    )
    return {
        "static tensors": [np.array(a) for a in (values if fits else static)],
        "raises": None if fits else "RuntimeError",
        "the lists are as they were": True,
        "they read the same memory": True,
        "given tensors": [g if isinstance(g, np.ndarray) else None for g in given],
    }


check = Check(
    copy_inputs,
    cases=cases,
    reference=reference,
    compare=close(),
    driver=programs.inputs_copied,
    not_tested="static tensors that share memory: it cannot hold two inputs",
)
