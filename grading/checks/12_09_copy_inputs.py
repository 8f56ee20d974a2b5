"""Inputs, copied into the memory that a graph reads."""

import numpy as np

from grading.exercise import checks
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
