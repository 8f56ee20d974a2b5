"""Variables: local, shared, and global ones, with their types and initial values."""

from .. import ast, constant, ctype as C, tree as T
from ..errors import CompileError, outside
from ..group_types import Group, Operation, refuse_group
from .check_types import says_auto
from .conversions import converted
from .discarded import names_in, note_dependent
from .function_calls import bind_reference
from .inheritance import is_struct
from .initializers import default_value, initialize
from .node_checks import check, checks, type_of
from .values import check_value, constant_value, read

NOT_LOCAL = {"__global__", "__host__", "inline", "__forceinline__", "__noinline__"}


def is_const(node):
    """Does a type in the tree say const of what it is?"""
    while isinstance(node, ast.ArrayOf):
        node = node.element
    return bool(getattr(node, "quals", 0) & C.CONST)


@checks(ast.Declaration)
def check_declaration(scope, node):
    declarations = [check_local(scope, v) for v in node.variables]
    if len(declarations) > 1 and says_auto(node.variables[0].type):
        refuse_two_autos(node.variables, [m.variable.type for m in declarations])
    return [m for m in declarations if m is not None], True


def check_local(scope, node):
    """One local variable."""
    words = node.specifiers
    for word in NOT_LOCAL & set(words):
        raise CompileError(f"'{word}' cannot stand before a variable", words[word])
    if "__shared__" in words:
        return check_shared(scope, node)
    if "extern" in words or "__device__" in words or "__constant__" in words:
        order = ("extern", "__device__", "__constant__")
        word = next(w for w in order if w in words)
        message = f"a variable within a function cannot be {word}"
        raise CompileError(message, node.place, "declare it at file level")
    if "static" in words and not ("constexpr" in words or is_const(node.type)):
        note = "write a __device__ variable at file level"
        raise outside("a static variable in a function", node.place, note)
    note_dependent(scope, node)
    if node.init is not None and node.name in names_in(node.init):
        what = f"a first value of '{node.name}' made of '{node.name}' itself"
        raise outside(what, node.place, "choose another name")
    type, value = typed_initializer(scope, node)
    if "constexpr" in words:
        type = type.qualified(C.CONST)
    variable = T.Variable(node.name, type, "local", node.place, init=value)
    set_constant(variable, value, node)
    if value is None:
        check_uninitialized(scope, variable, node)
    scope.add(node.name, variable, node.place)
    scope.body.locals.append(variable)
    return T.Declare(node.place, variable, value)


def check_uninitialized(scope, variable, node):
    type = variable.type
    refuse_constexpr(scope, "a variable without a value", node.place)
    if isinstance(type, C.Reference):
        raise CompileError("a reference needs something to refer to", node.place)
    if type.const and not isinstance(type, Operation):
        raise CompileError("a const variable needs a value", node.place)
    if isinstance(type, Group):
        note = "write auto block = cg::this_thread_block();"
        raise CompileError("a group needs a first value", node.place, note)
    if type.is_scalar or isinstance(type.plain, C.Half):
        scope.body.unset.add(variable)


def refuse_constexpr(scope, what, place):
    """Refuse what no constexpr function can have; an instance can."""
    function = scope.body.function
    if function and function.constexpr and not function.template_arguments:
        message = f"{what} cannot stand in a constexpr function"
        raise CompileError(message, place, "leave constexpr out")


def typed_initializer(scope, node):
    """(type, initial value) of a declaration, with auto deduced from the value."""
    init = node.init
    if says_auto(node.type):
        if isinstance(init, ast.Items) and len(init.items) > 1 and node.style == "=":
            raise outside("auto from a list", node.place, "write its type")
        if init is None or isinstance(init, ast.Items) and len(init.items) != 1:
            raise CompileError("auto needs an initial value", node.place)
        if isinstance(init, ast.Items):
            init = init.items[0]
        return deduce_auto(scope, node, init)
    type = type_of(scope, node.type)
    refuse_incomplete(type, init, node)
    if init is None:
        return type, default_value(scope, type, node.place)
    if isinstance(type, C.Reference):
        if isinstance(init, ast.Items):
            raise CompileError("a reference is initialized with =", node.place)
        return type, bind_reference(scope, type, check(scope, init), "the value")
    if node.style == "(" and isinstance(init, ast.Items):
        init = bracket_initializer(type, init)
    value = initialize(scope, type, init, node.place)
    if isinstance(type, C.Array) and type.count is None:
        type = value.type
    return type, value


def bracket_initializer(type, init):
    """T x(value), or dim3 x(a, b)."""
    pair = type.plain in (C.HALF2, C.BFLOAT162) and len(init.items) == 2
    constructor = is_struct(type) and type.plain.methods.get("")
    if pair or constructor or type.plain is C.DIM3:
        return init
    if isinstance(type, C.Array) or len(init.items) != 1:
        raise CompileError(f"'{type}' cannot be made from this list", init.place)
    return init.items[0]


def deduce_auto(scope, node, init):
    """auto x, auto& x, auto* x."""
    if isinstance(node.type, ast.ReferenceTo):
        target = check(scope, init)
        if isinstance(target.type, C.FunctionType):
            target = read(scope, target)
        type = type_of(scope, node.type, target.type)
        return type, bind_reference(scope, type, target, "the value")
    value = check_value(scope, init)
    deduced = value.type.plain
    if deduced is C.VOID:
        raise CompileError("this call returns nothing", node.place)
    if isinstance(node.type, ast.PointerTo):
        if not isinstance(deduced, C.Pointer):
            raise CompileError(f"'{deduced}' is not a pointer", node.place)
        deduced = deduced.to
    type = type_of(scope, node.type, deduced)
    return type, converted(value, type)


def refuse_two_autos(variables, types):
    """`auto a = 1, *b = &c;`: auto stands for one type."""
    shown = {}
    for variable, type in zip(variables, types, strict=True):
        inner = variable.type
        while isinstance(inner, ast.PointerTo | ast.ReferenceTo):
            inner, type = inner.to, type.plain.to
        shown.setdefault(type.plain, variable)
    if len(shown) > 1:
        (one, _), (other, variable) = list(shown.items())[:2]
        message = f"auto is '{one}' before, and '{other}' here"
        raise CompileError(message, variable.place, "declare them one by one")


def refuse_incomplete(type, init, node):
    """Refuse variables of incomplete types."""
    if type.plain is C.VOID:
        raise CompileError("a variable cannot be void", node.place)
    if isinstance(type, C.Struct) and not type.complete:
        raise CompileError(f"'{type}' is not defined yet", node.place)
    if isinstance(type, C.Array) and type.count is None and init is None:
        raise CompileError("the size of this array is missing", node.place)


def set_constant(variable, value, node):
    """Remember the value of a const that is known when compiling."""
    type = variable.type
    constexpr = "constexpr" in node.specifiers
    keeps = constexpr or not type.plain.is_float
    if value is not None and type.const and type.plain.is_scalar and keeps:
        variable.constant = constant.value_of(value)
    if not constexpr or variable.constant is not None:
        return
    message = "a constexpr needs a value that is known when compiling"
    if value is None:
        raise CompileError(message, node.place)
    if constant.is_known(constant.zero(type)):  # numbers, and what holds them
        number = constant_value(value, message, node.place)
        variable.known = number if isinstance(number, list) else None


def check_shared(scope, node):
    """__shared__ T name[n]; extern __shared__ T name[];"""
    type = type_of(scope, node.type)
    if node.init is not None:
        note = "let threads write it, then __syncthreads()"
        message = "a __shared__ variable cannot have an initial value"
        raise CompileError(message, node.place, note)
    refuse_group(type, "shared memory for", node.place)
    if isinstance(type, C.Reference):
        raise CompileError("a __shared__ reference", node.place)
    dynamic = "extern" in node.specifiers
    if dynamic and not (isinstance(type, C.Array) and type.count is None):
        note = "write extern __shared__ T name[]; the launch gives its size"
        raise outside("an extern __shared__ with a size", node.place, note)
    if type.const:
        raise CompileError("a const variable needs a value", node.place)
    if not dynamic:
        refuse_incomplete(type, None, node)
    refuse_constexpr(scope, "a __shared__ variable", node.place)
    storage = "dynamic-shared" if dynamic else "shared"
    variable = T.Variable(node.name, type, storage, node.place)
    if dynamic:
        check_dynamic_shared(scope, node, type)
    elif type.size > 227 * 1024:
        raise CompileError("a block has less shared memory than this", node.place)
    scope.add(node.name, variable, node.place)
    if scope.body.function:
        scope.body.function.shared.append(variable)
    return None


def check_dynamic_shared(scope, node, type):
    """Dynamic shared arrays of one name are one array: one type."""
    before = scope.dynamic.setdefault(node.name, type)
    if before is not type:
        message = f"'{node.name}' is declared as '{before}' elsewhere"
        note = "all extern __shared__ arrays of one name have one type"
        raise CompileError(message, node.place, note)


def check_global(scope, node):
    """A variable at file level: __device__, __constant__, const or shared."""
    words = node.specifiers
    for word in ("__global__", "__host__", "inline", "__forceinline__"):
        if word in words:
            message = f"'{word}' cannot stand before a variable"
            raise CompileError(message, words[word])
    if "__shared__" in words:
        check_shared(scope, node)
        return
    type, value = typed_initializer(scope, node)
    says_const = type.const or "constexpr" in words
    refuse_group(type, "a variable at file level that is", node.place)
    if "constexpr" in words:
        type = type.qualified(C.CONST)
    storage = "constant" if "__constant__" in words or type.const else "device"
    on_device = "__device__" in words or "__constant__" in words
    if not on_device and not type.const:
        note = "write __device__ or __constant__ before it"
        message = f"'{node.name}' is a variable of the host"
        raise CompileError(message, node.place, note)
    variable = T.Variable(node.name, type, storage, node.place, init=value)
    check_global_value(variable, value, node, says_const)
    scope.add(node.name, variable, node.place)
    scope.globals.append(variable)


def check_global_value(variable, value, node, says_const):
    if isinstance(variable.type, C.Reference):
        raise outside("a reference at file level", node.place)
    if value is None:
        if variable.type.const and "__constant__" not in node.specifiers:
            raise CompileError("a const variable needs a value", node.place)
        return
    if says_const:  # a __constant__ that does not, Python may write
        set_constant(variable, value, node)
    if not is_static(value):
        message = "the first value of a variable at file level must be constant"
        raise CompileError(message, node.place)


def is_static(node):
    """Can this value be computed before the program starts?"""
    if isinstance(node, T.Aggregate):
        return all(item is None or is_static(item) for item in node.items)
    if isinstance(node, (T.StringLiteral, T.Literal)):
        return True
    if isinstance(node, (T.Decay, T.AddressOf)):
        inner = node.operand
        return isinstance(inner, (T.StringLiteral, T.VariableRef))
    if isinstance(node, T.Convert) and is_static(node.operand):
        return True
    if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
        variable = node.operand.variable
        return variable.storage == "constant" and variable.init is not None
    if isinstance(node, T.Binary) and not node.left.type.plain.is_integer:
        return is_static(node.left) and is_static(node.right)
    if isinstance(node, T.Unary):
        return is_static(node.operand)
    return constant.value_of(node) is not None
