"""From the typed tree to NumPy source: CUDA's built-in functions."""

from .. import numerics
from ..front import ctype as C

PLAIN = {"math", "integer", "bits", "convert", "half", "vector"}
ATOMIC = {
    "atomicAdd": "add", "atomicSub": "sub", "atomicExch": "exch", "atomicMin": "min",
    "atomicMax": "max", "atomicAnd": "and", "atomicOr": "or", "atomicXor": "xor",
    "atomicInc": "inc", "atomicDec": "dec", "atomicCAS": "cas",
}  # fmt: skip


def kind_of(builtin):
    """The category, refined by name where the table lumps several together."""
    name = builtin.name
    if name.startswith("atomic"):
        return "atomic"
    if name.startswith("__shfl"):
        return "warp"
    if name.startswith(("__ld", "__st")):
        return "memory" if name[3] == "d" else "store"
    return builtin.category


def call_text(text):
    """The call that a text begins with, up to the end of the line."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and not depth:
            return text[: at + 1]
    return text.strip()


class BuiltinCode:
    """Writes calls of CUDA's functions."""

    def builtin_traits(self, node):
        """(emits, faults), see ExpressionCode.traits."""
        kind = kind_of(node.builtin)
        pairs = [self.traits(a) for a in node.arguments]
        emits, faults = any(e for e, _ in pairs), any(f for _, f in pairs)
        if kind in PLAIN:
            writes = any(isinstance(t, C.Pointer) for t in node.builtin.types)
            return emits or writes, faults or writes
        return (emits, True) if kind == "memory" else (True, True)

    def builtin(self, node, used):
        """Code for a call; with effects it is emitted."""
        kind = kind_of(node.builtin)
        if kind == "atomic":
            return self.on_atomic(node, used)
        return KIND[kind](self, node)

    def on_plain(self, node):
        builtin = node.builtin
        if builtin.name.rstrip("f") == "nan":
            return self.poison(builtin.result)
        function = numerics.find(builtin)
        if function is None:
            raise NotImplementedError(builtin.name)
        name = self.module.constant(function, ("builtin", builtin))
        if not any(isinstance(t, C.Pointer) for t in builtin.types):
            return f"{name}({', '.join(self.values(node.arguments))})"
        return self.with_outputs(node, name)

    def with_outputs(self, node, name):
        """frexp, modf, sincos: results are written through pointers."""
        codes = [self.temp_of(c) for c in self.values(node.arguments)]
        pairs = list(zip(node.builtin.types, codes, strict=True))
        inputs = [c for t, c in pairs if not isinstance(t, C.Pointer)]
        outputs = [(t, c) for t, c in pairs if isinstance(t, C.Pointer)]
        found = self.fresh()
        self.emit(f"{found} = {name}({', '.join(inputs)})")
        skip = 0 if node.builtin.result is C.VOID else 1
        for i, (type, pointer) in enumerate(outputs):
            self.store_value(pointer, type.to, f"{found}[{i + skip}]")
        return f"{found}[0]" if skip else "None"

    def on_vector(self, node):
        return f"({', '.join(self.values(node.arguments))},)"

    def on_barrier(self, node):
        how = node.builtin.name.removeprefix("__syncthreads").lstrip("_")
        where = f"{self.mask}, {self.site(node)}"
        if how in ("", "grid_sync"):
            self.module.grid_meets |= bool(how)
            call = "grid_barrier" if how else "barrier"
            turns = f"(yield R.arrive({where}, {how!r}))"
            self.emit(turns if self.module.turns else f"R.{call}({where})")
            return "None"
        value = self.temp(self.value(node.arguments[0]))
        if self.module.turns:
            return self.temp_of(f"(yield R.arrive({where}, {how!r}, {value}))")
        return self.temp_of(f"R.barrier_reduce({how!r}, {value}, {where})")

    def on_warp(self, node):
        name = node.builtin.name.strip("_").removesuffix("_sync")
        arguments = self.values(node.arguments)
        if not arguments:
            arguments = [self.module.number(0xFFFFFFFF, C.UINT)]
        if name in ("syncwarp", "tile_converge"):
            self.emit(self.joint(name.removeprefix("tile_"), arguments, node))
            return "None"
        return self.temp_of(self.warp_call(name, arguments, node))

    def joint(self, call, arguments, node):
        """The code of an operation of a warp's lanes, the first argument its mask."""
        self.module.joins, given = True, ", ".join(arguments)
        where = f"{self.mask}, {self.site(node)}"
        if self.module.apart:
            return f"(yield R.arrive({where}, {call!r}, ({given},)))"
        return f"R.{call}({given}, {where})"

    def warp_call(self, name, arguments, node):
        if name == "activemask":
            return self.joint(name, arguments, node)
        if name.startswith("shfl"):
            how = name.removeprefix("shfl")
            if len(arguments) < 4:
                arguments = [*arguments, self.module.number(32, C.INT)]
            type = self.module.constant(node.type.plain)
            return self.joint("shuffle", [*arguments, repr(how), type], node)
        if name in ("ballot", "any", "all"):
            return self.joint("vote", [*arguments, repr(name)], node)
        call, _, how = name.rpartition("reduce_")
        if how != name:
            call = f"{call or 'warp_'}reduce"
            return self.joint(call, [*arguments, repr(how)], node)
        if name == "match_any":
            return self.joint("match", [*arguments, "'any'"], node)
        both = self.temp_of(self.joint("match", [*arguments[:2], "'all'"], node))
        self.store_value(arguments[2], C.INT, f"{both}[1]")
        return f"{both}[0]"

    def on_fence(self, node):
        block_only = node.builtin.name.endswith("_block")
        self.emit(f"R.fence({self.mask}, {block_only})")
        return "None"

    def on_async(self, node):
        what, count = self.values(node.arguments)
        self.emit(f"R.asynchronous({what}, {count}, {self.mask})")
        return "None"

    def on_atomic(self, node, used):
        how = ATOMIC[node.builtin.name.split("_")[0]]
        pointer, *operands = self.values(node.arguments)
        type = node.builtin.types[0].to
        call = (
            f"R.atomic({how!r}, {pointer}.cast({type.size}), "
            f"({', '.join(operands)},), {self.access(type, type.size)}, "
            f"{self.mask}, {self.site(node)}, {used})"
        )
        if not used:
            self.emit(call)
            return None
        return self.temp_of(call)

    def on_memory(self, node):
        type = node.builtin.types[0].to.plain
        pointer = self.value(node.arguments[0])
        how = self.access(type, type.size)
        where = f"{self.mask}, {self.site(node)}"
        return f"R.load({pointer}.cast({type.size}), None, {how}, {where})"

    def on_store(self, node):
        pointer, value = self.values(node.arguments)
        type = node.builtin.types[0].to.plain
        how = self.access(type, type.size)
        where = f"{self.mask}, {self.site(node)}"
        pointer = f"{pointer}.cast({type.size})"
        self.emit(f"R.store({pointer}, None, {value}, {how}, {where})")
        return "None"

    def on_hint(self, node):
        """Hints to the compiler: only the value of __builtin_expect matters."""
        values = self.values(node.arguments)
        return values[0] if node.builtin.result is not C.VOID else "None"

    def on_clock(self, node):
        if node.builtin.name == "__nanosleep":
            self.effect(node.arguments[0])
            return "None"
        return self.temp_of("R.clock()")

    def on_trap(self, node):
        self.emit(f"R.trap({self.mask}, {self.site(node)})")
        return "None"

    def on_print(self, node):
        values = [self.temp_of(c) for c in self.values(node.arguments)]
        types = tuple(a.type.plain for a in node.arguments)
        kinds = self.module.constant(types, ("types", types))
        self.emit(f"R.printf(({', '.join(values)},), {kinds}, {self.mask})")
        return self.module.number(len(values) - 1, C.INT)

    def on_assert(self, node):
        condition = self.temp(self.value(node.arguments[0]))
        line, column = node.place
        asserted = call_text(self.module.program._lines[line - 1][column - 1 :])
        text = self.module.constant(asserted, ("text", asserted))
        self.emit(f"R.check({condition}, {text}, {self.mask}, {self.site(node)})")
        return "None"


KIND = {
    **dict.fromkeys(("math", "integer", "bits", "convert", "half"),
                    BuiltinCode.on_plain),
    "vector": BuiltinCode.on_vector,
    "barrier": BuiltinCode.on_barrier,
    "warp": BuiltinCode.on_warp,
    "fence": BuiltinCode.on_fence,
    "async": BuiltinCode.on_async,
    "memory": BuiltinCode.on_memory,
    "store": BuiltinCode.on_store,
    "hint": BuiltinCode.on_hint,
    "clock": BuiltinCode.on_clock,
    "trap": BuiltinCode.on_trap,
    "print": BuiltinCode.on_print,
    "assert": BuiltinCode.on_assert,
}  # fmt: skip
