"""Chapter 08, gradcheck: central differences of functions whose slopes are known."""

import numpy as np

from grading.checking import cause, checks
from grading.scenes.scenarios import FAULTS, FUNCTIONS
from minigrad.testing.gradcheck import numerical_jacobian

from .gradients import PyTorch, ScenarioCheck, differs, drawn

SHAPES = {"product": [(2, 3), (3, 2)], "quotient": [(2, 2), (2, 2)]}
JACOBIAN, RESTORED = "the differences", "the input has its old values"
UNIT = "how much is rounded"


@checks(numerical_jacobian)
class NumericalJacobian(ScenarioCheck):
    def cases(self, random):
        for name in FUNCTIONS:
            shapes = SHAPES.get(name, [(2, 3)])
            for number in range(len(shapes)):
                values = [drawn(random, *shape) for shape in shapes]
                yield "every element", "differences", name, values, number, 1e-6
        for name in "cube", "product":
            shapes = SHAPES.get(name, [(3,)])
            values = [drawn(random, *shape) for shape in shapes]
            yield "eps", "differences", name, values, 0, 0.5
        values = [drawn(random, 4) * 1e6 + 1 / 3]
        yield "the input as it was", "differences", "square", values, 0, 1e-6
        for fault in FAULTS:
            values = [drawn(random, 2, 2), drawn(random, 2, 2)]
            yield "gradcheck finds faults", "faulty", values, fault

    def torch(self, *args):
        """PyTorch's own gradcheck runs in its place."""

    def expected(self, name, *args):
        if name == "faulty":
            return super().expected(name, *args)
        return {JACOBIAN: self.slopes(*args), RESTORED: True}

    def slopes(self, name, values, number, eps, mistake=""):
        """Differences in double precision; where eps is small they are the slopes."""
        tensors = [PyTorch.tensor(v) for v in values]
        rows = []
        for i in range(tensors[number].numel()):
            moved = []
            for sign in (1, -1):
                inputs = [t.clone() for t in tensors]
                if mistake == "float32":
                    inputs = [t.float() for t in inputs]
                step = sign * eps
                if mistake == "all together":
                    inputs[number] += step
                elif sign == 1 or mistake != "forward":
                    inputs[number].view(-1)[i] += step
                y = FUNCTIONS[name](*inputs).double().numpy().reshape(-1)
                moved.append(y)
            rows.append(
                (moved[0] - moved[1]) / (eps if mistake == "forward" else 2 * eps)
            )
        return np.stack(rows)

    def same(self, got, expected, name, *args):
        right = isinstance(expected, dict) and JACOBIAN in expected
        if not right or not isinstance(got, dict) or JACOBIAN not in got:
            return super().same(got, expected, name, *args)
        mine, theirs = got[JACOBIAN], expected[JACOBIAN]
        if not isinstance(mine, np.ndarray) or mine.shape != theirs.shape:
            return False
        if got[RESTORED] != expected[RESTORED]:
            return False
        return self.near(mine, theirs, args, expected.get(UNIT, 1e-16))

    def near(self, mine, theirs, args, unit):
        """Rounding makes `unit` / eps of the values; an error of eps is more."""
        largest = max(float(np.abs(v).max()) for v in args[1]) ** 2
        return np.allclose(mine, theirs, 1e-8, 4 * unit * (1 + largest) / args[3])

    def first_difference(self, got, right):
        if not isinstance(got, dict):
            return None
        if JACOBIAN in got and not got[RESTORED]:
            return RESTORED
        return super().first_difference(got, right)

    def general(self, case):
        found = [v[JACOBIAN] for v in (case.got, case.expected)
                 if isinstance(v, dict) and JACOBIAN in v]  # fmt: skip
        shapes = [np.shape(value) for value in found]
        if len(set(shapes)) < 2:
            return super().general(case)
        return "shape", (
            f"the shape is {shapes[0]}, and {shapes[1]} is expected: a row for each "
            "element of the input, with all elements of the result side by side in it"
        )

    def told(self, name, *args):
        if name == "faulty":
            return f"gradcheck of a * b, whose backward has this fault: {args[1]}"
        function, values, number, eps = args
        shapes = ", ".join(str(v.shape) for v in values)
        inputs = f"inputs of shape {shapes}, number={number}, eps={eps}"
        return f"numerical_jacobian of {function}, {inputs}"

    def model(self, args, change):
        """What a cause says of the differences; of gradcheck nothing."""
        name, *rest = args
        if name == "faulty":
            return self.expected(*args)
        return {JACOBIAN: change(self.slopes(*rest), *rest), RESTORED: True}

    @cause("only the first element was moved: every element of the input has its row")
    def one_index(self, *args):
        def change(found, *rest):
            return np.where(np.arange(len(found))[:, None] == 0, found, 0)

        return self.model(args, change)

    @cause("one row alone: every element of the input has its own")
    def one_row(self, *args):
        return self.model(args, lambda found, *rest: found[:1])

    @cause("the step is made in float32, which rounds more than eps: use float64")
    def in_float32(self, *args):
        found = self.model(args, lambda found, *rest: self.slopes(*rest, "float32"))
        if JACOBIAN in found:  # one computer's exp rounds otherwise than another's
            found[UNIT] = 2.0**-24
        return found

    @cause("a difference to one side errs by eps: (f(x + eps) - f(x - eps)) / (2 eps) "
           "errs by its square")  # fmt: skip
    def one_sided(self, *args):
        return self.model(args, lambda found, *rest: self.slopes(*rest, "forward"))

    @cause("the two points are 2 eps apart: divide by that")
    def not_halved(self, *args):
        return self.model(args, lambda found, *rest: 2 * found)

    @cause("rows and columns are exchanged: row i is that of element i of the input")
    def turned(self, *args):
        return self.model(args, lambda found, *rest: found.T)

    @cause("all elements are moved together: one at a time, and each alone")
    def all_together(self, *args):
        return self.model(args, lambda found, *rest: self.slopes(*rest, "all together"))

    @cause("eps is left out: the step is what is given")
    def own_eps(self, *args):
        def change(found, name, values, number, eps):
            return self.slopes(name, values, number, 1e-6)

        return self.model(args, change)

    @cause("always the first input is moved: `number` says which")
    def first_input(self, *args):
        def change(found, name, values, number, eps):
            return self.slopes(name, values, 0, eps)

        return self.model(args, change)

    not_restored = differs(
        RESTORED,
        "the input has other values in the end: adding eps and taking it away again "
        "rounds. Keep the old value, and write it back",
    )
