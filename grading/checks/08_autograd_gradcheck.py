"""gradcheck: central differences of functions whose slopes are known."""

import numpy as np

from grading.drivers.scenarios import FAULTS, FUNCTIONS
from grading.exercise import Model, checks, models
from minigrad.autograd.gradcheck import numerical_jacobian

from .gradients import PyTorch, ScenarioCheck, drawn

SHAPES = {"product": [(2, 3), (3, 2)], "quotient": [(2, 2), (2, 2)]}
JACOBIAN, RESTORED = "the differences", "the input"
UNIT = "how much is rounded"


@checks(numerical_jacobian)
class NumericalJacobian(ScenarioCheck):
    """Leaves out float32 and inputs that are not contiguous, as the contract does."""

    rtol = 1e-6  # of what a message shows

    def cases(self, random):
        for name in FUNCTIONS:
            shapes = SHAPES.get(name, [(2, 3)])
            for number in range(len(shapes)):
                values = [drawn(random, *shape) for shape in shapes]
                yield "every element", "differences", name, values, number, 1e-6
        for name in "cube", "tanh":
            yield "eps", "differences", name, [drawn(random, 3)], 0, 0.5
        for name in "square", "sum of exp":
            yield "no elements", "differences", name, [drawn(random, 0, 3)], 0, 1e-6
        yield "no dimensions", "differences", "square", [drawn(random)], 0, 1e-6
        values = [drawn(random, 4) * 1e6 + 1 / 3]
        yield "the input as it was", "differences", "square", values, 0, 1e-6
        for fault in random.sample([*FAULTS], len(FAULTS)):
            values = [drawn(random, 2, 2), drawn(random, 2, 2)]
            yield "gradcheck finds faults", "faulty", values, fault

    def torch(self, *args):
        """PyTorch's own gradcheck runs in its place."""

    def expected(self, name, *args):
        if name == "faulty":
            return super().expected(name, *args)
        return {JACOBIAN: self.slopes(*args), RESTORED: args[1][args[2]]}

    def slopes(self, name, values, number, eps, single=False):
        """Differences; where eps is small, and precision is double, the slopes."""
        tensors = [PyTorch.tensor(v) for v in values]
        rows = []
        for i in range(tensors[number].numel()):
            moved = []
            for step in (eps, -eps):
                inputs = [t.float() if single else t.clone() for t in tensors]
                inputs[number].view(-1)[i] += step
                moved.append(FUNCTIONS[name](*inputs).double().numpy().reshape(-1))
            rows.append((moved[0] - moved[1]) / (2 * eps))
        shape = 0, FUNCTIONS[name](*tensors).numel()
        return np.stack(rows) if rows else np.zeros(shape)

    def in_float32(self, name, *args):
        if name == "faulty":
            return super().expected(name, *args)
        # one computer's exp rounds otherwise than another's
        found, inputs = self.slopes(*args, single=True), args[1][args[2]]
        return {JACOBIAN: found, RESTORED: inputs, UNIT: 2.0**-24}

    def same(self, got, expected, name, *args):
        right = isinstance(expected, dict) and JACOBIAN in expected
        if not right or not isinstance(got, dict) or JACOBIAN not in got:
            return super().same(got, expected, name, *args)
        mine, theirs = got[JACOBIAN], expected[JACOBIAN]
        if not isinstance(mine, np.ndarray) or mine.shape != theirs.shape:
            return False
        if UNIT not in expected and mine.dtype != theirs.dtype:
            return False
        if not np.array_equal(got[RESTORED], expected[RESTORED]):
            return False
        if UNIT in expected:  # as far from the slopes, too
            off = [abs(x - self.slopes(*args)).max(initial=0) for x in
                   (mine, theirs)]  # fmt: skip
            if off[0] < off[1] / 100:
                return False
        return self.as_near(mine, theirs, args, expected.get(UNIT, 2e-16))

    def as_near(self, mine, theirs, args, unit):
        """Rounding makes `unit` / eps of the values; an error of eps is more."""
        name, values, _, eps = args
        result = FUNCTIONS[name](*map(PyTorch.tensor, values))
        slope = abs(theirs).max(initial=0)
        x = max(abs(v).max(initial=1) for v in values)
        largest = result.abs().max() if result.numel() else 0
        return np.allclose(mine, theirs, 1e-8, 4 * unit * (largest + slope * x) / eps)

    def first_difference(self, got, right):
        if not isinstance(got, dict):
            return None
        if JACOBIAN in got and not np.array_equal(got[RESTORED], right[RESTORED]):
            return RESTORED
        return super().first_difference(got, right)

    def sees(self, cases):
        return super().sees([case for case in cases if case.args[0] != "faulty"])

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

    def words(self, name, *args):
        if name == "faulty":
            return f"gradcheck of a * b, whose backward has this fault: {args[1]}"
        function, values, number, eps = args
        shapes = ", ".join(str(v.shape) for v in values)
        inputs = f"inputs of shape {shapes}, number={number}, eps={eps}"
        return f"numerical_jacobian of {function}, {inputs}"


models(numerical_jacobian, in_float32=Model(NumericalJacobian.in_float32))
