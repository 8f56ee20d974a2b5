"""Answers of topological_order by other algorithms."""

import collections
import graphlib

from minigrad.autograd.engine import topological_order
from tools.audit.specimens import answer


def children(node):
    return [n for n, _ in node.next_functions if n is not None]


def counted(roots, targets):
    waiting, found, left = collections.Counter(), set(roots), list(set(roots))
    while left:
        for child in children(left.pop()):
            waiting[child] += 1
            if child not in found:
                found.add(child)
                left.append(child)
    order = [node for node in found if not waiting[node]]
    for node in order:
        for child in targets(node):
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    return order


@answer(topological_order, wrong="recursion")
def _(roots):
    done, seen = [], set()

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        for child in children(node):
            visit(child)
        done.append(node)

    for root in roots:
        visit(root)
    return done[::-1]


@answer(topological_order, right="by counting how many lead to each")
def _(roots):
    return counted(roots, children)


@answer(topological_order, right="by a stack of iterators")
def _(roots):
    done, seen, stack = [], set(), [(None, iter(roots))]
    while stack:
        node, below = stack[-1]
        child = next((n for n in below if n not in seen), None)
        if child is None:
            done.append(node)
            stack.pop()
        else:
            seen.add(child)
            stack.append((child, iter(children(child))))
    return done[-2::-1]


@answer(topological_order, right="by graphlib")
def _(roots):
    sorter, seen, left = graphlib.TopologicalSorter(), set(), list(roots)
    while left:
        node = left.pop()
        if node not in seen:
            seen.add(node)
            sorter.add(node, *children(node))
            left += children(node)
    return [*sorter.static_order()][::-1]
