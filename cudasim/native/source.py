"""From the typed tree to C.

What is not read raises Unread, and the launch runs with NumPy. A pointer is a P of
runtime.h.
"""

from pathlib import Path

from ..front import ctype as C, tree as T
from ..generate.variables import clean, walk
from ..numerics import tables
from . import c_builtins
from .c_builtins import Unread
from .c_statements import function_text
from .function_source import FunctionSource

RUNTIME = Path(__file__).with_name("runtime.h")
LOOPS = T.For, T.While, T.Do
MOST_LOCAL = 2**15  # bytes of a thread


class Source:
    """The C of one kernel, as `text`.

    layout: of the launch, (variable, begin, size) of each shared variable. local: the
    bytes of a thread's variables. casts: whether it casts const away. meets: the
    functions in which threads wait for each other.
    """

    def __init__(self, program, kernel, layout):
        if program.fmad:
            raise Unread("fused operations")
        if any(function.recursive for function in kernel.reached):
            raise Unread("recursion")
        self.program = program
        self.layout = {variable: begin for variable, begin, _ in layout}
        self.types, self.names, self.sites = {}, {}, 0
        self.local, self.casts = 0, False
        self.meets = {f for f in kernel.reached if self.waits(f)}
        orders(kernel)
        functions = [self.function(f, kernel) for f in reversed(kernel.reached)]
        heads = [f"{code.head};" for code in functions]
        bodies = [function_text(code) for code in functions]
        if self.local > MOST_LOCAL:
            raise Unread("large variables")
        define = "#define MEETS 1\n" if self.meets else ""
        for name in "SINE", "ERF":
            table = getattr(tables, {"ERF": "ERF_NARROW"}.get(name, name))
            define += f"#define {name}(x) ({horner(table)})\n"
        types = [text for _, text in self.types.values()]
        entry = self.entry(kernel)
        runtime = RUNTIME.read_text(encoding="utf-8")
        self.text = "\n".join([define, runtime, *types, *heads, *bodies, entry])

    def waits(self, function):
        """Do threads meet in this function, or in one that it calls?"""
        return any(
            type(node) is T.BuiltinCall and c_builtins.meets(node.builtin)
            for reached in function.reached for node in walk(reached.body)
        )  # fmt: skip

    def function(self, function, kernel):
        if function.body is None:
            raise Unread(function.name)
        self.names[function] = f"f{len(self.names)}_{clean(function.name)}"
        return FunctionSource(self, function)

    def entry(self, kernel):
        """The function that runtime.h calls for each thread."""
        values = [
            f"*({self.type(p.type)}*)R->launch->args[{i}]"
            for i, p in enumerate(kernel.parameters)
        ]
        given = ", ".join(["R", "t", *(["0"] if self.meets else []), *values])
        call = f"{self.names[kernel]}({given})"
        return f"static void kernel(Run* R, Thread* t) {{ {call}; }}\n"

    def type(self, type):
        """The name of a type in C."""
        if isinstance(type, C.Reference):
            if isinstance(type.to.plain, C.Pointer):
                raise Unread("references to pointers")
            return "P"
        type = type.plain
        if type is C.VOID:
            return "void"
        if isinstance(type, C.Enum):
            if hasattr(type, "to"):
                raise Unread("function pointers")
            return self.type(type.base)
        if isinstance(type, C.Pointer):
            if isinstance(type.to.plain, C.Pointer):
                raise Unread("pointers to pointers")
            return "P"
        if isinstance(type, C.Scalar):
            kind = {"bool": "b", "int": "i", "uint": "u", "float": "f"}[type.kind]
            return f"{kind}{8 * type.size}"
        if type not in self.types:
            self.types[type] = self.declared(type)
        return self.types[type][0]

    def declared(self, type):
        """(name, declaration) of an array or a struct."""
        if isinstance(type, C.Array) and type.count:
            if isinstance(type.of.plain, C.Pointer):
                raise Unread("arrays of pointers")
            element = self.type(type.element)
            name = f"T{len(self.types)}_{element}"
            return name, f"typedef {element} {name}[{type.count}];"
        if not isinstance(type, C.Struct) or isinstance(type, C.Union):
            raise Unread(f"the type {type}")
        at, lines = 0, []
        for i, (field, offset) in enumerate(type.fields.values()):
            if isinstance(field.plain, C.Pointer | C.Reference):
                raise Unread("pointers in structs")
            if offset > at:
                lines.append(f"char gap{i}[{offset - at}];")
            lines.append(f"{self.type(field)} m{i};")
            at = offset + field.size
        if type.size > at:
            lines.append(f"char gap[{type.size - at}];")
        name = f"T{len(self.types)}_struct"
        kind = "typedef struct __attribute__((packed))"
        return name, f"{kind} {{ {' '.join(lines)} }} {name};"

    def site(self):
        self.sites += 1
        return self.sites


def horner(coefficients):
    """A polynomial of x, in the steps of tables.polynomial."""
    code = f"x * {coefficients[-1].hex()}"
    for c in coefficients[-2:0:-1]:
        code = f"({code} + {c.hex()}) * x"
    return f"{code} + {coefficients[0].hex()}".replace("x ", "(x) ")


def orders(kernel):
    """Raise Unread if a result may depend on the order of atomic operations.

    One operation that a thread makes once is in the order of threads in C, too.
    """
    sites = []

    def look(function, inside):
        loops = {n for loop in walk(function.body) if type(loop) in LOOPS
                 for n in walk(loop)}  # fmt: skip
        bare = {n.value for n in walk(function.body) if type(n) is T.Evaluate}
        for node in walk(function.body):
            within = inside or node in loops
            if type(node) is T.Call:
                look(node.function, within)
            elif type(node) is T.BuiltinCall and node.builtin.name[:6] == "atomic":
                how, _ = c_builtins.update(node.builtin)
                free = node in bare and node.builtin.result.is_integer
                sites.append((free and how in c_builtins.ORDERLESS, within))

    look(kernel, False)
    ordered = [within for free, within in sites if not free]
    if ordered and (len(sites) > 1 or ordered[0]):
        raise Unread("the order of atomic operations")
