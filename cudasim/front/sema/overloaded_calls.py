"""Calls by name: of the file's functions, CUDA's, and operators of structs."""

from .. import ast, builtins, ctype as C, tree as T
from ..errors import CompileError, DeductionError
from .conversions import converted
from .function_calls import call_function, call_method
from .inheritance import is_struct
from .overload_resolution import Candidate, resolve
from .templates import deduce_instance
from .values import read


def call_overloaded(scope, overloads, name, arguments):
    """A call of one of the file's own functions."""
    plain = overloads.functions if name.arguments is None else ()
    candidates, errors = [Candidate(f) for f in plain], []
    for template in sorted(overloads.templates, key=has_pack):
        if has_pack(template) and any(c.takes(arguments) for c in candidates):
            continue  # what has no pack fits better
        try:
            function = deduce_instance(scope, template, name, arguments)
        except DeductionError as error:
            errors.append(str(error))
            continue
        candidates.append(Candidate(function, template))
    candidates += builtins_beside(scope, name, candidates)
    if not candidates:
        note = errors[0] if errors else ""
        message = f"no '{name.name}' fits this call"
        raise CompileError(message, name.place, note)
    plain = [c for c in candidates if getattr(c, "template", None) is None]
    try:
        chosen = resolve(scope, name, candidates, arguments)
    except CompileError:
        if not plain or len(plain) == len(candidates):
            raise
        chosen = resolve(scope, name, plain, arguments)
    if isinstance(chosen, builtins.Builtin):
        return call_builtin(scope, name, [chosen], arguments)
    return call_function(scope, chosen.function, name, arguments)


def has_pack(template):
    return any(parameter.pack for parameter in template.node.template)


def builtins_beside(scope, name, candidates):
    """CUDA's own functions of this name, but for those that the file replaces."""
    if name.arguments is not None:
        return []
    own = {c.types for c in candidates if c.template is None}
    return [b for b in scope.builtins(name.name) if b.types not in own]


def call_builtin(scope, name, candidates, arguments):
    for argument in arguments:
        # A function that writes through an address may give it a value.
        scope.body.unset.discard(getattr(argument, "variable", None))
    values = [read(scope, a) for a in arguments]
    require_arch(scope, name, candidates, tuple(v.type.plain for v in values))
    is_half = values and isinstance(values[0].type.plain, C.Half)
    if is_half and name.name in builtins.NOT_FOR_HALF:
        message = f"more than one '{name.name}' fits ({values[0].type.plain})"
        raise CompileError(message, name.place, "convert it: __half2float(h)")
    chosen = resolve(scope, name, candidates, values)
    values = convert_arguments(name.name, chosen.types, values)
    if chosen.category == "barrier" and scope.body.function:
        scope.body.function.barrier = True
    return T.BuiltinCall(name.place, chosen.result, chosen, values)


def require_arch(scope, name, candidates, given):
    """Refuse what only newer devices have: all of it, or for these types."""
    newer = [b for b in scope.offered(name.name) if b.arch > scope.arch]
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


def call_operator(scope, op, arguments, place):
    """The call that an operator of structs is, or None. arguments: unread."""
    if not any(is_struct(a.type) for a in arguments):
        return None
    name = ast.Name(place, f"operator{op}", None)
    first = arguments[0].type.plain
    own = first.methods.get(name.name) if is_struct(first) else None
    free = scope.names[1].get(name.name)
    if own is not None and free is None:
        return call_method(scope, own, arguments[0], name, arguments[1:])
    if free is None:
        return None
    if own is not None:
        try:
            return call_method(scope, own, arguments[0], name, arguments[1:])
        except CompileError:
            pass
    return call_overloaded(scope, free, name, arguments)


def convert_arguments(name, types, values):
    """Values converted to the types of parameters."""
    return [
        converted(v, t, f"be argument {i + 1} of {name}, which is", v.place)
        for i, (v, t) in enumerate(zip(values, types, strict=False))
    ]
