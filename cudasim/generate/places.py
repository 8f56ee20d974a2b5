"""Places: the left sides of assignments, read and written."""

import dataclasses


@dataclasses.dataclass
class Value:
    """A variable whose value is a Python variable."""

    local: object


@dataclasses.dataclass
class Part:
    """Some leaves of a struct that is a value: a member, or a member of one."""

    base: object
    begin: int
    count: int
    record: bool


@dataclasses.dataclass
class Cell:
    """An element of an array that is a list of values; index: code, or an int."""

    local: object
    index: object
    name: str
    left: object  # the array's remaining dimensions


@dataclasses.dataclass
class Memory:
    """pointer[index], the index counted in units of `unit` bytes; "None" means 0."""

    pointer: str
    index: str
    unit: int
    type: object


@dataclasses.dataclass
class Fixed:
    """A value without a place: a built-in variable, a member of a call's result."""

    code: str
