"""From the typed tree to NumPy source.

Only identifiers get from the C text into the Python text: letters, digits and
underscores, each followed by a number. All constants are objects in a table.
"""

import numpy as np

from .. import numerics
from ..engine import lanes, masks
from ..engine.memory import NULL
from ..front import ctype as C
from ..front.errors import CompileError
from .emit_statements import function_text
from .function_code import FunctionCode
from .variables import clean


class Module:
    """The generated code of one kernel.

    schedule: "lockstep", which reads and writes whole rows where it can; "warps", which
    stops at barriers; "apart", which also stops where a warp's lanes meet; or "steps",
    which reports every statement to the batch, with the variables before it.
    """

    def __init__(self, program, kernel, schedule="lockstep"):
        self.program, self.apart = program, schedule == "apart"
        self.turns = schedule in ("warps", "apart")
        self.steps, self.rows = schedule == "steps", schedule == "lockstep"
        self.names, self.constants, self.places = {}, {}, []
        self.place_numbers, self.functions, self.shared = {}, [], []
        self.globals, self.strings = list(program.globals), []
        self.space = {
            "__builtins__": {"map": map, "tuple": tuple},
            "any_of": masks.any_of, "union": masks.union, "minus": masks.minus,
            "take": masks.take, "split": masks.split, "select_any": masks.select_any,
            "NULL": NULL, "np": np,
            "bool_": np.bool_, "int_div": numerics.int_div, "int_mod": numerics.int_mod,
            "shift_left": numerics.shift_left, "shift_right": numerics.shift_right,
            "fma": numerics.fma, **lanes.FUNCTIONS,
        }  # fmt: skip
        self.entry = self.name_of(kernel)
        self.site(kernel.place)
        self.lane_bytes = 0  # for all values of one lane
        self.grid_meets = False  # is there a barrier of the whole grid?
        self.volatile = set()  # the sites of volatile accesses
        self.joins = False  # is there an operation of a warp's lanes?
        try:
            self.source = "\n".join(self.texts())
            exec(compile(self.source, "<kernel>", "exec"), self.space)
        except (RecursionError, MemoryError, SyntaxError) as error:
            message = "this is nested too deeply: split it into smaller functions"
            raise CompileError(message, kernel.place) from error

    def texts(self):
        """The functions as Python source."""
        for function in self.functions:  # a list that grows
            code = FunctionCode(self, function)
            yield function_text(code)
            self.lane_bytes += code.lane_bytes

    @property
    def run(self):
        return self.space[self.entry]

    def stops_in(self, function):
        """Whether the function is a generator, which stops for others."""
        return self.apart or (self.turns and function.barrier)

    def name_of(self, function):
        """The Python name of a C function, which is then generated too."""
        if function not in self.names:
            self.names[function] = f"f{len(self.names)}_{clean(function.name)}"
            self.functions.append(function)
            self.shared += [s for s in function.shared if s not in self.shared]
        return self.names[function]

    def constant(self, value, key=None):
        """The name of an object in the table of constants."""
        key = key if key is not None else ("id", id(value))
        if key not in self.constants:
            name = self.constants[key] = f"k{len(self.constants)}"
            self.space[name] = value
        return self.constants[key]

    def number(self, value, type):
        """The name of a number as a NumPy scalar of its type."""
        if isinstance(type, C.Pointer):
            return "NULL"
        scalar = type.dtype.type(value)
        return self.constant(scalar, (type.dtype, scalar.tobytes()))

    def string(self, text):
        """The number of a string of the program."""
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def site(self, place):
        """The number of a place in the source."""
        if place not in self.place_numbers:
            self.place_numbers[place] = len(self.places)
            self.places.append(place)
        return self.place_numbers[place]

    def shared_index(self, variable):
        if variable not in self.shared:
            self.shared.append(variable)
        return self.shared.index(variable)
