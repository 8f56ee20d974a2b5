"""Answers of execution_order by other algorithms."""

import collections

from minigrad.graph import execution_order
from tools.audit.specimens import answer


@answer(execution_order, wrong="recursion")
def _(fetches):
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


@answer(execution_order, right="by counting inputs that are not done")
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


@answer(execution_order, right="by a stack of iterators")
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
