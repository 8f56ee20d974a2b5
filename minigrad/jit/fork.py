"""Two streams in a capture: the gradients of weights beside the way to the input.

What only an optimizer needs does not stand on the way of backward. In a capture a
second stream that waits for an event of the first belongs to it, and the graph has two
branches from there on, until the first stream waits for an event of the second.
"""

import contextlib

from .. import launch, plan_cache
from .ir import FREE
from .trace import AgainLaunch


class Fork:
    """Which nodes run aside, and the stream for them."""

    def __init__(self, graph):
        import cupy

        self.cupy, self.aside = cupy, aside(graph)
        self.stream, self.events = cupy.cuda.Stream(non_blocking=True), []
        self.open = []  # what the second stream reads and writes, until both meet
        launch.counters_of(True)  # made before the capture

    def run(self, node, step, env):
        """Do a node, on the stream that it belongs to."""
        if node not in self.aside:
            if self.open and any(i in self.aside for i in node.inputs):
                self.join()
            step(env)
        elif node.target in FREE:
            step(env)
        else:
            self.wait(self.cupy.cuda.get_current_stream(), self.stream)
            with self.stream, plan_cache.disabled(), counting_aside():
                step(env)
            self.open += [env[node], *map(env.get, node.inputs)]

    def join(self):
        """Let the first stream wait for the second."""
        if self.open:
            self.wait(self.stream, self.cupy.cuda.get_current_stream())
            self.open = []

    def wait(self, first, second):
        event = self.cupy.cuda.Event(disable_timing=True)
        event.record(first)
        second.wait_event(event)
        self.events.append(event)


@contextlib.contextmanager
def counting_aside():
    """Other zeros to count with than the kernels that run meanwhile (see launch)."""
    launch.aside = True
    try:
        yield
    finally:
        launch.aside = False


def aside(graph):
    """The nodes whose results go to launches that stand alone, and nowhere else."""
    users, results = graph.users(), set(graph.outputs)
    results -= {g for _, g in graph.grads}
    side, views = set(), set()  # views: what launches nothing, on the way there
    for node in reversed(graph.nodes):
        pure = node.op == "call_function" and not node.writes and node.out is None
        if not pure or node.group or not users[node] or node in results:
            continue
        if all(u in views or isinstance(u.kernel, AgainLaunch) for u in users[node]):
            (views if node.target in FREE else side).add(node)
    return side | views
