"""The order in which a graph runs: any that is right is accepted."""

import collections

from grading.exercise import Check, Differs, checks, mistake, mistakes, right
from minigrad.graph import execution_order

from .layered import Layered, fault, graphs, row, uses
from .scene_check import cut

RIGHT = Differs("each operation once, after its inputs, and nothing else")


@checks(execution_order)
class ExecutionOrder(Check):
    """Leaves out cycles: an operation's inputs are there before it."""

    scene = "execution"

    def cases(self, random):
        some = graphs(random, 4)
        for edges in some:
            yield "each after its inputs", edges, [max(edges)]
        for edges in some:
            for n in edges if len(edges) < 6 else random.sample([*edges], 2):
                yield "only what is needed", edges, [n]
        for edges in some:
            yield "several fetches", edges, random.choices([*edges], k=3)
            yield "several fetches", edges, [max(edges), min(edges)]
        yield "several fetches", edges, []
        yield "10 000 operations in a row", *row(random, 10_000)
        yield "many ways", Layered.ladder(30), [90]

    def expected(self, edges, fetches):
        return RIGHT

    def same(self, got, expected, edges, fetches):
        if isinstance(expected, Differs):
            kept = isinstance(got, dict) and got["fetches are as they were"]
            return kept and self.judged(got["order"], edges, fetches) == expected
        return got == expected  # a mistake's

    def judged(self, order, edges, fetches):
        found = fault(order, edges, fetches, before=False)
        return found.removeprefix("a root is ") or RIGHT

    def general(self, case):
        if "RecursionError" in getattr(case.got, "types", ()):
            return "recursion", (
                "it calls itself for each operation, and Python allows 1000 calls "
                "inside of each other: keep a list of what is still to be visited"
            )
        if getattr(case.got, "kind", "") == "type":
            return "type", case.got.message
        return None if isinstance(case.got, dict) else super().general(case)

    def words(self, edges, fetches):
        if len(edges) > 1000:
            return f"{len(edges):,} operations, each uses the one before"
        return cut(f"fetches {fetches}; {uses(edges)}", 200)

    def lines(self, case):
        lines = dict(super().lines(case)) | {"expected": str(RIGHT)}
        if isinstance(case.got, dict):
            lines["got"] = str(case.got["order"])
        return list(lines.items())


@mistake(execution_order)
def recursion(fetches):
    done, seen = [], set()

    def visit(operation):
        if operation in seen:
            return
        seen.add(operation)
        for i in operation.inputs:
            visit(i)
        done.append(operation)

    for operation in fetches:
        visit(operation)
    return done


@mistake(execution_order)
def repeated(fetches):
    order, layer = [], list(fetches)
    while layer and len(order) < 100_000:
        order = layer + order
        layer = [i for o in layer for i in o.inputs][:100_000]
    return order


mistakes(execution_order)(r"""
changed:
> return done -> fetches.clear()\n    return done
type:
> return done -> return tuple(done)
> return done ->
too_early: an operation stands before one of its inputs: its value is not there yet.
    Write an operation down when all of its inputs are done
? too early
> stack.append((operation, True)) -> done.append(operation)
& return done -> return done[::-1]
repeated: an operation that several others use is listed several times: once is enough
? repeated
backwards: the order is the reverse: inputs come first, and fetches last
? backwards
> return done -> return done[::-1]
missing: operations are missing: the fetches, and all that they depend on
? missing
> return done -> return [o for o in done if o not in fetches or not o.inputs]
> return done -> return [o for o in done if o.inputs]
> reversed(fetches) -> fetches[:1]
> return done -> return fetches[:]
others: something in the list, shown as -1, is no operation
? something that is none
> return done -> return [o.inputs for o in done]
right: the last fetch first
> reversed(fetches) -> fetches
""")


@right(execution_order, "by counting inputs that are not done")
def _(fetches):
    waiting, users, left = {}, collections.defaultdict(list), list(fetches)
    while left:
        o = left.pop()
        if o not in waiting:
            waiting[o] = len(set(o.inputs))
            for i in set(o.inputs):
                users[i].append(o)
            left.extend(o.inputs)
    order = [o for o in waiting if not waiting[o]]
    for o in order:
        for user in users[o]:
            waiting[user] -= 1
            if not waiting[user]:
                order.append(user)
    return order


@right(execution_order, "by a stack of iterators")
def _(fetches):
    done, seen, path, stack = [], set(), [], [iter(fetches)]
    while stack:
        new = next((o for o in stack[-1] if o not in seen), None)
        if new is not None:
            seen.add(new)
            path.append(new)
            stack.append(iter(new.inputs))
        else:
            stack.pop()
            done += [path.pop()] if path else []
    return done
