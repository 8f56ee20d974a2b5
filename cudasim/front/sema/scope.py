"""What the checker knows at a place in the file: names, warnings, the function around.

The modules of this room are functions over a Scope; `check(scope, node)` finds the one
for a node.
"""

import dataclasses

from .. import builtins, ctype as C, group_types as groups, headers, tree as T
from ..errors import CompileError, Lint, meant, outside


@dataclasses.dataclass
class Body:
    """What belongs to the function whose body is checked; None at file level.

    unset: variables without a value. loops: [is it a loop, does it break] of each
    loop and switch around. locals: the variables that are declared in it. around:
    (labels, statements so far) of each block. labels: those of the whole function.

    dependent: names whose meaning the parameters of a template give. type_dependent:
    those whose types they give. result_depends: so is the type that it returns.
    """

    function: object = None
    unset: set = dataclasses.field(default_factory=set)
    loops: list = dataclasses.field(default_factory=list)
    locals: list = dataclasses.field(default_factory=list)
    around: list = dataclasses.field(default_factory=list)
    labels: set = dataclasses.field(default_factory=set)
    dependent: frozenset = frozenset()
    type_dependent: frozenset = frozenset()
    result_depends: bool = False


class Scope:
    """Names, and what has been found in the file so far.

    names: what each name stands for, a dictionary for each scope; CUDA's own come
    first, then those of the file. outer: names with :: before them, and their places.
    pending: methods whose bodies have not been checked. signatures: of pointers to
    functions, by result and parameters. named: the struct that stands for a function
    as an argument -> that function.
    """

    def __init__(self, file="kernel.cu", includes=(), arch=75, outer=()):
        self.file, self.includes, self.arch, self.outer = file, includes, arch, outer
        base = {**C.NAMED, **T.BUILT_IN}
        if "cuda_fp16.h" in includes:
            base.update(C.FP16)
        if "cuda_bf16.h" in includes:
            base.update(C.BF16)
        if groups.BASE in includes:
            base["cooperative_groups::thread_block"] = groups.THREAD_BLOCK
        self.names, self.body = [base, {}], Body()
        self.warnings, self.linted = [], set()
        self.functions, self.globals, self.dynamic = [], [], {}
        self.templates, self.pending = {}, {}
        self.signatures, self.named = {}, {}
        self.instances = self.depth = 0  # of templates

    def lint(self, kind, place, message):
        """Note a lint, once for each place."""
        if (kind, place) not in self.linted:
            self.linted.add((kind, place))
            self.warnings.append(Lint(kind, *place, message, self.file))

    def find(self, name, place=None):
        """What `name` stands for, or None; place: where it is, perhaps behind a ::."""
        outer = (name, place) in self.outer
        for names in reversed(self.names[:2] if outer else self.names):
            if name in names:
                return names[name]
        return None

    def add(self, name, thing, place):
        """Declare `name` in the innermost scope."""
        names = self.names[-1]
        if len(self.names) == 2:
            self.refuse_cuda_name(name, thing, place)
        if name in names:
            message = f"'{name}' has already been declared in this scope"
            raise CompileError(message, place)
        names[name] = thing

    def refuse_cuda_name(self, name, thing, place):
        """Refuse a type or a variable of the file with a name of CUDA's."""
        if name == "warpSize" and is_warp_size(thing):
            return
        declared = self.names[0].get(name)
        again = isinstance(declared, C.CType) and declared is thing
        of_builtin = isinstance(thing, T.Variable) and (
            name in headers.OUTSIDE or any(self.builtins(name))
        )
        if (declared is not None and not again) or of_builtin:
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
            for names in self.names
            for n, thing in names.items()
            if not isinstance(thing, C.CType) and isinstance(thing, values) != called
        }
        known |= builtins.NAMES if called else set()
        return CompileError(f"'{name}' is undefined", place, note or meant(name, known))

    def builtins(self, name):
        """The overloads of a function of CUDA's that this file can use."""
        return [b for b in self.offered(name) if b.arch <= self.arch]

    def offered(self, name):
        """Those, and the ones of newer devices."""
        every = builtins.overloads(name)
        return [b for b in every if not b.header or b.header in self.includes]


def brought_by(name):
    """The note that names the header of one of CUDA's functions, or ""."""
    header = next((b.header for b in builtins.overloads(name) if b.header), "internal")
    return "" if header == "internal" else f"write #include <{header}> at the top"


def is_warp_size(thing):
    """Can this be declared as CUDA's own warpSize is, const int?"""
    is_int = isinstance(thing, T.Variable) and thing.type.plain is C.INT
    return is_int and thing.type.const and thing.storage == "constant"
