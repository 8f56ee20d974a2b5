"""The whole file: its declarations, and what holds between its functions."""

from .. import ast, tree as T
from ..errors import CompileError, DeductionError, outside
from .check_variables import check_global
from .function_bodies import check_body
from .function_declarations import check_specifiers, declare_function
from .function_pointers import finish_callers
from .node_checks import check, checks
from .symbols import FunctionTemplate, Overloads
from .templates import deduce_instance, deduce_key

MOST_CALLS = 100  # of each other: Python calls as deep as the kernel does


def check_file(scope, nodes):
    for node in nodes:
        if isinstance(node, ast.Declaration):
            for variable in node.variables:
                check_global(scope, variable)
        else:
            check(scope, node)
    finish_file(scope)


@checks(ast.VariableTemplate)
def check_variable_template(scope, node):
    scope.add(node.variable.name, node, node.place)


@checks(ast.Function)
def check_function(scope, node):
    """Declare a function or a template; check the body of a function."""
    check_specifiers(node)
    if declares_builtin(scope, node):
        return
    if node.special is not None:
        specialize_function(scope, node)
        return
    overloads = scope.names[-1].get(node.name)
    scope.refuse_cuda_name(node.name, None, node.place)
    if overloads is None:
        overloads = scope.names[-1][node.name] = Overloads(node.name)
    elif not isinstance(overloads, Overloads):
        message = f"'{node.name}' has already been declared"
        raise CompileError(message, node.place)
    if node.template is not None:
        declare_template(scope, overloads, node)
        return
    function = declare_function(scope, node)
    check_beside_builtins(scope, function, node)
    function = join_declarations(scope, overloads, function, node)
    if node.body is not None:
        check_body(scope, function, node)


def declares_builtin(scope, node):
    """Is this a declaration of one of CUDA's own functions?"""
    if node.body is not None or node.template is not None or node.special:
        return False
    function = declare_function(scope, node)
    types = [t.plain for t in function.types]
    same = [b for b in scope.builtins(node.name)
            if [t.plain for t in b.types] == types]  # fmt: skip
    return any(b.result is function.result for b in same)


def specialize_function(scope, node):
    """template <> float f<float>(...): one instance, written out."""
    function = declare_function(scope, node)
    values = [T.VariableRef(node.place, p.type, p) for p in function.parameters]
    name = ast.Name(node.place, node.name, node.special or None)
    overloads = scope.find(node.name)
    if node.body is None and isinstance(overloads, Overloads):  # make the instance
        for template in overloads.templates:
            deduce_instance(scope, template, name, values)
        return
    for template in getattr(overloads, "templates", ()):
        try:
            key = deduce_key(scope, template, name, values)
        except DeductionError:
            continue
        function.template_arguments = key
        template.instances[key] = function
        scope.functions.append(function)
        check_body(scope, function, node)
        return
    message = f"no template '{node.name}' has this specialization"
    raise CompileError(message, node.place)


def check_beside_builtins(scope, function, node):
    """A function can overload one of CUDA's, which has other parameters."""
    types, place = [t.plain for t in function.types], node.place
    if node.name == "assert":
        raise CompileError("'assert' is a macro of CUDA's own", place)
    for builtin in scope.builtins(node.name):
        same = [t.plain for t in builtin.types] == types
        if same and builtin.result is not function.result:
            message = f"'{node.name}' of CUDA's own returns '{builtin.result}'"
            raise CompileError(message, place, "choose another name")
        if not same and 'extern "C"' in node.specifiers:
            message = f"a second '{node.name}' with extern \"C\": CUDA has one"
            raise CompileError(message, place, "choose another name")


def declare_template(scope, overloads, node):
    if len({p.name for p in node.template}) < len(node.template):
        raise CompileError("two template parameters of one name", node.place)
    kept = [t for t in overloads.templates if not is_redeclaration(t, node)]
    template = FunctionTemplate(node)
    overloads.templates = [*kept, template]
    scope.templates[node.name] = template


def is_redeclaration(template, node):
    """Do a template and a node declare one function? By count, as names differ."""
    a, b = template.node, node
    shape = len(a.template) == len(b.template)
    return shape and len(a.parameters) == len(b.parameters) and a.body is None


def join_declarations(scope, overloads, function, node):
    """Put the function among its overloads; join it with its declaration."""
    for other in overloads.functions:
        if [t.plain for t in other.types] != [t.plain for t in function.types]:
            continue
        if other.result is not function.result or other.kernel != function.kernel:
            message = f"'{node.name}' is declared differently in line"
            raise CompileError(f"{message} {other.place[0]}", node.place)
        if node.body is not None and other.body is not None:
            message = f"'{node.name}' has already been defined in line"
            raise CompileError(f"{message} {other.place[0]}", node.place)
        if node.body is not None:
            other.parameters, other.place = function.parameters, node.place
        other.defaults = function.defaults or other.defaults
        other.launch_bounds = function.launch_bounds or other.launch_bounds
        return other
    overloads.functions.append(function)
    scope.functions.append(function)
    return function


def finish_file(scope):
    """What only the whole file shows: missing bodies, recursion, barriers."""
    finish_callers(scope)
    done, active = {}, []
    for function in scope.functions:
        visit_calls(function, done, active)
    for name, template in scope.templates.items():
        kernel = "__global__" in template.node.specifiers
        if not template.instances and not kernel:
            message = f"the template '{name}' is never used, so not checked"
            scope.lint("template", template.node.place, message)


def visit_calls(function, done, active):
    """Walk the calls; refuse towers, and circles with barriers; pass barriers up.

    done: function -> how many calls deep it goes.
    """
    if function in done:
        return
    active.append(function)
    deep = 0
    for called, place in function.calls.items():
        if called in active:
            for one in active[active.index(called) :]:
                one.recursive = True
            continue
        if called.body is None:
            message = f"'{called.name}' is declared but never defined"
            raise CompileError(message, place)
        visit_calls(called, done, active)
        function.barrier |= called.barrier
        deep = max(deep, done[called] + 1)
        if deep > MOST_CALLS:
            message = f"calls of calls, more than {MOST_CALLS} of them"
            raise outside(message, place, "a thread's stack is small")
    if function.recursive and function.barrier:
        what = f"a barrier in what calls itself ('{function.name}')"
        raise outside(what, function.place, "write a loop")
    active.pop()
    done[function] = deep
