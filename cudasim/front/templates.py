"""Templates of functions: what a call makes of their parameters, and the instances."""

import contextlib

from . import ast
from . import ctype as C
from . import tree as T
from .convert import number
from .errors import CompileError, DeductionError
from .packs import Packs

MOST_INSTANCES = 300
DEEPEST_TEMPLATE = 20


class Template:
    """A function template, with its instances by arguments."""

    def __init__(self, node):
        self.node, self.name, self.instances = node, node.name, {}


class Overloads:
    """All functions of one name: templates and Functions."""

    def __init__(self, name):
        self.name, self.functions, self.templates = name, [], []


class Templates(Packs):
    """Finds the instance of a template that a call means."""

    instances = depth = 0

    def key_of(self, template, name, arguments):
        """The template's arguments that a call means."""
        bound = self.bound_by(template, name, arguments)
        parameters = template.node.template
        with self.parameters_bound(parameters, bound):
            return tuple(bound[p.name] for p in parameters)

    def deduced(self, template, name, arguments):
        """The instance of a template that a call means."""
        bound = self.bound_by(template, name, arguments)
        return self.instantiate(template, bound, name.place)

    def bound_by(self, template, name, arguments):
        """Parameter's name -> what a call gives it."""
        node, bound = template.node, {}
        given = self.expanded(name.arguments or [])
        packed = any(p.pack for p in node.template)
        if len(given) > len(node.template) and not packed:
            raise DeductionError(f"'{template.name}' has fewer template parameters")
        if len(arguments) > len(node.parameters) and not packed:
            raise DeductionError(f"'{template.name}' takes fewer arguments")
        for parameter, value in zip(node.template, given):  # noqa: B905
            bound[parameter.name] = self.template_value(parameter, value)
            if parameter.pack:
                rest = given[node.template.index(parameter) :]
                values = tuple(self.template_value(parameter, one) for one in rest)
                bound[parameter.name] = values
        explicit = set(bound)
        names = {p.name: p for p in node.template}
        for parameter, argument in zip(node.parameters, arguments):  # noqa: B905
            if isinstance(parameter.type, ast.PackOf):
                left = arguments[node.parameters.index(parameter) :]
                self.deduce_pack(parameter.type.type, left, names, bound, explicit)
            else:
                self.deduce(parameter.type, argument, names, bound, explicit)
        return bound

    def template_value(self, parameter, value):
        """One template argument: a type, or a constant."""
        is_type = isinstance(value, ast.TYPES)
        if isinstance(value, ast.Name) and parameter.type is ast.FUNCTION:
            return self.function_object(self.check(value), value).type
        if is_type != (parameter.type is None):
            kind = "a type" if parameter.type is None else "a constant"
            raise DeductionError(f"template parameter {parameter.name} is {kind}")
        if is_type:
            return self.type_of(value)
        return self.whole_number(value, f"template argument {parameter.name}")

    def deduce(self, pattern, argument, names, bound, explicit):
        """Match the type of a parameter with that of an argument."""
        type = argument.type
        if isinstance(pattern, ast.ReferenceTo):
            pattern = pattern.to
            if isinstance(pattern, ast.NamedType) and pattern.quals == 0:
                type = type if T.is_lvalue(argument) else type.plain
            else:
                type = type.plain
        else:
            type = self.peeked(argument).type.plain
            if isinstance(pattern, ast.ArrayOf):
                pattern = ast.PointerTo(pattern.place, pattern.element, 0)
        self.match(pattern, type, names, bound, explicit)

    def match(self, pattern, type, names, bound, explicit):
        if isinstance(pattern, ast.NamedType):
            if not isinstance(pattern.name, (str, C.CType)):
                self.match(pattern.name, type, names, bound, explicit)
            elif pattern.name in names and pattern.name not in explicit:
                if pattern.quals:
                    quals = type.quals & ~pattern.quals
                    type = type.plain.qualified(quals)
                if bound.setdefault(pattern.name, type) is not type:
                    one, other = bound[pattern.name], type
                    raise DeductionError(f"{pattern.name} is both {one} and {other}")
        elif isinstance(pattern, ast.TemplateType) and type.plain.__class__ is C.Struct:
            self.match_struct(pattern, type.plain, names, bound, explicit)
        elif isinstance(pattern, ast.TemplateType):
            self.match_group(pattern, type.plain, names, bound, explicit)
        elif isinstance(pattern, ast.PointerTo) and isinstance(type.plain, C.Pointer):
            if type.plain is not C.NULLPTR:
                self.match(pattern.to, type.plain.to, names, bound, explicit)
        elif isinstance(pattern, ast.ArrayOf) and isinstance(type, C.Array):
            self.match(pattern.element, type.element, names, bound, explicit)
            count = pattern.count
            if isinstance(count, ast.Name) and count.name in names:
                bound.setdefault(count.name, type.count)

    def match_struct(self, pattern, struct, names, bound, explicit):
        """S<T> as a parameter, and a struct that is an instance of S."""
        template, key = struct.template or (None, ())
        if template is None or self.find(pattern.name) is not template:
            return
        self.match_arguments(pattern.arguments, key, names, bound, explicit)

    def match_arguments(self, arguments, key, names, bound, explicit):
        """The arguments in S<T, 4>, and what they are of an instance."""
        for given, value in zip(arguments, key):  # noqa: B905
            if isinstance(given, ast.TYPES) and isinstance(value, C.CType):
                self.match(given, value, names, bound, explicit)
            elif isinstance(given, ast.Name) and given.name in names:
                bound.setdefault(given.name, value)

    def instantiate(self, template, bound, place):
        """The function that a template makes with these arguments."""
        node = template.node
        with self.parameters_bound(node.template, bound):
            key = tuple(bound[p.name] for p in node.template)
            if key not in template.instances:
                if self.instances >= MOST_INSTANCES or self.depth >= DEEPEST_TEMPLATE:
                    raise CompileError("templates make too many functions", place)
                self.instances += 1
                self.depth += 1
                template.instances[key] = self.make_instance(template, key)
                self.depth -= 1
            return template.instances[key]

    @contextlib.contextmanager
    def parameters_bound(self, parameters, bound):
        """The scopes of the file, with what a template's parameters stand for."""
        saved, self.scopes = self.scopes, [*self.scopes[:2], {}]
        try:
            for parameter in parameters:
                self.bind_template(parameter, bound)
            yield
        finally:
            self.scopes = saved

    def bind_template(self, parameter, bound):
        """Give one template parameter its meaning in the innermost scope."""
        name = parameter.name
        if parameter.pack:
            values = bound.setdefault(name, ())
            self.scopes[-1][name] = self.bind_pack(parameter, values)
            return
        if name not in bound:
            if parameter.default is None:
                message = f"template parameter {name} cannot be deduced from the call"
                raise DeductionError(message)
            bound[name] = self.template_value(parameter, parameter.default)
        value = bound[name]
        if parameter.type is None:
            if not isinstance(value, C.CType):
                raise DeductionError(f"template parameter {name} is a type")
            self.scopes[-1][name] = value
            return
        if parameter.type is ast.FUNCTION:
            self.scopes[-1][name] = value.methods["operator()"]
            return
        type = self.type_of(parameter.type).plain
        if isinstance(value, C.CType) or not (type.is_integer or number(type)):
            raise DeductionError(f"template parameter {name} is a constant")
        if not isinstance(type, C.Enum) and type.wrap(value) != value:
            raise DeductionError(f"{value} is no value of the parameter {name}: {type}")
        bound[name] = value
        self.scopes[-1][name] = T.EnumValue(type, value)
