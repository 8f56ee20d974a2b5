"""Templates of functions: the instance that a call means."""

from ..errors import CompileError
from .deduction import deduce_arguments
from .function_declarations import make_instance
from .template_arguments import parameters_bound

MOST_INSTANCES = 300
DEEPEST_TEMPLATE = 20


def deduce_instance(scope, template, name, arguments):
    """The instance of a template that a call means."""
    bound = deduce_arguments(scope, template, name, arguments)
    return instantiate(scope, template, bound, name.place)


def instantiate(scope, template, bound, place):
    """The function that a template makes with these arguments."""
    node = template.node
    with parameters_bound(scope, node.template, bound):
        key = tuple(bound[p.name] for p in node.template)
        if key not in template.instances:
            if scope.instances >= MOST_INSTANCES or scope.depth >= DEEPEST_TEMPLATE:
                raise CompileError("templates make too many functions", place)
            scope.instances += 1
            scope.depth += 1
            template.instances[key] = make_instance(scope, template, key)
            scope.depth -= 1
        return template.instances[key]
