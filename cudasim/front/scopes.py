"""Names and types: what the checker looks up."""

from . import ast, builtins, constant, evaluate, headers
from . import ctype as C
from . import group_types as groups
from . import tree as T
from .errors import CompileError, Lint, meant, outside

MOST_BYTES = 1 << 31
MOST_PARTS = 1 << 12  # of a struct: it is copied number by number


class Scopes:
    """The scopes of names, the types that names stand for, and the lints."""

    def __init__(self, file="kernel.cu", includes=()):
        self.file, self.includes, self.warnings = file, includes, []
        base = {**C.NAMED, **T.BUILT_IN}
        if "cuda_fp16.h" in includes:
            base.update(C.FP16)
        if "cuda_bf16.h" in includes:
            base.update(C.BF16)
        if groups.BASE in includes:
            base["cooperative_groups::thread_block"] = groups.THREAD_BLOCK
        self.scopes = [base, {}]
        self.outer = ()  # names with :: before them, and their places
        self.linted = set()

    def lint(self, kind, place, message):
        """Note a lint, once for each place."""
        if (kind, place) not in self.linted:
            self.linted.add((kind, place))
            self.warnings.append(Lint(kind, *place, message, self.file))

    def lint_numbers(self, op, left, right, place):
        """Double constants in float code; division by zero."""
        for one, other in ((left, right), (right, left)):
            if other.type.plain is C.FLOAT and is_double_literal(one):
                value = constant.value_of(one)
                message = "a double constant makes this float code compute in double"
                if value is not None:
                    message += f": write {value!r}f"
                self.lint("double-constant", one.place, message)
        whole = left.type.plain.is_integer and right.type.plain.is_integer
        if op in ("/", "%") and whole and constant.value_of(right) == 0:
            self.lint("divide-by-zero", place, "division by zero")

    def check_bounds(self, type, index, place):
        """A constant index outside an array."""
        count = type.count if isinstance(type, C.Array) else None
        value = constant.value_of(index) if count else None
        if value is not None and not 0 <= value < count:
            message = f"index {value} is outside the array, whose indices are 0"
            self.lint("out-of-bounds", place, f"{message} to {count - 1}")

    def find(self, name, place=None):
        """What `name` stands for, or None; place: where it is, perhaps behind a ::."""
        outer = (name, place) in self.outer
        scopes = self.scopes[:2] if outer else self.scopes
        for scope in reversed(scopes):
            if name in scope:
                return scope[name]
        return None

    def add(self, name, thing, place):
        """Declare `name` in the innermost scope."""
        scope = self.scopes[-1]
        if len(self.scopes) == 2:
            self.not_cuda(name, thing, place)
        if name in scope:
            message = f"'{name}' has already been declared in this scope"
            raise CompileError(message, place)
        scope[name] = thing

    def not_cuda(self, name, thing, place):
        """Refuse a type or a variable of the file with a name of CUDA's."""
        if name == "warpSize" and is_warp_size(thing):
            return
        known = self.scopes[0].get(name)
        again = isinstance(known, C.CType) and known is thing
        of_builtin = isinstance(thing, T.Variable) and (
            name in headers.OUTSIDE or any(self.builtin(name))
        )
        if (known is not None and not again) or of_builtin:
            note = "choose another name"
            raise CompileError(f"'{name}' is a name of CUDA's own", place, note)

    def undeclared(self, name, place, called=False):
        """The error for an unknown name, perhaps with a known one much like it.

        called: it is called, so the other is a function, too.
        """
        note = headers.note(name) or brought_by(name)
        if headers.is_outside(name):
            return outside(f"'{name}'", place, note)
        values = T.Variable | T.EnumValue
        known = {
            n
            for scope in self.scopes
            for n, thing in scope.items()
            if not isinstance(thing, C.CType) and isinstance(thing, values) != called
        }
        known |= builtins.NAMES if called else set()
        return CompileError(f"'{name}' is undefined", place, note or meant(name, known))

    def type_of(self, node, auto=None):
        """The C type of a type in the tree. auto: what `auto` stands for."""
        if isinstance(node, ast.NamedType):
            return self.named_type(node, auto).qualified(node.quals)
        if isinstance(node, ast.TemplateType):
            template = self.find(node.name)
            if isinstance(template, C.Struct):  # within the struct: another instance
                template = (template.template or [None])[0]
            if template is not None and not isinstance(template, C.CType):
                made = self.struct_instance(template, node)
            else:
                made = self.group_type(node)
            return made.qualified(node.quals)
        if isinstance(node, ast.MemberType):
            return self.type_within(node)
        if isinstance(node, ast.FunctionOf):
            types = map(self.type_of, node.parameters)
            return self.signature_of(self.type_of(node.result), types)
        if isinstance(node, ast.TypeOf):
            return self.type_of_value(node).qualified(node.quals)
        if isinstance(node, ast.PointerTo):
            inner = self.type_of(node.to, auto)
            self.no_group(inner, "a pointer to", node.place)
            if isinstance(inner, C.Reference):
                raise CompileError("a pointer to a reference", node.place)
            return inner.pointer().qualified(node.quals)
        if isinstance(node, ast.ReferenceTo):
            inner = self.type_of(node.to, auto)
            if isinstance(inner, C.Reference) or inner.plain is C.VOID:
                raise CompileError(f"a reference to {inner}", node.place)
            return inner.reference()
        return self.array_type(node, auto)

    def named_type(self, node, auto):
        name = node.name
        if isinstance(name, C.CType):
            return name
        if not isinstance(name, str):
            return self.type_of(name, auto)
        if name == "auto":
            if auto is None:
                raise CompileError("auto needs an initial value", node.place)
            return auto
        found = self.find(name, node.place)
        if not isinstance(found, C.CType):
            raise CompileError(f"'{name}' is not a type", node.place)
        return found

    def array_type(self, node, auto):
        element = self.type_of(node.element, auto)
        self.no_group(element, "an array of", node.place)
        if isinstance(element, C.Reference) or element.plain is C.VOID:
            raise CompileError(f"an array of {element}", node.place)
        if isinstance(element, C.Array) and element.count is None:
            message = "only the first size of an array can be left out"
            raise CompileError(message, node.place)
        if isinstance(element, C.Struct) and not element.complete:
            raise CompileError(f"'{element}' is not defined yet", node.place)
        if node.count is None:
            return element.array(None)
        count = self.whole_number(node.count, "the size of an array")
        if count <= 0:
            raise CompileError("the size of an array must be positive", node.place)
        if count * element.size >= MOST_BYTES:
            raise CompileError("this array is too large", node.place)
        return element.array(count)

    def whole_number(self, node, what):
        """The value of a constant integer expression."""
        typed = self.value(node)
        message = f"{what} must be known when the kernel is compiled"
        note = "use a number, a #define, a constexpr, or a template parameter"
        value = self.constant(typed, message, node.place, note)
        is_enum = isinstance(typed.type.plain, C.Enum)
        if not (typed.type.plain.is_integer or is_enum):
            raise CompileError(f"{what} must be an integer", node.place)
        return value

    def constant(self, typed, message, place, note=""):
        """The value of a constant expression, or the error that says why not."""
        value = constant.value_of(typed)
        if value is not None:
            return value
        if broken := constant.without_value(typed):
            message = "this has no value in C: it overflows, or divides by zero"
            raise CompileError(message, broken, "compute it in a larger type")
        if call := evaluate.unknown_call(typed):
            what = f"this use of '{call.function.name}' in a constant"
            note = "a constexpr function computes with numbers it has, in few steps"
            raise outside(what, call.place, note)
        raise CompileError(message, place, note)

    def define_enum(self, node):
        """enum E {...}: its values are constants of the scope around it."""
        base = C.INT if node.base is None else self.type_of(node.base).plain
        if not base.is_integer:
            raise CompileError(f"an enum is an integer, not '{base}'", node.place)
        type = C.Enum(node.name or "enum", node.scoped, base)
        if node.name:
            self.add(node.name, type, node.place)
        following = 0
        for place, name, expression in node.values:
            if expression is not None:
                following = self.whole_number(expression, "the value of an enum")
            if not base.least <= following <= base.most:
                raise outside(f"a value of an enum beyond {base}", place)
            if name in type.values:
                raise CompileError(f"a second value '{name}'", place)
            type.values[name] = following
            if not node.scoped:
                self.add(name, T.EnumValue(type, following), place)
            following += 1


def brought_by(name):
    """The note that names the header of one of CUDA's functions, or ""."""
    header = next((b.header for b in builtins.overloads(name) if b.header), "internal")
    return "" if header == "internal" else f"write #include <{header}> at the top"


def is_warp_size(thing):
    """Can this be declared as CUDA's own warpSize is, const int?"""
    is_int = isinstance(thing, T.Variable) and thing.type.plain is C.INT
    return is_int and thing.type.const and thing.storage == "constant"


def is_double_literal(node):
    """Is this a number without an f after it, perhaps with a sign?"""
    if isinstance(node, T.Unary):
        node = node.operand
    return isinstance(node, T.Literal) and node.type is C.DOUBLE
