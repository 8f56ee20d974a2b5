"""Small programs that a check runs twice: with PyTorch, and with an answer in minigrad.

`answer` is what is judged; with PyTorch it is PyTorch's own. A program that does not
call it has it inside of backward() or gradcheck(). Its docstring is what a check says
of it.
"""

import gc
import types
import weakref

import numpy as np

from .registry import driver


def library_of(module, array):
    """What scenarios need of minigrad or PyTorch, the `library` of each.

    tensor: in double; of: in the array's own dtype. array(x): a tensor's elements.
    """
    return types.SimpleNamespace(
        Function=module.autograd.Function,
        nn=module.nn,
        optim=module.optim,
        manual_seed=module.manual_seed,
        grad=module.autograd.grad,
        gradcheck=module.autograd.gradcheck,
        no_grad=module.no_grad,
        is_grad_enabled=module.is_grad_enabled,
        tensor=lambda values: module.tensor(np.array(values, np.float64)),
        of=module.tensor,
        array=array,
    )


RESULT, DTYPE, CUT = "the result", "its dtype", "the gradients that go through it"
RECORDED = "the result requires a gradient"
SHARES = "the result, when what it was given is doubled afterwards"


def incoming(y):
    """The gradient that comes to an array; sums of it are exact in float16."""
    return (np.round(8 * np.cos(np.arange(y.size))) / 8).reshape(y.shape)


def differentiated(library, answer, *arguments):
    """A function of tensors: its result, and the gradients that go through it."""
    arguments = [x.detach().requires_grad_() if hasattr(x, "grad_fn") else x
                 for x in arguments]  # fmt: skip
    tensors = [x for x in arguments if hasattr(x, "grad_fn")]
    y = answer(*arguments)
    facts = {RESULT: library.array(y), DTYPE: str(y.dtype).removeprefix("torch.")}
    if y.requires_grad:
        try:
            y.backward(y.new_tensor(incoming(facts[RESULT])))
        except RuntimeError as error:  # of another shape, for example: that is told
            return facts | {CUT: f"RuntimeError: {error}"}
    zeros = [np.zeros_like(library.array(x)) for x in tensors]
    back = zip(tensors, zeros, strict=True)
    facts[CUT] = [zero if x.grad is None else library.array(x.grad) for x, zero in back]
    facts[RECORDED] = bool(y.requires_grad)  # even if no gradient has an element
    with library.no_grad():
        for x in tensors:
            x.mul_(2)
    return facts | {SHARES: library.array(y)}


LATER = "the gradient of a sum that is made afterwards"


def product(library, contexts, factors=(1, 1, 1, 1)):
    """A Function of two tensors and a number: k * a * b, times a factor.

    factors: of the first call of forward, of any other, and of both where operators are
    recorded.
    """

    class Product(library.Function):
        @staticmethod
        def forward(ctx, a, b, k):
            contexts.append(weakref.ref(ctx))
            ctx.save_for_backward(a, b)
            if k is None:
                raise ValueError("no number")
            ctx.k = k * factors[2 * library.is_grad_enabled() + (len(contexts) > 1)]
            return a * b * ctx.k

        @staticmethod
        def backward(ctx, dy):
            a, b = ctx.saved_tensors
            return dy * b * ctx.k, dy * a * ctx.k, None

    return Product


def both(library):
    class SumAndProduct(library.Function):
        @staticmethod
        def forward(ctx, a, b, c):
            ctx.save_for_backward(a, b, c)
            return a + b, a * b * c

        @staticmethod
        def backward(ctx, ds, dp):
            a, b, c = ctx.saved_tensors
            return ds + dp * b * c, ds + dp * a * c, dp * a * b

    return SumAndProduct


def gradients(library, *tensors):
    return [None if x.grad is None else library.array(x.grad) for x in tensors]


def sum_of(library, leaf, *terms):
    """The gradient of a leaf's square and these terms; None: it was not recorded."""
    leaf.grad, total = None, (leaf * leaf).sum()
    for term in terms:
        total = total + term.sum()
    if total.requires_grad:
        total.backward()
    return gradients(library, leaf)


def asked(library, values, needs):
    tensors = [library.tensor(v) for v in values]
    return [x.requires_grad_() if n else x for x, n in zip(tensors, needs, strict=True)]


@driver
def one_call(library, answer, values, needs, k, factors):
    """y = Product.apply(a, b, k); y.sum().backward()"""
    contexts, tensors = [], asked(library, values, needs)
    gc.freeze()  # what is there already need not be looked through below
    cls = product(library, contexts, factors)
    y = answer(cls, *tensors, k)
    facts = {
        "the result": library.array(y),
        "the result requires a gradient": y.requires_grad,
        "the result has a grad_fn": y.grad_fn is not None,
    }
    if y.requires_grad:
        y.sum().backward()
        facts["gradients"] = gradients(library, *tensors)
    del y
    if any(ctx() is not None for ctx in contexts):
        gc.collect()  # it may be part of a circle
    gc.unfreeze()
    facts["ctx is still in memory"] = any(ctx() is not None for ctx in contexts)
    facts["recording is on afterwards"] = library.is_grad_enabled()
    leaf = library.tensor(values[0]).requires_grad_()
    return facts | {LATER: sum_of(library, leaf)}


@driver
def two_calls(library, answer, values, k):
    """two Product.apply(...), then backward() from each"""
    a, b, c = (library.tensor(v).requires_grad_() for v in values)
    cls = product(library, [])
    first, second = answer(cls, a, b, k), answer(cls, b, c, k + 1)
    first.sum().backward()
    facts = {"gradients of the first call": gradients(library, a, b)}
    b.grad = None
    try:
        second.sum().backward()
    except RuntimeError as error:
        return facts | {"gradients of the second call": str(error)[:40]}
    return facts | {"gradients of the second call": gradients(library, b, c)}


@driver
def two_results(library, answer, values, weights):
    """s, p = SumAndProduct.apply(a, b, c), then backward()"""
    tensors = [library.tensor(v).requires_grad_() for v in values]
    results = answer(both(library), *tensors)
    facts = {"a tuple comes back": isinstance(results, tuple)}
    s, p = results
    (s * weights[0] + p * weights[1]).sum().backward()
    return facts | {"gradients": gradients(library, *tensors)}


@driver
def tuple_of_one(library, answer, values, k):
    """y = OneInATuple.apply(x), whose forward returns (x * k,), twice"""

    class OneInATuple(library.Function):
        @staticmethod
        def forward(ctx, x):
            return (x * k,)

        @staticmethod
        def backward(ctx, dy):
            return dy * k

    x = library.tensor(values)
    results = [answer(OneInATuple, x.requires_grad_(ask)) for ask in (True, False)]
    return {
        "a tuple comes back, recorded": isinstance(results[0], tuple),
        "a tuple comes back, not recorded": isinstance(results[1], tuple),
    }


@driver
def without_recording(library, answer, values, k):
    """with no_grad(): y = Product.apply(a, b, k)"""
    tensors = [library.tensor(v).requires_grad_() for v in values]
    with library.no_grad():
        y = answer(product(library, []), *tensors, k)
        inside, twice = library.is_grad_enabled(), tensors[0] * 2
    return {
        "under no_grad() the result requires a gradient": y.requires_grad,
        "under no_grad() the result has a grad_fn": y.grad_fn is not None,
        "recording is on afterwards, under no_grad()": inside,
        "recording is on after that": library.is_grad_enabled(),
        LATER: sum_of(library, tensors[0], y, twice),
    }


@driver
def passed_on(library, answer, values, k):
    """y = PassedOn.apply(x), whose forward returns x, and whose backward k * dy"""

    class PassedOn(library.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, dy):
            return dy * k

    x = library.tensor(values).requires_grad_()
    y = answer(PassedOn, x)
    facts = {"the result has a grad_fn": y.grad_fn is not None}
    y.sum().backward()
    return facts | {"x is still a leaf": x.is_leaf, "gradients": gradients(library, x)}


@driver
def failing(library, answer, values):
    """Product.apply(a, b, None), whose forward raises ValueError"""
    tensors = [library.tensor(v).requires_grad_() for v in values]
    try:
        answer(product(library, []), *tensors, None)
    except ValueError:
        later = sum_of(library, tensors[0])
        return {"recording is on after an error": library.is_grad_enabled()} | {
            LATER: later
        }
    return {"the error of forward comes through": False}


# ------------------------------------------------- the engine, whole


@driver
def again(library, answer, values, keep):
    """y.backward(retain_graph=keep), then y.backward()"""
    x = library.tensor(values).requires_grad_()
    y = (x * x).sum()
    y.backward(retain_graph=keep)
    try:
        y.backward()
        said = "nothing"
    except RuntimeError:
        said = "RuntimeError"
    return {"the second backward raises": said, "gradients": gradients(library, x)}


@driver
def whole(library, answer, values):
    """x * x + x and more, in the engine: y.sum().backward()"""
    x = library.tensor(values).requires_grad_()
    y = x * x + x
    (g,) = library.grad((y * y.exp() + y / x).sum(), x, create_graph=True)
    if g.requires_grad:
        (g * g).sum().backward()
    return {"gradients": library.array(g), "of these": gradients(library, x)}


@driver
def handed_on(library, answer, length):
    """a row of operators: at most 3 gradients exist at a time"""
    arrived, most = [], []

    class Next(library.Function):
        @staticmethod
        def forward(ctx, x):
            return x + 1

        @staticmethod
        def backward(ctx, dy):
            arrived.append(weakref.ref(dy))
            most.append(sum(g() is not None for g in arrived))
            return dy + 1

    y = library.tensor(1).requires_grad_()
    for _ in range(length):
        y = Next.apply(y)
    y.backward()
    return {"more than 3 gradients are in memory at once": max(most) > 3}


# ------------------------------------------------- gradcheck

FUNCTIONS = {
    "square": lambda x: x * x,
    "cube": lambda x: x * x * x,
    "sum of exp": lambda x: x.exp().sum(),
    "tanh": lambda x: x.tanh(),
    "product": lambda x, y: x @ y,
    "quotient": lambda x, y: x / y,
    "turned": lambda x: x.T * x.sum(),
    "itself": lambda x: x.view(-1),  # in the same memory
    "a view": lambda x: x.T,
    "the first row": lambda x: x[:1] * x[:1],
}

FAULTS = {  # of the gradients of a * b, for a and b
    "none": lambda dy, a, b: (dy * b, dy * a),
    "a sign": lambda dy, a, b: (-dy * b, dy * a),
    "a factor": lambda dy, a, b: (dy * b * 1.01, dy * a),
    "the second operand": lambda dy, a, b: (dy * b, dy * b),
    "a zero": lambda dy, a, b: (dy * b, dy * 0),
    "only the last element": lambda dy, a, b: (dy * b, dy * last(a)),
    "turned round": lambda dy, a, b: ((dy * b).T, dy * a),
}


def last(a):
    """`a`, but the last element is off by a tenth."""
    change = np.zeros(tuple(a.shape))
    change[-1, -1] = 0.1
    return a + (a.new_tensor(change))


@driver
def faulty(library, answer, inputs, fault):
    """gradcheck of a * b, whose backward has a fault"""

    class Faulty(library.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, dy):
            return FAULTS[fault](dy, *ctx.saved_tensors)

    a, b = (library.tensor(v).requires_grad_() for v in inputs)
    passes = library.gradcheck(Faulty.apply, (a, b), raise_exception=False)
    return {"gradcheck is content": bool(passes)}


@driver(changes=("inputs",))
def differences(library, answer, function, inputs, number, eps):
    """numerical_jacobian of one of the functions, of which nothing may be left over."""
    tensors = [library.tensor(x) for x in inputs]
    answer(FUNCTIONS[function], tensors, number, eps)
    jacobian = answer(FUNCTIONS[function], tensors, number, eps)
    return {"the input": library.array(tensors[number]), "the differences": jacobian}
