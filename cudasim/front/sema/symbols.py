"""What a name can stand for, besides a type, a variable, or a constant."""

import dataclasses


@dataclasses.dataclass
class ImplicitMember:
    """What a member's name stands for in a method: this->name."""

    name: str


@dataclasses.dataclass
class CapturedReference:
    """What a lambda has captured by reference: *this->name."""

    name: str


@dataclasses.dataclass
class Methods:
    """The methods of one name. static: they have no `this`."""

    name: str
    functions: list
    static: bool = False


class Pack(tuple):
    """What the name of a pack stands for: what names of its elements would."""


class Overloads:
    """All functions of one name: templates and Functions."""

    def __init__(self, name):
        self.name, self.functions, self.templates = name, [], []


class FunctionTemplate:
    """A function template, with its instances by arguments."""

    def __init__(self, node):
        self.node, self.name, self.instances = node, node.name, {}


class ClassTemplate:
    """A template of structs, with its instances and specializations by arguments."""

    def __init__(self, node):
        self.node, self.name = node, node.name
        self.instances, self.special, self.partial = {}, {}, []
