"""Chapter 08, the order of the nodes: wrong answers, and right ones."""

import collections

from grading.specimens import mutant, right
from minigrad.autograd.engine import topological_order


def children(node):
    return [n for n, _ in node.next_functions if n is not None]


@mutant(topological_order, "recursion")
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


@mutant(topological_order, "too_early", "depth first, on the way down")
def _(roots):
    order, seen, stack = [], set(), list(reversed(roots))
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            order.append(node)
            stack += reversed(children(node))
    return order


@mutant(topological_order, "too_early", "level by level")
def _(roots):
    order, seen, queue = [], set(roots), collections.deque(dict.fromkeys(roots))
    while queue:
        node = queue.popleft()
        order.append(node)
        for child in children(node):
            if child not in seen:
                seen.add(child)
                queue.append(child)
    return order


@mutant(topological_order, "backwards")
def _(roots):
    done, seen, stack = [], set(), [(node, False) for node in roots]
    while stack:
        node, ready = stack.pop()
        if ready:
            done.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(child, False) for child in children(node)]
    return done


@mutant(topological_order, "repeated")
def _(roots):
    order, layer = [], list(roots)
    while layer and len(order) < 100_000:
        order += layer
        layer = [child for node in layer for child in children(node)]
    return order


@mutant(topological_order, "no_roots")
def _(roots):
    return in_order(roots)[len(set(roots)) :]


@mutant(topological_order, "no_roots", "the first root alone")
def _(roots):
    return in_order(roots[:1])


@mutant(topological_order, "missing")
def _(roots):
    ends = in_order(roots)
    return [n for n in ends if n in roots or n.next_functions]


@mutant(topological_order, "none_followed")
def _(roots):
    return in_order(roots, lambda node: [n for n, _ in node.next_functions])


def in_order(roots, below=children):
    done, seen, stack = [], set(), [(node, False) for node in roots]
    while stack:
        node, ready = stack.pop()
        if ready:
            done.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(child, False) for child in below(node)]
    return done[::-1]


@right(topological_order, "by counting who is waited for")
def _(roots):
    waiting, found, left = collections.Counter(), set(roots), list(set(roots))
    while left:
        for child in children(left.pop()):
            waiting[child] += 1
            if child not in found:
                found.add(child)
                left.append(child)
    order = [node for node in found if not waiting[node]]
    for node in order:
        for child in children(node):
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    return order


@right(topological_order, "with a stack of iterators")
def _(roots):
    done, seen = [], set()
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(children(root)))]
        while stack:
            node, rest = stack[-1]
            child = next((n for n in rest if n not in seen), None)
            if child is None:
                done.append(node)
                stack.pop()
            else:
                seen.add(child)
                stack.append((child, iter(children(child))))
    done.reverse()
    return done


@right(topological_order, "a list of its own, from behind")
def _(roots):
    return list(dict.fromkeys(in_order(list(reversed(roots)))))
