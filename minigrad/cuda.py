"""CUDA graphs: the launches of a step, captured once and replayed as one.

    g = minigrad.cuda.CUDAGraph()
    with minigrad.cuda.graph(g):
        loss = step(images, labels)
    images.copy_(others)   # the replay reads the memory that the capture has read
    g.replay()
    loss.item()            # and writes the memory that it has written

On a GPU the driver captures what the stream is given, and runs nothing meanwhile. In
the simulator and on "cpu" the same is recorded here: the launches, and calls of NumPy;
what they have changed is put back when the capture ends.
"""

import contextlib

from . import plan_cache, random
from .autograd import Function, grad
from .autograd.graph import requires
from .devices import gpu_available, synchronize
from .exercises.registry import exercise
from .lines import shown, user_line
from .nn import Module
from .trace import Trace

is_available = gpu_available
__all__ = ["CUDAGraph", "graph", "is_available", "make_graphed_callables",
           "synchronize"]  # fmt: skip


class CaptureError(RuntimeError):
    """What was to be captured cannot be."""


@exercise(points=2, stars=2, minutes=15, level="good to know")
def copy_inputs(static, given):
    """Copy this call's inputs into the tensors that a captured graph reads.

    static: a list of tensors, perhaps empty. The graph reads their memory at each
        replay. No two of them share memory. They may be transposed or part of a larger
        storage.
    given: a list of as many tensors, this call's inputs. None of them requires
        gradients.

    Afterward, each static tensor must hold the numbers that the given one held at the
    call, even if the given one is a static tensor or a view of one. t.copy_(x) writes
    the numbers of x into t, even if x is a view of t. Each static tensor must keep its
    place in memory. The lists and all other memory must stay as they are.

    Raises RuntimeError with a message if a given tensor differs from its static one in
    shape, dtype, or device. In that case, nothing may have been written. Two different
    shapes don't fit, even if they'd broadcast.
    """


# ------------------------------------------------- recording, without a GPU


class Recorder(Trace):
    """Listens to what runs on "cpu" and "sim"; a list of functions that do it again."""

    def __init__(self):
        self.steps, self.launches, self.depth = [], [], 0
        self.own, self.before = set(), {}  # memory from inside; from outside, copied
        self.constants, self.kept, self.sound = [], [], True  # as of a Recording

    def run(self, operator, kernel, operands, options, traffic=None):
        tensors = [x for x in operands if hasattr(x, "spec")]
        if self.depth or any(x.device != "cpu" for x in tensors):
            return kernel(*operands, **options)
        out = options.get("out")
        for x in (*tensors, *([] if out is None else [out])):
            self.remember(x.storage)
        self.depth += 1
        try:
            result = kernel(*operands, **options)
        finally:
            self.depth -= 1
        results = result if isinstance(result, tuple) else (result,)
        old = {id(x.storage) for x in tensors}
        new = [x for x in results if x is not None and id(x.storage) not in old]
        new = [] if out is not None else new
        self.kept += [*new, *tensors]
        self.own.update(id(x.storage) for x in new)
        self.steps.append(lambda: again(kernel, operands, options, results, new))
        return result

    def launched(self, one, args):
        held = [a for a in args if hasattr(a, "storage")]
        for a in held:
            self.remember(a.storage)
        self.kept += held
        addresses = [one.address(a) for a in args]
        self.launches.append((one, addresses))
        self.steps.append(lambda: one.run(addresses))

    def allocated(self, storage, maker):
        self.kept.append(storage)
        self.own.add(id(storage))
        if self.depth == 0:
            self.steps.append(lambda: fill(storage, maker()))

    def remember(self, storage):
        """Keep what memory from outside holds, to be put back."""
        if id(storage) not in self.own and id(storage) not in self.before:
            self.before[id(storage)] = storage, storage.data.copy()

    def put_back(self):
        for storage, data in self.before.values():
            if storage.data.flags.writeable:
                storage.data[...] = data
        self.before = {}


def again(kernel, operands, options, results, new):
    """Call a kernel once more, and write what it makes where it was."""
    outputs = kernel(*operands, **options)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    for old, x in zip(results, outputs, strict=True):
        if any(old is n for n in new):
            fill(old.storage, x.storage)


def fill(storage, other):
    storage.data[...] = other.data
    storage.version += 1


# ------------------------------------------------- capture and replay


class CUDAGraph:
    """A captured step: replay() does it again, with the memory as it is then."""

    def __init__(self):
        self.reset()

    def reset(self):
        """Forget what was captured, and its memory."""
        self.recorder = self.captured = self.memory = self.static = None

    def capture_begin(self, pool=None, device=None):
        """From here to capture_end() kernels are captured, and not run.

        pool: pool() of another graph, whose memory this one may use, too. device:
        "cuda", or "sim" for what is on "sim" and "cpu"; None: "cuda" where there is a
        GPU.
        """
        if plan_cache.state.watch is not None:
            raise CaptureError("a capture has begun already: one at a time")
        self.reset()
        self.opened = contextlib.ExitStack()
        self.start = random.default_generator.get_state()
        on_gpu = gpu_available() if device is None else device == "cuda"
        self.static = random.Static(*(["cuda"] if on_gpu else ["cpu", "sim"]))
        self.opened.enter_context(self.static.captured())
        if on_gpu:
            self.begin_on_gpu(pool)
        else:
            self.recorder = Recorder()
            self.opened.enter_context(self.recorder)
            self.opened.enter_context(plan_cache.disabled(self.recorder))
        plan_cache.state.watch = self.host_reads

    def begin_on_gpu(self, pool):
        import cupy

        self.memory = pool or cupy.cuda.MemoryPool()
        self.stream = cupy.cuda.Stream(non_blocking=True)
        cupy.cuda.Device().synchronize()
        self.opened.enter_context(cupy.cuda.using_allocator(self.memory.malloc))
        self.opened.enter_context(self.stream)
        self.stream.begin_capture()

    def capture_end(self):
        """End of the capture: replay() does what was captured."""
        self.close()

    def close(self):
        plan_cache.state.watch = None
        try:
            if self.recorder is None:
                self.captured = self.stream.end_capture()
        finally:
            self.opened.close()
            if self.recorder is not None:
                self.recorder.put_back()
            random.default_generator.set_state(self.start)

    def host_reads(self, what):
        """The host reads, writes or waits: a capture cannot hold that."""
        why = f"{what} reads numbers that are not there yet"
        if what == "synchronize()":
            why = "the host waits for work that has not begun"
        if what == plan_cache.UPLOAD:
            why = "numbers are copied from the host: at a replay they are old"
        words = f"a CUDA graph cannot capture {shown(user_line())}\n{why}"
        if what == plan_cache.UPLOAD:
            words += ". Make the tensor before; or, if that is a number of an "
            words += "operator's, run the step once before it is captured"
        raise CaptureError(words)

    def replay(self):
        """Do again what was captured."""
        if self.recorder is None and self.captured is None:
            raise RuntimeError(
                "Called CUDAGraph::replay without a preceding successful capture."
            )
        if self.static.used:
            self.static.renew()
        if self.captured is not None:
            import cupy

            self.captured.launch(cupy.cuda.get_current_stream())
            return
        for step in self.recorder.steps:
            step()

    def pool(self):
        """The private memory, for another graph's capture."""
        return self.memory

    @property
    def launches(self):
        """What was captured, as `minigrad.trace()` shows it; not on a GPU."""
        return self.recorder


class graph:  # noqa: N801
    """A context manager: captures what runs inside of it, into a CUDAGraph."""

    def __init__(self, cuda_graph, pool=None, device=None):
        self.graph, self.how = cuda_graph, (pool, device)

    def __enter__(self):
        self.graph.capture_begin(*self.how)

    def __exit__(self, kind, error, where):
        if kind is None:
            self.graph.capture_end()
            return
        with contextlib.suppress(Exception):  # the first error says what was wrong
            self.graph.close()
        self.graph.reset()


# ------------------------------------------------- functions


def make_graphed_callables(function, sample_args, num_warmup_iters=3, device=None):
    """The function, or module, with its work forward and backward in CUDA graphs.

    sample_args: a tuple of tensors: further calls take such of the same shapes. The
    result is the same memory in each call: clone() keeps it.
    """
    static = [x.detach().clone() for x in sample_args]
    for x, given in zip(static, sample_args, strict=True):
        x.requires_grad_(requires(given))
    params = [*function.parameters()] if isinstance(function, Module) else []
    asked = [x for x in (*static, *params) if requires(x)]
    for _ in range(num_warmup_iters):
        back(listed(function(*static)), asked)
    forward, backward = CUDAGraph(), CUDAGraph()
    with graph(forward, device=device):
        result = function(*static)
        results = listed(result)
    if not asked:
        return Replayed(forward, static, result)
    dys = [y.detach().clone() for y in results]
    with graph(backward, forward.pool(), device):
        grads = back(results, asked, dys)
    return Graphed(forward, backward, static, results, asked, dys, grads, params)


def listed(result):
    return [*result] if isinstance(result, tuple | list) else [result]


def back(results, asked, dys=None):
    """The gradients of what a function was given; dys: of its results, or ones."""
    if not asked:
        return []
    dys = dys or [y.detach() for y in results]
    return grad(results, asked, dys, allow_unused=True, retain_graph=False)


class Replayed:
    """A function that is a graph, without gradients."""

    def __init__(self, forward, static, result):
        self.forward, self.static, self.result = forward, static, result

    def __call__(self, *args):
        copy_inputs(self.static, [*args])
        self.forward.replay()
        return self.result


class Graphed:
    """A function that is two graphs."""

    def __init__(self, forward, backward, static, results, asked, dys, grads, params):
        self.forward, self.backward = forward, backward
        self.static, self.results, self.dys = static, results, dys
        self.params, ids = params, [id(x) for x in asked]
        places = [ids.index(id(x)) if id(x) in ids else None
                  for x in (*static, *params)]  # fmt: skip
        self.grads = [None if p is None else grads[p] for p in places]

    def __call__(self, *args):
        return GraphedFunction.apply(self, *args, *self.params)


class GraphedFunction(Function):
    @staticmethod
    def forward(ctx, graphed, *args):
        ctx.graphed = graphed
        copy_inputs(graphed.static, [*args[: len(graphed.static)]])
        graphed.forward.replay()
        results = [y.detach() for y in graphed.results]
        return tuple(results) if len(results) > 1 else results[0]

    @staticmethod
    def backward(ctx, *dys):
        graphed = ctx.graphed
        copy_inputs(graphed.dys, [*dys])
        graphed.backward.replay()
        return None, *(g if g is None else g.detach() for g in graphed.grads)
