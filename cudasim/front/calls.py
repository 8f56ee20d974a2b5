"""Calls: overloads, CUDA's own functions."""

import re
import weakref

from . import ast, builtins
from . import ctype as C
from . import tree as T
from .bases import is_struct
from .convert import EXACT, apply, converted, rank, same_object
from .errors import CompileError, DeductionError, outside
from .pointers import Pointers
from .structs import Methods, Own
from .templates import Overloads

OF_ADDRESS = re.compile(
    r"__cvta_(?:(generic)_to_(?:shared|global|local|constant|grid_constant)"
    r"|(?:shared|global|local|constant)_to_generic)"
)
OF_FUNCTION = weakref.WeakKeyDictionary()
MOST_PRINTED = 32


class Calls(Pointers):
    """Checks calls."""

    def builtin_names(self):
        return builtins.NAMES

    def builtin(self, name):
        """The overloads of a function of CUDA's that this file can use."""
        return [b for b in self.offered(name) if b.arch <= self.arch]

    def offered(self, name):
        """Those, and the ones of newer devices."""
        every = builtins.overloads(name)
        return [b for b in every if not b.header or b.header in self.includes]

    def on_call(self, node):
        name = node.function
        node = ast.Call(node.place, name, self.expanded(node.arguments))
        if isinstance(name, ast.Member):
            return self.method(name, node)
        if not isinstance(name, ast.Name):
            return self.call_value(self.check(name), node)
        found = self.find(name.name, name.place)
        if isinstance(found, Methods):
            return self.call_written(found, None, name.name, name.place, node.arguments)
        if isinstance(found, Own) or callable_variable(found):
            return self.call_value(self.check(name), node)
        if isinstance(found, (T.Variable, T.EnumValue)):
            self.no_group(found.type, "a call of", name.place)
            message = f"'{name.name}' is a variable, and cannot be called"
            raise CompileError(message, name.place)
        given = node.arguments
        if isinstance(found, Overloads):
            given = self.lists_for(found.functions, given)
            arguments = [self.argument(a) for a in given]
            return self.call_user(found, name, arguments)
        arguments = [self.argument(a) for a in given]
        if self.is_group_call(name, arguments):
            return self.group_call(name, arguments)
        if match := OF_ADDRESS.fullmatch(name.name):
            return self.address_as(match, name, arguments)
        if name.name == "printf":
            return self.printf(name, arguments)
        if name.name == "assert":
            return self.call_assert(name, node)
        if not self.offered(name.name):
            raise self.undeclared(name.name, name.place, called=True)
        return self.call_builtin(name, self.builtin(name.name), arguments)

    def address_as(self, match, name, arguments):
        """__cvta_generic_to_shared(p): addresses are the same in all spaces."""
        wanted = C.VOID.qualified(C.CONST).pointer() if match[1] else C.ULONG
        if len(arguments) != 1:
            message = f"'{name.name}' takes 1 argument, not {len(arguments)}"
            raise CompileError(message, name.place)
        what = f"be the argument of {name.name}, which is"
        value = converted(self.read(arguments[0]), wanted, what, name.place)
        type = C.ULONG if match[1] else C.VOID.pointer()
        return T.Convert(name.place, type, value)

    def lists_for(self, functions, arguments):
        """The arguments, {a, b} as a value of its parameter, if one function fits."""
        fitting = [f for f in functions if len(f.parameters) >= len(arguments)]
        if len(fitting) != 1:
            return arguments
        types = [getattr(t, "to", t) if isinstance(t, C.Reference) else t
                 for t in fitting[0].types]  # fmt: skip
        return [
            self.initial(type.plain, a, a.place) if isinstance(a, ast.Items) else a
            for type, a in zip(types, arguments)  # noqa: B905
        ]

    def function_object(self, typed, node):
        """A function's name as an argument: a struct that is called like it."""
        found = self.find(typed.value)
        known = getattr(found, "functions", ())
        if len(known) != 1 or getattr(found, "templates", None):
            note = "write a struct with operator()"
            raise outside("a function as an argument", node.place, note)
        made = callable_of(known[0])
        self.named[made] = known[0]
        return T.Aggregate(node.place, made, [])

    def call_value(self, value, node):
        """f(a) where f is a struct with operator(), or points to a function."""
        if isinstance(value.type.plain, C.FunctionPointer):
            return self.call_pointer(self.read(value), node)
        if not is_struct(value.type) or "operator()" not in value.type.plain.methods:
            raise CompileError("only a function can be called", node.place)
        methods = value.type.plain.methods["operator()"]
        return self.call_written(
            methods, value, methods.name, node.place, node.arguments
        )

    def candidate(self, function, base=None):
        """A function for `resolve`; `this` takes what has no address, too."""
        made = Candidate(function)
        this = function.parameters[:1]
        if base is not None and this and not T.is_lvalue(base):
            first = this[0].type.to.qualified(C.CONST).reference()
            made.types = (first, *made.types[1:])
        return made

    def argument(self, node):
        """An argument; lvalues stay lvalues until the parameter is known."""
        if isinstance(node, ast.Items):
            note = "write the type before it: T{...}"
            raise outside("a list in { } as an argument", node.place, note)
        typed = node if isinstance(node, T.Aggregate | T.Call) else self.check(node)
        if isinstance(typed.type, C.FunctionType):
            return self.function_object(typed, node)
        if typed.type.plain is C.VOID:
            raise CompileError("this call returns nothing", node.place)
        return typed

    def call_builtin(self, name, candidates, arguments):
        for argument in arguments:
            # A function that writes through an address may give it a value.
            self.unset.discard(getattr(argument, "variable", None))
        values = [self.read(a) for a in arguments]
        self.need_arch(name, candidates, tuple(v.type.plain for v in values))
        is_half = values and isinstance(values[0].type.plain, C.Half)
        if is_half and name.name in builtins.NOT_FOR_HALF:
            message = f"more than one '{name.name}' fits ({values[0].type.plain})"
            raise CompileError(message, name.place, "convert it: __half2float(h)")
        chosen = self.resolve(name, candidates, values)
        values = self.passed(name.name, chosen.types, values)
        if chosen.category == "barrier" and self.function:
            self.function.barrier = True
        return T.BuiltinCall(name.place, chosen.result, chosen, values)

    def need_arch(self, name, candidates, given):
        """Refuse what only newer devices have: all of it, or for these types."""
        newer = [b for b in self.offered(name.name) if b.arch > self.arch]
        if candidates:
            newer = [b for b in newer if given and b.types[-1].plain is given[-1]]
        if newer:
            arch = newer[0].arch
            message = f"'{name.name}' is undefined below compute capability "
            which = f" for '{given[-1]}'" if candidates else ""
            raise CompileError(
                f"{message}{arch / 10}{which}", name.place,
                f"compile with -arch=compute_{arch}",
            )  # fmt: skip

    def passed(self, name, types, values):
        """Values converted to the types of parameters."""
        return [
            converted(v, t, f"be argument {i + 1} of {name}, which is", v.place)
            for i, (v, t) in enumerate(zip(values, types, strict=False))
        ]

    def resolve(self, name, candidates, values):
        """The one candidate that fits best: C++'s rule."""
        count = len(values)
        fitting = [c for c in candidates if c.required <= count <= len(c.types)]
        if not fitting:
            raise self.wrong_count(name, candidates, count)
        if len(candidates) == 1:
            return candidates[0]
        ranked = []
        for candidate in fitting:
            pairs = list(zip(values, candidate.types))  # noqa: B905
            ranks = [self.rank(v, t) for v, t in pairs]
            if None not in ranks:
                quals = [t.to.quals if isinstance(t, C.Reference) else None
                         for _, t in pairs]  # fmt: skip
                ranked.append((list(zip(ranks, quals, strict=True)), candidate))
        best = [
            (ranks, c)
            for ranks, c in ranked
            if all(better(ranks, other) for other, d in ranked if d is not c)
        ]
        if len(best) == 1:
            return best[0][1]
        given = ", ".join(str(v.type.plain) for v in values)
        message = f"more than one '{name.name}' fits ({given})"
        note = "cast the arguments to one type"
        if not ranked:
            message, note = f"no '{name.name}' takes ({given})", self.offers(fitting)
        raise CompileError(message, name.place, note)

    def offers(self, candidates):
        shown = ["(" + ", ".join(map(str, c.types)) + ")" for c in candidates]
        return "there is " + ", ".join(shown[:8])

    def rank(self, value, type):
        """The rank of an argument for a parameter, perhaps a reference."""
        if not isinstance(type, C.Reference):
            return rank(self.upcast(self.peeked(value), type), type)
        target, value = type.to, self.upcast(value, type)
        if T.is_lvalue(value) and same_object(value.type, target):
            return None if value.type.quals & ~target.quals else EXACT
        return rank(self.peeked(value), target) if target.const else None

    def peeked(self, value):
        """`value` as it is when read, without noting that it was."""
        if isinstance(value.type, C.Array):
            return T.Decay(value.place, value.type.element.pointer(), value)
        return value

    def wrong_count(self, name, candidates, count):
        wanted = sorted({len(c.types) for c in candidates})
        least = min(c.required for c in candidates)
        few = "few" if count < least else "many"
        shown = " or ".join(map(str, wanted)) or "0"
        message = f"too {few} arguments: '{name.name}' takes {shown}, not {count}"
        return CompileError(message, name.place)

    def printf(self, name, arguments):
        if len(arguments) > MOST_PRINTED + 1:
            what = f"printf of more than {MOST_PRINTED} values"
            raise outside(what, name.place, "a GPU prints no more at a time")
        values = [self.read(a) for a in arguments]
        text = C.CHAR.qualified(C.CONST).pointer()
        if not values:
            raise CompileError("too few arguments: printf takes a format", name.place)
        first = converted(values[0], text, "be a format, which is", name.place)
        out = [first]
        for value in values[1:]:
            type = value.type.plain
            if isinstance(type, (C.Struct, C.Half)):
                what = f"printf of a '{type}'"
                raise outside(what, value.place, "print its numbers one by one")
            wide = C.DOUBLE if type is C.FLOAT else C.promoted(type)
            out.append(value if type is wide else apply(value, wide))
        return T.BuiltinCall(name.place, C.INT, builtins.PRINTF, out)

    def call_assert(self, name, node):
        if len(node.arguments) != 1:
            raise CompileError("assert takes one condition", name.place)
        condition = self.condition(node.arguments[0])
        return T.BuiltinCall(name.place, C.VOID, builtins.ASSERT, [condition])

    def call_user(self, overloads, name, arguments):
        """A call of one of the file's own functions."""
        candidates = (
            []
            if name.arguments is not None
            else [Candidate(f) for f in overloads.functions]
        )
        errors = []
        for template in sorted(overloads.templates, key=has_pack):
            if has_pack(template) and any(c.takes(arguments) for c in candidates):
                continue  # what has no pack fits better
            try:
                function = self.deduced(template, name, arguments)
            except DeductionError as error:
                errors.append(str(error))
                continue
            candidates.append(Candidate(function, template))
        candidates += self.builtins_beside(name, candidates)
        if not candidates:
            note = errors[0] if errors else ""
            message = f"no '{name.name}' fits this call"
            raise CompileError(message, name.place, note)
        plain = [c for c in candidates if getattr(c, "template", None) is None]
        try:
            chosen = self.resolve(name, candidates, arguments)
        except CompileError:
            if not plain or len(plain) == len(candidates):
                raise
            chosen = self.resolve(name, plain, arguments)
        if isinstance(chosen, builtins.Builtin):
            return self.call_builtin(name, [chosen], arguments)
        return self.call_function(chosen.function, name, arguments)

    def builtins_beside(self, name, candidates):
        """CUDA's own functions of this name, but for those that the file replaces."""
        if name.arguments is not None:
            return []
        own = {c.types for c in candidates if c.template is None}
        return [b for b in self.builtin(name.name) if b.types not in own]

    def call_function(self, function, name, arguments):
        if function.kernel:
            raise outside(
                "a kernel called like a function",
                name.place,
                "write a __device__ function, or launch from Python",
            )
        self.need_body(function)
        if function.result is None:
            what = f"a call of '{function.name}' before its type is known"
            raise outside(what, name.place, "write its type")
        self.called(function, name.place)
        values = [
            self.bind(parameter, argument, f"argument {i + 1} of {function.name}")
            for i, (parameter, argument) in enumerate(
                zip(function.parameters, arguments)  # noqa: B905
            )
        ]
        values += (
            function.defaults[
                len(function.defaults) - (len(function.parameters) - len(values)) :
            ]
            if len(values) < len(function.parameters)
            else ()
        )
        type = function.result
        if isinstance(type, C.Reference):
            type = type.to
        return T.Call(name.place, type, function, values)

    def called(self, function, place):
        """Note a call: for recursion and barriers."""
        if self.function is not None:
            self.function.calls.setdefault(function, place)
        elif not function.constexpr:
            message = "a value at file level cannot come from a function"
            raise CompileError(message, place, "a constexpr function can give one")

    def bind(self, parameter, argument, what):
        """An argument as the parameter takes it: a value, or an lvalue."""
        type = parameter.type
        if isinstance(type, C.Reference):
            if parameter.name == "this" and not T.is_lvalue(argument):
                return argument
            return self.bind_reference(type, argument, what)
        value = self.taken_for(self.read(argument), type)
        return converted(value, type, f"be {what}, which is")

    def bind_reference(self, type, argument, what):
        target, argument = type.to, self.upcast(argument, type)
        if T.is_lvalue(argument) and same_object(argument.type, target):
            if argument.type.quals & ~target.quals:
                message = f"{what} would drop const from '{argument.type}'"
                raise CompileError(message, argument.place)
            self.escapes(argument)
            return argument
        if not target.const:
            message = f"{what} is a reference: it needs a variable of type '{target}'"
            raise CompileError(message, argument.place)
        return converted(self.read(argument), target, f"be {what}, which is")


def callable_of(function):
    """The type of a function that is an argument: an empty struct with operator()."""
    types = ", ".join(map(str, function.types))
    made = C.Struct(f"{function.result} (*)({types})")
    made.complete_with(())
    made.methods["operator()"] = Methods("operator()", [function], static=True)
    return OF_FUNCTION.setdefault(function, made)


def callable_variable(found):
    """Is this a variable of a struct with operator(), or a pointer to a function?"""
    if not isinstance(found, T.Variable):
        return False
    type = found.type.to if isinstance(found.type, C.Reference) else found.type
    if isinstance(type.plain, C.FunctionPointer):
        return True
    return is_struct(type) and "operator()" in type.plain.methods


class Candidate:
    """A function as overload resolution sees it."""

    def __init__(self, function, template=None):
        self.function, self.template = function, template
        self.types = tuple(function.types)
        self.required = len(self.types) - len(function.defaults)

    def takes(self, arguments):
        """Does it take so many?"""
        return self.required <= len(arguments) <= len(self.types)


def has_pack(template):
    return any(parameter.pack for parameter in template.node.template)


def better(ranks, other):
    """Is no argument of `ranks` worse than in `other`, and one better?"""
    signs = {compared(a, b) for a, b in zip(ranks, other, strict=True)}
    return -1 in signs and 1 not in signs


def compared(one, other):
    """-1, 0, 1: how one (rank, qualifiers of a reference or None) fits beside another:
    of two references the one with fewer qualifiers is better."""
    a, b = one, other
    if None in (one[1], other[1]):
        a, b = one[:1], other[:1]
    return (a > b) - (a < b)
