"""Structs: members, methods, constructors, operators, templates of structs.

A method is a function whose first parameter is `this`, a reference; a constructor one
that makes a struct, its local variable `this`, and returns it. So nothing that runs
code knows of them.
"""

import dataclasses

from . import ast
from . import ctype as C
from . import group_types as groups
from . import tree as T
from .bases import CONSTRUCTOR, Bases, is_struct
from .discarded import names_in
from .errors import CompileError, DeductionError, outside
from .scopes import MOST_BYTES, MOST_PARTS

CONVERSION = "operator "


@dataclasses.dataclass
class Own:
    """What a member's name stands for in a method: this->name."""

    name: str


@dataclasses.dataclass
class OwnReference:
    """What a lambda has captured by reference: *this->name."""

    name: str


@dataclasses.dataclass
class Methods:
    """The methods of one name. static: they have no `this`."""

    name: str
    functions: list
    static: bool = False


class StructTemplate:
    """A template of structs, with its instances and specializations by arguments."""

    def __init__(self, node):
        self.node, self.name = node, node.name
        self.instances, self.special, self.partial = {}, {}, []


LOCAL = ("local", "parameter")


def without_locals(scope):
    """A scope as a lambda in it sees it: constants, types, shared memory."""
    out = {}
    for name, thing in scope.items():
        if isinstance(thing, T.Variable) and thing.storage in LOCAL:
            if thing.constant is None:
                continue
            thing = T.EnumValue(thing.type.plain, thing.constant)
        out[name] = thing
    return out


def members(fields):
    """The names of (name, type), with those within a struct that has no name."""
    out = []
    for name, type in fields:
        inner = [(n, t) for n, (t, _) in getattr(type, "fields", {}).items()]
        out += [name] if name.isidentifier() else members(inner)
    return out


class Structs(Bases):
    """Defines structs, and finds their methods and operators."""

    def define_struct(self, node):
        """struct P {...}; the struct's name is known before its members."""
        self.refuse_packs(node)
        scope, name = self.scopes[-1], node.name
        if name is None:
            raise CompileError("a struct that stands here needs a name", node.place)
        kind = C.Union if node.union else C.Struct
        shown = name.replace(groups.BROUGHT, "cooperative_groups::")
        found = scope.get(name)
        if node.special is not None:
            self.specialize(node)
        elif node.template is not None:
            if not isinstance(found, StructTemplate):
                self.add(name, StructTemplate(node), node.place)
            elif node.members is not None:
                found.node = node
        elif node.members is None:
            if found is None:
                self.add(name, kind(shown), node.place)
        else:
            if not (isinstance(found, C.Struct) and not found.complete):
                found = kind(shown)
                self.add(name, found, node.place)
            for method in self.complete(found, node):
                self.need_body(method)

    def specialize(self, node):
        template = self.find(node.name)
        if not isinstance(template, StructTemplate):
            raise CompileError(f"'{node.name}' is no template", node.place)
        parameters = template.node.template
        if len(node.special) != len(parameters):
            message = f"'{node.name}' takes {len(parameters)} template arguments"
            raise CompileError(message, node.place)
        if node.template:
            template.partial.append(node)
            return
        key = tuple(map(self.template_value, parameters, node.special))
        template.special[key] = node

    def chosen(self, template, key, bound, place):
        """(definition, what its parameters are) of an instance."""
        found = []
        for node in template.partial:
            inner = self.bound_in(node, template.node.template, key)
            found += [] if inner is None else [(node, inner)]
        least = min((len(node.template) for node, _ in found), default=0)
        found = [one for one in found if len(one[0].template) == least]
        if key in template.special or not found:
            return template.special.get(key, template.node), bound
        if len(found) > 1:
            what = f"a choice between specializations of '{template.name}'"
            raise outside(what, place, "write the one that is meant out")
        return found[0]

    def bound_in(self, node, parameters, key):
        """What the parameters of a partial specialization are where it fits `key`."""
        bound = {}
        try:
            names = {p.name: p for p in node.template}
            self.match_arguments(node.special, key, names, bound, set())
            with self.parameters_bound(node.template, bound):
                made = tuple(map(self.template_value, parameters, node.special))
        except DeductionError:
            return None
        return bound if made == key else None

    def struct_instance(self, template, node):
        """The struct that S<float, 4> names."""
        parameters, bound = template.node.template, {}
        if len(node.arguments) > len(parameters):
            message = f"'{template.name}' has fewer template parameters"
            raise CompileError(message, node.place)
        for parameter, value in zip(parameters, node.arguments):  # noqa: B905
            bound[parameter.name] = self.template_value(parameter, value)
        with self.parameters_bound(parameters, bound):
            key = tuple(bound[p.name] for p in parameters)
            if key not in template.instances:
                kind = C.Union if template.node.union else C.Struct
                made = kind(f"{template.name}<{', '.join(map(str, key))}>")
                made.template = template, key
                template.instances[key] = made
                defined, bound = self.chosen(template, key, bound, node.place)
                if defined.members is None:
                    raise CompileError(f"'{made}' is not defined yet", node.place)
                with self.parameters_bound(defined.template or (), bound):
                    self.complete(made, defined)
            return template.instances[key]

    def complete(self, struct, node):
        """Lay out the members, and declare the methods, whose bodies wait."""
        align = 1
        if node.align is not None:
            align = self.whole_number(node.align, "an alignment")
            if align < 1 or align & (align - 1) or align > 128:
                raise CompileError("an alignment is a power of two", node.place)
        inner, fields, seen = {node.name: struct}, [], set()
        around = self.scopes
        if node.base is not None:
            struct.base = self.base_of(node.base)
            self.scopes = [*around, struct.base.names]
            if struct.base.fields:
                fields.append((ast.BASE, struct.base))
            if not self.needs_no_value(struct.base):
                struct.defaults[ast.BASE] = ast.Items(node.place, [])
        self.scopes = [*self.scopes, inner]
        for member in node.members:
            if getattr(member, "name", None) in seen:
                raise CompileError(f"a second member '{member.name}'", member.place)
            seen.add(getattr(member, "name", ""))
            if not isinstance(member, ast.Variable):
                self.statement(member)
            elif "static" in member.specifiers:
                self.static_member(member)
            else:
                fields.append((member.name, self.field_type(member)))
                inner.update({name: Own(name) for name in members(fields[-1:])})
                if member.init is not None:
                    struct.defaults[member.name] = member.init
        if sum(t.size for _, t in fields) >= MOST_BYTES:
            raise CompileError("this struct is too large", node.place)
        if sum(t.parts for _, t in fields) > MOST_PARTS:
            what = f"a struct of more than {MOST_PARTS:,} numbers"
            raise outside(what, node.place, "use an array")
        struct.complete_with(fields, align)
        struct.names = inner
        methods = [self.declare_method(struct, method) for method in node.methods]
        self.scopes = around
        if struct.base:
            struct.names = {**struct.base.names, **inner}
            for name, known in struct.base.methods.items():
                if name not in (CONSTRUCTOR, CONVERSION, "operator="):
                    struct.methods.setdefault(name, known)
        return [method for method in methods if method is not None]

    def static_member(self, member):
        """static constexpr int N = 4;"""
        type = self.type_of(member.type)
        if member.init is None or not (type.const or "constexpr" in member.specifiers):
            note = "write static constexpr, or a __device__ variable"
            raise outside("a static member that varies", member.place, note)
        value = self.initial(type.plain, member.init, member.place)
        message = "a static member needs a value that is known when compiling"
        value = self.constant(value, message, member.place)
        self.add(member.name, T.EnumValue(type.plain, value), member.place)

    def field_type(self, field):
        type = self.type_of(field.type)
        self.no_group(type, "a member that is", field.place)
        if isinstance(type, C.Reference):
            raise outside("a reference in a struct", field.place, "use a pointer")
        if type.size == 0:
            message = f"a member cannot have the incomplete type '{type}'"
            raise CompileError(message, field.place)
        if type.plain is not type:
            raise outside("a const member", field.place, "leave const out")
        return type

    # Methods

    def declare_method(self, struct, node):
        """The Function of a method of the device; of a template it is checked at its
        first call."""
        words = dict(node.specifiers)
        const, static = words.pop("const", None), words.pop("static", None)
        if "__device__" not in words:  # of the host
            return None
        explicit = words.pop("explicit", None) is not None
        node = dataclasses.replace(node, specifiers=words)
        self.check_words(node)
        is_constructor = node.name == CONSTRUCTOR
        if is_constructor:
            node.result = ast.NamedType(node.place, struct, 0)
        function = self.signature(node)
        function.explicit = explicit
        if is_constructor:
            function.name, function.makes = struct.name, struct
            struct.idle |= not (node.parameters or node.body.statements)
        elif not static:
            type = struct.qualified(C.CONST) if const else struct
            this = T.Variable("this", type.reference(), "parameter", node.place)
            function.parameters.insert(0, this)
        made = struct.methods.setdefault(
            node.name, Methods(node.name, [], bool(static) or is_constructor)
        )
        made.functions.append(function)
        if node.name:
            self.scopes[-1][node.name] = made
        self.pending[function] = [*self.scopes], node
        return function

    def need_body(self, function):
        """Check a method's body, if that has not been done."""
        if function not in self.pending:
            return
        scopes, node = self.pending.pop(function)
        saved, self.scopes = self.scopes, scopes
        self.functions.append(function)
        self.body(function, node)
        self.scopes = saved

    def this(self, place):
        """The struct whose method this is: an lvalue."""
        found = self.find("this")
        if not isinstance(found, T.Variable):
            raise CompileError("'this' stands in a method only", place)
        type = found.type
        return T.VariableRef(place, getattr(type, "to", type), found)

    def on_this(self, node):
        made = self.this(node.place)
        self.escapes(made)
        return T.AddressOf(node.place, made.type.pointer(), made)

    def call_method(self, methods, base, name, arguments):
        """base.name(arguments); base is None within the struct: this."""
        if not methods.static:
            base = base or self.this(name.place)
            base = self.upcast(base, methods.functions[0].types[0])
            arguments = [base, *arguments]
        functions = methods.functions
        if base is not None and not methods.static and not base.type.const:
            # Of two that differ in const alone, a value that is not const takes one.
            plain = [f.types[1:] for f in functions if not f.types[0].to.const]
            functions = [
                f for f in functions
                if not f.types[0].to.const or f.types[1:] not in plain
            ]  # fmt: skip
        candidates = [self.candidate(f, base) for f in functions]
        chosen = self.resolve(name, candidates, arguments)
        return self.call_function(chosen.function, name, arguments)

    def call_written(self, methods, base, shown, place, items):
        """The same, with its name and arguments as the text has them."""
        arguments = [self.argument(item) for item in items]
        return self.call_method(methods, base, ast.Name(place, shown, None), arguments)

    def method_named(self, type, name, place):
        """The methods of a struct's name, or the error that names the others."""
        found = type.plain.methods.get(name)
        if found is None:
            known = ", ".join(n for n in type.plain.methods if n.isidentifier())
            note = f"it has {known}" if known else ""
            raise CompileError(f"'{type}' has no function '{name}'", place, note)
        return found

    def member_of_type(self, node):
        """S::N, E::A: a value that a type has."""
        type = self.type_of(node.base).plain
        self.no_group(type, f"'::{node.name}' of", node.place)
        if isinstance(type, C.Enum) and node.name in type.values:
            return T.Literal(node.place, type, type.values[node.name])
        value = getattr(type, "names", {}).get(node.name)
        if not isinstance(value, T.EnumValue):
            raise CompileError(f"'{type}' has no value '{node.name}'", node.place)
        return T.Literal(node.place, value.type, value.value)

    def type_within(self, node):
        """typename S<T>::type"""
        owner = self.type_of(node.owner).plain
        found = getattr(owner, "names", {}).get(node.name)
        if not isinstance(found, C.CType):
            raise CompileError(f"'{owner}' has no type '{node.name}'", node.place)
        return found.qualified(node.quals)

    # Lambdas

    def on_lambda(self, node):
        """A struct of what is captured, with the body as its operator()."""
        struct, inner, values, fields = C.Struct("a lambda"), {}, [], []
        for name, variable in self.captured(node).items():
            ref = self.check(ast.Name(node.place, name, None))
            if node.captures.get(name, node.default == "&"):
                self.escapes(ref)
                value = T.AddressOf(node.place, ref.type.pointer(), ref)
                inner[name] = OwnReference(name)
            else:
                value, inner[name] = self.read(ref), Own(name)
            if isinstance(ref.type, C.Array) and not isinstance(value, T.AddressOf):
                raise outside(f"'{name}', an array, by value", node.place, "write &")
            variable.used = True
            fields.append((name, value.type))
            values.append(value)
        struct.complete_with(fields)
        scopes = [*self.scopes[:2], *map(without_locals, self.scopes[2:]), inner]
        saved, self.scopes = self.scopes, scopes
        function = self.declare_method(struct, node.function)
        self.need_body(function)
        self.scopes = saved
        return T.Aggregate(node.place, struct, values)

    def captured(self, node):
        """name -> variable: the local ones that a lambda names."""
        out = {}
        for name in [*node.captures, *sorted(names_in(node.function.body))]:
            found = self.find(name)
            if not isinstance(found, T.Variable) or found.storage not in LOCAL:
                continue
            if node.default or name in node.captures:
                out[name] = found
        return out

    # Values

    def made(self, struct, items, place):
        """P(a, b), P p{a, b}, P p: by a constructor, or None where there is none."""
        constructors = struct.plain.methods.get(CONSTRUCTOR)
        if constructors is None:
            return None
        arguments = [self.argument(item) for item in items]
        if len(arguments) == 1 and arguments[0].type.plain is struct.plain:
            return self.read(arguments[0])
        name = ast.Name(place, struct.plain.name, None)
        return self.call_method(constructors, None, name, arguments)

    def first_value(self, type, place):
        """What a variable of this type holds without a first value, or None."""
        if isinstance(type.plain, C.Array):
            if is_struct(type.of) and not self.needs_no_value(type.of.plain):
                note = "give the values in { }"
                raise outside("an array of structs with constructors", place, note)
            return None
        if not is_struct(type):
            return None
        struct = type.plain
        if struct.defaults and CONSTRUCTOR not in struct.methods:
            return self.aggregate(type, ast.Items(place, []))
        return self.made(struct, [], place)

    def needs_no_value(self, struct):
        """Has it no constructor, or one that does nothing?"""
        idle = struct.idle and not struct.defaults
        return idle or CONSTRUCTOR not in struct.methods

    def taken_for(self, value, type, explicit=False):
        """`value`, by the conversion of its struct to `type`, if it has that.

        explicit: the text says the type, so conversions that demand this fit, too."""
        value = self.upcast(value, type)
        source = value.type.plain
        if isinstance(type.plain, C.FunctionPointer) and value.type.plain in self.named:
            return self.pointer_to(self.named[source], value.place)
        if source is type.plain or not is_struct(source):
            return value
        found = source.methods.get(CONVERSION)
        for function in found.functions if found else ():
            result = function.result
            result = result.to if isinstance(result, C.Reference) else result
            if result.plain is type.plain and explicit >= function.explicit:
                alone = Methods(CONVERSION, [function])
                name = ast.Name(value.place, f"operator {type}", None)
                return self.read(self.call_method(alone, value, name, []))
        return value

    # Operators

    def overloaded(self, op, arguments, place):
        """The call that an operator of structs is, or None. arguments: unread."""
        if not any(is_struct(a.type) for a in arguments):
            return None
        name = ast.Name(place, f"operator{op}", None)
        first = arguments[0].type.plain
        own = first.methods.get(name.name) if is_struct(first) else None
        free = self.scopes[1].get(name.name)
        if own is not None and free is None:
            return self.call_method(own, arguments[0], name, arguments[1:])
        if free is None:
            return None
        if own is not None:
            try:
                return self.call_method(own, arguments[0], name, arguments[1:])
            except CompileError:
                pass
        return self.call_user(free, name, arguments)
