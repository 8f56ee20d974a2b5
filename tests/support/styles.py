"""Right answers that nobody chose: the course's solutions in other styles."""

import ast
import copy
import functools

import styles_cuda

from grading.checking.answers import Rewritten, Specimen, solution
from minigrad.exercises.exercise import KernelExercise

MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
GATHERS = "tuple", "list", "sum", "max", "min", "set", "sorted"


@functools.cache
def rights(exercise):
    """The Specimens of an exercise's solution in other styles, no two of them alike."""
    before = solution(exercise)
    if not isinstance(exercise, KernelExercise):
        styles, before = PYTHON, ast.unparse(ast.parse(before))
    else:
        styles = styles_cuda.STYLES if "__global__" in before else ()
    answers = {style(solution(exercise)): style for style in styles}
    answers.pop(before, None)
    titles = {style: style.__name__.replace("_", " ") for style in answers.values()}
    return [Specimen(exercise, Rewritten(style, title), None, f"right, {title}")
            for style, title in titles.items()]  # fmt: skip


def _changed(text, transformer):
    tree = transformer.visit(ast.parse(text))
    return ast.unparse(ast.fix_missing_locations(tree))


def other_names(text):
    """Variables are called otherwise; parameters are the contract's."""
    return _changed(text, _Renamed())


class _Renamed(ast.NodeTransformer):
    names = frozenset()

    def visit_FunctionDef(self, node):
        if not self.names:
            inside = [*ast.walk(node)]
            self.names = _stored(node)
            for n in inside:
                self.names -= {getattr(n, "arg", None), *getattr(n, "names", ())}
            node = self.generic_visit(node)
            self.names = frozenset()
            return node
        return self.generic_visit(node)

    def visit_Name(self, node):
        if node.id in self.names:
            node.id += "_"
        return node


def another_function(text):
    """The whole work is done by a function that the answer calls."""
    tree = ast.parse(text)
    for n, node in enumerate(tree.body):
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            inner = copy.deepcopy(node)
            inner.name, inner.decorator_list = f"_{node.name}", []
            node.body = [ast.Return(_call(inner.name, node.args))]
            tree.body.insert(n, inner)
            break
    return ast.unparse(ast.fix_missing_locations(tree))


def _call(name, args):
    def read(arg):
        return ast.Name(arg.arg, ast.Load())

    given = [read(a) for a in (*args.posonlyargs, *args.args)]
    given += [ast.Starred(read(args.vararg), ast.Load())] if args.vararg else []
    named = [ast.keyword(a.arg, read(a)) for a in args.kwonlyargs]
    named += [ast.keyword(None, read(args.kwarg))] if args.kwarg else []
    return ast.Call(ast.Name(name, ast.Load()), given, named)


def plain_loops(text):
    """What comprehensions gather is appended to lists in loops."""
    return _changed(text, _Loops())


class _Loops(ast.NodeTransformer):
    def visit_Return(self, node):
        self.before = []
        node.value = node.value and self.visit(node.value)
        return [*self.before, node]

    visit_Assign = visit_AugAssign = visit_Return

    def whole(self, node):
        """What is not worked out once, and before all else, stays as it is."""
        return node

    visit_Lambda = visit_IfExp = visit_BoolOp = visit_DictComp = visit_SetComp = whole
    visit_GeneratorExp = whole

    def visit_Call(self, node):
        gathers = getattr(node.func, "id", "") in GATHERS and len(node.args) == 1
        if gathers and isinstance(node.args[0], ast.GeneratorExp):
            node.args = [self.visit_ListComp(node.args[0])]
            return node
        return self.generic_visit(node)

    def visit_ListComp(self, node):
        gathered = f"gathered_{node.col_offset}"
        names = _stored(node)
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and n.id in names:
                n.id = f"each_{n.id}"
        body = [ast.parse(f"{gathered}.append({ast.unparse(node.elt)})").body[0]]
        for part in reversed(node.generators):
            for test in reversed(part.ifs):
                body = [ast.If(test, body, [])]
            body = [ast.For(part.target, part.iter, body, [])]
        self.before += [ast.parse(f"{gathered} = []").body[0], *body]
        return ast.Name(gathered, ast.Load())


def _stored(tree):
    return {n.id for n in ast.walk(tree)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip


def named_steps(text):
    """What is worked out on the way to a result has a name."""
    return _changed(text, _Steps())


class _Steps(_Loops):
    before = None  # outside of a `return`

    def visit_Return(self, node):
        self.before = []
        value = node.value and self.visit(node.value)
        if value and not isinstance(value, ast.Name):
            value = self.named(value)
        steps, self.before = self.before, None
        return [*steps, ast.Return(value)]

    visit_Assign = visit_AugAssign = visit_ListComp = visit_Call = _Loops.whole
    visit_Compare = _Loops.whole

    def visit_BinOp(self, node):
        return node if self.before is None else self.named(self.generic_visit(node))

    def named(self, node):
        name = f"step_{len(self.before)}"
        self.before.append(ast.parse(f"{name} = {ast.unparse(node)}").body[0])
        return ast.Name(name, ast.Load())


def while_loops(text):
    """Each `for` is a `while` that asks for what comes next."""
    return _changed(text, _Whiles())


class _Whiles(ast.NodeTransformer):
    def visit_For(self, node):
        self.generic_visit(node)
        each = f"each_{node.lineno}"
        begin = ast.parse(f"{each} = iter({ast.unparse(node.iter)})").body
        step = f"try:\n    {ast.unparse(node.target)} = next({each})\n"
        step = ast.parse(f"{step}except StopIteration:\n    break").body
        if node.orelse:
            return node
        return [*begin, ast.While(ast.Constant(True), step + node.body, [])]


def turned_round(text):
    """The other branch comes first, and comparisons are read from the right."""
    return _changed(text, _Turned())


class _Turned(ast.NodeTransformer):
    def visit_If(self, node):
        self.generic_visit(node)
        test = ast.UnaryOp(ast.Not(), node.test)
        return ast.If(test, node.orelse or [ast.Pass()], node.body)

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)

    def visit_Compare(self, node):
        self.generic_visit(node)
        (right, *more), kind = node.comparators, type(node.ops[0])
        if more or kind not in MIRRORED:
            return node
        return ast.Compare(right, [MIRRORED[kind]()], [node.left])


PYTHON = (other_names, another_function, plain_loops, named_steps, while_loops,
          turned_round)  # fmt: skip
