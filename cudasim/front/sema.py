"""The whole file: functions, global variables, and what holds between them."""

from . import ast, constant
from . import ctype as C
from . import tree as T
from .discarded import DEPENDENT
from .errors import CompileError, DeductionError, outside
from .statements import STATEMENT, Statements
from .templates import Overloads, Template

MOST_CALLS = 100  # of each other: Python calls as deep as the kernel does

HOST = (
    "a function without __global__ or __device__ runs on the host, which NVRTC "
    "does not compile"
)


class Checker(Statements):
    """Checks one file; `program` is what came of it."""

    def __init__(self, file="kernel.cu", includes=(), arch=75):
        super().__init__(file, includes)
        self.arch, self.dynamic = arch, {}
        self.functions, self.globals, self.templates = [], [], {}
        self.pending = {}  # methods whose bodies have not been checked
        self.begin(None)

    def begin(self, function):
        """Set up what belongs to one function; gives what was there before."""
        names = ("function", "unset", "loops", "locals", "around", "labels", *DEPENDENT)
        before = {name: getattr(self, name, None) for name in names}
        self.function, self.unset = function, set()
        self.loops, self.locals, self.around, self.labels = [], [], [], set()
        return before

    def check_file(self, nodes):
        for node in nodes:
            if isinstance(node, ast.Function):
                self.function_or_template(node)
            elif isinstance(node, ast.VariableTemplate):
                self.add(node.variable.name, node, node.place)
            elif isinstance(node, ast.Declaration):
                for variable in node.variables:
                    self.global_variable(variable)
            else:
                STATEMENT[type(node)](self, node)
        self.finish()

    def global_variable(self, node):
        """A variable at file level: __device__, __constant__, const or shared."""
        words = node.specifiers
        for word in ("__global__", "__host__", "inline", "__forceinline__"):
            if word in words:
                message = f"'{word}' cannot stand before a variable"
                raise CompileError(message, words[word])
        if "__shared__" in words:
            self.shared(node)
            return
        type, value = self.typed_init(node)
        says_const = type.const or "constexpr" in words
        self.no_group(type, "a variable at file level that is", node.place)
        if "constexpr" in words:
            type = type.qualified(C.CONST)
        storage = "constant" if "__constant__" in words or type.const else "device"
        on_device = "__device__" in words or "__constant__" in words
        if not on_device and not type.const:
            note = "write __device__ or __constant__ before it"
            message = f"'{node.name}' is a variable of the host"
            raise CompileError(message, node.place, note)
        variable = T.Variable(node.name, type, storage, node.place, init=value)
        self.check_global(variable, value, node, says_const)
        self.add(node.name, variable, node.place)
        self.globals.append(variable)

    def check_global(self, variable, value, node, says_const):
        if isinstance(variable.type, C.Reference):
            raise outside("a reference at file level", node.place)
        if value is None:
            if variable.type.const and "__constant__" not in node.specifiers:
                raise CompileError("a const variable needs a value", node.place)
            return
        if says_const:  # a __constant__ that does not, Python may write
            self.set_constant(variable, value, node)
        if not static(value):
            message = "the first value of a variable at file level must be constant"
            raise CompileError(message, node.place)

    def function_or_template(self, node):
        """Declare a function or a template; check the body of a function."""
        self.check_words(node)
        if self.declares_builtin(node):
            return
        if node.special is not None:
            self.specialize_function(node)
            return
        found = self.scopes[-1].get(node.name)
        self.not_cuda(node.name, None, node.place)
        if found is None:
            found = self.scopes[-1][node.name] = Overloads(node.name)
        elif not isinstance(found, Overloads):
            message = f"'{node.name}' has already been declared"
            raise CompileError(message, node.place)
        if node.template is not None:
            self.declare_template(found, node)
            return
        function = self.signature(node)
        self.beside_builtins(function, node)
        function = self.declared(found, function, node)
        if node.body is not None:
            self.body(function, node)

    def declares_builtin(self, node):
        """Is this a declaration of one of CUDA's own functions?"""
        if node.body is not None or node.template is not None or node.special:
            return False
        function = self.signature(node)
        types = [t.plain for t in function.types]
        same = [b for b in self.builtin(node.name)
                if [t.plain for t in b.types] == types]  # fmt: skip
        return any(b.result is function.result for b in same)

    def specialize_function(self, node):
        """template <> float f<float>(...): one instance, written out."""
        function = self.signature(node)
        values = [T.VariableRef(node.place, p.type, p) for p in function.parameters]
        name = ast.Name(node.place, node.name, node.special or None)
        found = self.find(node.name)
        if node.body is None and isinstance(found, Overloads):  # make the instance
            for template in found.templates:
                self.deduced(template, name, values)
            return
        for template in getattr(found, "templates", ()):
            try:
                key = self.key_of(template, name, values)
            except DeductionError:
                continue
            function.template_arguments = key
            template.instances[key] = function
            self.functions.append(function)
            self.body(function, node)
            return
        message = f"no template '{node.name}' has this specialization"
        raise CompileError(message, node.place)

    def beside_builtins(self, function, node):
        """A function can overload one of CUDA's, which has other parameters."""
        types, place = [t.plain for t in function.types], node.place
        if node.name == "assert":
            raise CompileError("'assert' is a macro of CUDA's own", place)
        for builtin in self.builtin(node.name):
            same = [t.plain for t in builtin.types] == types
            if same and builtin.result is not function.result:
                message = f"'{node.name}' of CUDA's own returns '{builtin.result}'"
                raise CompileError(message, place, "choose another name")
            if not same and 'extern "C"' in node.specifiers:
                message = f"a second '{node.name}' with extern \"C\": CUDA has one"
                raise CompileError(message, place, "choose another name")

    def declare_template(self, found, node):
        self.check_template(node)
        found.templates = [
            t for t in found.templates if t.node.body is not None or not same(t, node)
        ]
        if node.body is None and any(same(t, node) for t in found.templates):
            return
        template = Template(node)
        found.templates.append(template)
        self.templates[node.name] = template

    def check_template(self, node):
        names = [p.name for p in node.template]
        if len(set(names)) < len(names):
            raise CompileError("two template parameters of one name", node.place)

    def check_words(self, node):
        """Only device code: __global__, or __device__."""
        words = node.specifiers
        for word in ("__shared__", "__constant__", "__align__"):
            if word in words:
                message = f"'{word}' cannot stand before a function"
                raise CompileError(message, node.place)
        if "__global__" in words:
            if "__device__" in words or "__host__" in words:
                message = "a kernel is __global__ only"
                raise CompileError(message, node.place, "leave the other word out")
        elif "__device__" not in words:
            raise CompileError(
                HOST, node.place, f"write __device__ or __global__ before {node.name}"
            )
        elif node.bounds:
            message = "__launch_bounds__ belongs to a kernel"
            raise CompileError(message, node.place)

    def signature(self, node):
        """The Function of a node, without its body."""
        kernel = "__global__" in node.specifiers
        auto = self.says_auto(node.result)
        if auto and (kernel or node.body is None or node.result.quals):
            note = "write the type"
            raise outside("a function that returns auto", node.place, note)
        parameters, packs = self.unpacked(node, kernel)
        self.scopes.append({**{p.name: p for p in parameters}, **packs})
        result = None if auto else self.type_of(node.result)
        self.scopes.pop()
        if kernel and result is not C.VOID:
            message = f"a kernel returns nothing: '{node.name}' must be void"
            raise CompileError(message, node.place)
        if isinstance(result, C.Array):
            raise CompileError("a function cannot return an array", node.place)
        function = T.Function(node.name, result, parameters, kernel, node.place)
        function.packs = packs
        function.defaults = () if packs else self.defaults(node, parameters)
        function.constexpr = "constexpr" in node.specifiers
        function.launch_bounds = tuple(
            self.whole_number(b, "a launch bound") for b in node.bounds or ()
        )
        for bound, at in zip(function.launch_bounds, node.bounds or (), strict=True):
            if bound < 1:
                raise outside("a launch bound below 1", at.place, "leave it out")
        most = 3 if self.arch >= 90 else 2
        if len(function.launch_bounds) > most:
            message = f"__launch_bounds__ takes {most} numbers at most here"
            raise CompileError(message, node.bounds[most].place)
        return function

    def parameter(self, node, kernel):
        type = self.type_of(node.type)
        if isinstance(type, C.Array):
            type = type.element.pointer()
        if type.plain is C.VOID:
            raise CompileError("a parameter cannot be void", node.place)
        if isinstance(type, C.Struct) and not type.complete:
            raise CompileError(f"'{type}' is not defined yet", node.place)
        if kernel:
            self.no_group(type, "a kernel's parameter that is", node.place)
        if kernel and isinstance(type.plain, C.FunctionPointer):
            what = "a kernel's parameter that points to a function"
            raise outside(what, node.place, "pass a number, and choose with switch")
        if kernel and isinstance(type, C.Reference):
            note = "a kernel takes values and pointers"
            raise outside("a reference parameter of a kernel", node.place, note)
        return T.Variable(node.name, type, "parameter", node.place)

    def defaults(self, node, parameters):
        """The default values of the last parameters."""
        out = []
        for given, parameter in zip(node.parameters, parameters, strict=True):
            if given.default is not None:
                value = self.bind(parameter, self.check(given.default), "this")
                out.append(value)
            elif out:
                message = f"the default of parameter '{given.name}' is missing"
                raise CompileError(message, given.place)
        return tuple(out)

    def declared(self, found, function, node):
        """Put the function among its overloads; join it with its declaration."""
        for other in found.functions:
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
        found.functions.append(function)
        self.functions.append(function)
        return function

    def make_instance(self, template, key):
        """Check a template's function with its parameters bound (scope is set)."""
        node = template.node
        if node.body is None:
            what = f"a call of the template '{node.name}' before its definition"
            raise outside(what, node.place, "define it first")
        function = self.signature(node)
        function.template_arguments = key
        template.instances[key] = function
        self.functions.append(function)
        self.body(function, node)
        return function

    def body(self, function, node):
        """Check the body of a function."""
        before = self.begin(function)
        self.begin_dependent(node)
        function.body = T.Block(node.place, [])
        scope = {}
        self.scopes.append(scope)
        packed = [p for pack in function.packs.values() for p in pack]
        for parameter in function.parameters:
            if parameter in packed:
                continue
            if parameter.name in scope:
                message = f"a second parameter '{parameter.name}'"
                raise CompileError(message, parameter.place)
            if parameter.name:
                scope[parameter.name] = parameter
        scope.update(function.packs)
        first = self.before_body(function, node, scope) if function.makes else []
        made, falls = self.sequence(node.body.statements)
        if function.makes and falls:
            made.append(T.Return(node.body.end, self.read(self.this(node.body.end))))
            falls = False
        made = first + made
        if function.result is None:
            function.result = C.VOID
        self.scopes.pop()
        function.body = T.Block(node.body.place, made)
        function.end = node.body.end
        if falls and function.result is not C.VOID:
            function.falls_off = True
            message = f"'{function.name}' can end here without returning a value"
            self.lint("missing-return", node.body.end, message)
        self.unused()
        self.__dict__.update(before)

    def before_body(self, function, node, scope):
        """What a constructor begins with: the struct, and its members' first values."""
        this = T.Variable("this", function.makes, "local", node.place)
        scope["this"] = this
        out = [T.Declare(node.place, this, None)]
        values = [getattr(s, "value", None) for s in node.body.statements]
        targets = [v.target for v in values if isinstance(v, ast.Assign)]
        given = {getattr(target, "name", None) for target in targets}
        for name, value in function.makes.defaults.items():
            if name == ast.BASE and name in given:
                continue
            target = ast.Member(value.place, ast.This(value.place), name, True)
            assign = ast.Assign(value.place, "=", target, value)
            out.append(T.Evaluate(value.place, self.check(assign)))
        return out

    def unused(self):
        for variable in self.locals:
            if not variable.used and variable.init is None:
                message = f"'{variable.name}' is never used"
                self.lint("unused", variable.place, message)

    def finish(self):
        """What only the whole file shows: missing bodies, recursion, barriers."""
        self.finish_pointers()
        done, active = {}, []
        for function in self.functions:
            self.visit(function, done, active)
        for name, template in self.templates.items():
            kernel = "__global__" in template.node.specifiers
            if not template.instances and not kernel:
                message = f"the template '{name}' is never used, so not checked"
                self.lint("template", template.node.place, message)

    def visit(self, function, done, active):
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
            self.visit(called, done, active)
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


def same(template, node):
    """Do a template and a node declare one function? By count, as names differ."""
    a, b = template.node, node
    shape = len(a.template) == len(b.template)
    return shape and len(a.parameters) == len(b.parameters) and a.body is None


def static(node):
    """Can this value be computed before the program starts?"""
    if isinstance(node, T.Aggregate):
        return all(item is None or static(item) for item in node.items)
    if isinstance(node, (T.StringLiteral, T.Literal)):
        return True
    if isinstance(node, (T.Decay, T.AddressOf)):
        inner = node.operand
        return isinstance(inner, (T.StringLiteral, T.VariableRef))
    if isinstance(node, T.Convert) and static(node.operand):
        return True
    if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
        variable = node.operand.variable
        return variable.storage == "constant" and variable.init is not None
    if isinstance(node, T.Binary) and not node.left.type.plain.is_integer:
        return static(node.left) and static(node.right)
    if isinstance(node, T.Unary):
        return static(node.operand)
    return constant.value_of(node) is not None
