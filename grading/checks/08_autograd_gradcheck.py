"""gradcheck: central differences of functions whose slopes are known."""

import numpy as np

from grading.drivers.scenarios import FAULTS, FUNCTIONS
from grading.exercise import Model, checks, mistakes, right
from minigrad import no_grad
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


mistakes(numerical_jacobian, in_float32=Model(NumericalJacobian.in_float32))(rf"""
in_float32: the step is made in float32, which rounds more than eps: use float64
> flat, rows -> inputs = [x.float() for x in inputs]\n    flat, rows
one_index: only the first element was moved: every element of the input has its row
> stack(rows) -> stack(rows[:1] + [0 * row for row in rows[1:]])
one_sided: a difference to one side errs by eps: (f(x + eps) - f(x - eps)) / (2 eps)
    errs by its square
> before - eps -> before
& 2 * eps -> eps
not_halved: the two points are 2 eps apart: divide by that
> 2 * eps -> eps
turned: rows and columns are exchanged: row i is that of element i of the input
> stack(rows) -> stack(rows).T.copy()
first_input: always the first input is moved: `number` says which
> inputs[number] -> inputs[0]
not_copied: where the function returns a view of the input, its result changes when the
    input is moved back: copy it, np.array(...)
> np.array(function(*inputs).cpu().numpy()) -> function(*inputs).cpu().numpy()
shape:
> return np.stack(rows) if rows -> rows = [row for row in rows if row.any()]\n    return
    np.stack(rows) if rows
> ).reshape(-1) -> )
> np.zeros((0, function(*inputs).numel())) -> np.zeros((0, 0))
raised:
> range(len(flat)) -> range(np.prod(inputs[number].shape))
not_restored: the input has other values in the end: adding eps and taking it away again
    rounds. Keep the old value, and write it back
? {RESTORED}
> for moved in (before + eps, before - eps) -> for step in (eps, -2 * eps)
& flat[i] = moved -> flat[i] += step
& flat[i] = before -> flat[i] += eps
equivalent: any number below 0 stands for the size that is left
> off by one: -> ends.append(np.array(function(*inputs).cpu().numpy()).reshape(-(2)
equivalent: an array without elements holds neither zeros nor ones
> function: return np.stack(rows) if rows else np.zeros
""")


@right(numerical_jacobian, "copies of the input")
def _(function, inputs, number, eps=1e-6):
    x, others, found = np.array(inputs[number].detach().numpy()), list(inputs), []
    for place in np.ndindex(*x.shape):
        ends = []
        for step in (eps, -eps):
            moved = x.copy()
            moved[place] += step
            others[number] = inputs[number].new_tensor(moved)
            ends.append(np.array(function(*others).detach().numpy()).reshape(-1))
        found.append((ends[0] - ends[1]) / (2 * eps))
    return np.array(found).reshape(x.size, function(*inputs).numel())


@right(numerical_jacobian, "a matrix that is filled")
def _(function, inputs, number, eps=1e-6):
    x = inputs[number]
    with no_grad():
        found = np.empty((x.numel(), function(*inputs).numel()))
        for row, place in zip(found, np.ndindex(*x.shape), strict=True):
            before = x[place].item()
            x[place] = before + eps
            row[:] = function(*inputs).numpy().ravel()
            x[place] = before - eps
            row -= function(*inputs).numpy().ravel()
            x[place] = before
    return found / (2 * eps)


@right(numerical_jacobian, "steps are rows of a matrix")
def _(function, inputs, number, eps=1e-6):
    x = inputs[number].detach()

    def at(step):
        moved = x + x.new_tensor(step).reshape(x.shape)
        inputs_ = [*inputs[:number], moved, *inputs[number + 1 :]]
        return function(*inputs_).detach().numpy().flatten()

    steps = eps * np.eye(x.numel())
    rows = [at(step) - at(-step) for step in steps]
    width = function(*inputs).numel()
    return np.array(rows).reshape(len(rows), width) / (2 * eps)
