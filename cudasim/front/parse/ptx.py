"""Inline PTX: what the common instructions mean, as CUDA C.

asm("shl.b32 %0, %1, 2;" : "=r"(y) : "r"(x)) becomes a block:

    { unsigned _0; unsigned _1 = x; _0 = _1 << 2; y = _0; }
"""

import re

from ..errors import outside

# What an operand's letter says that it is.
CONSTRAINTS = {
    "h": "unsigned short", "r": "unsigned", "l": "unsigned long long", "f": "float",
    "d": "double", "n": "unsigned long long", "C": "const char*", "q": "",
}  # fmt: skip
REGISTERS = {
    "b16": "unsigned short", "u16": "unsigned short", "s16": "unsigned short",
    "f16": "unsigned short", "b32": "unsigned", "u32": "unsigned", "s32": "unsigned",
    "f16x2": "unsigned", "bf16x2": "unsigned", "b64": "unsigned long long",
    "u64": "unsigned long long", "s64": "unsigned long long", "f32": "float",
    "f64": "double", "pred": "bool",
}  # fmt: skip
# The C type in which an instruction of this type computes.
TYPES = {
    **REGISTERS, "s16": "short", "s32": "int", "s64": "long long",
    "b8": "unsigned char", "u8": "unsigned char", "s8": "signed char",
}  # fmt: skip
VECTORS = {
    "unsigned": "uint", "int": "int", "float": "float", "double": "double",
    "unsigned long long": "ulonglong", "long long": "longlong",
    "unsigned short": "ushort", "short": "short", "unsigned char": "uchar",
    "signed char": "char",
}  # fmt: skip
BITS = {
    ("float", "unsigned"): "__float_as_uint({})",
    ("float", "int"): "__float_as_int({})",
    ("unsigned", "float"): "__uint_as_float({})",
    ("double", "unsigned long long"): "(unsigned long long)__double_as_longlong({})",
    ("double", "long long"): "__double_as_longlong({})",
    ("unsigned long long", "double"): "__longlong_as_double((long long)({}))",
}  # fmt: skip
LINEAR = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"
SPECIAL = {
    **{f"%tid.{a}": f"threadIdx.{a}" for a in "xyz"},
    **{f"%ntid.{a}": f"blockDim.{a}" for a in "xyz"},
    **{f"%ctaid.{a}": f"blockIdx.{a}" for a in "xyz"},
    **{f"%nctaid.{a}": f"gridDim.{a}" for a in "xyz"},
    "%laneid": f"({LINEAR} & 31)", "%warpid": f"({LINEAR} >> 5)",
    "%smid": "blockIdx.x", "%clock": "(unsigned)clock()", "%clock64": "clock64()",
    "%globaltimer": "clock64()", "WARP_SZ": "32",
    "%lanemask_eq": f"(1u << ({LINEAR} & 31))",
    "%lanemask_lt": f"((1u << ({LINEAR} & 31)) - 1u)",
    "%lanemask_le": f"((2u << ({LINEAR} & 31)) - 1u)",
    "%lanemask_gt": f"~((2u << ({LINEAR} & 31)) - 1u)",
    "%lanemask_ge": f"~((1u << ({LINEAR} & 31)) - 1u)",
}  # fmt: skip
SIMPLE = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul.lo": "{0} * {1}", "mul": "{0} * {1}",
    "div": "{0} / {1}", "rem": "{0} % {1}", "and": "{0} & {1}", "or": "{0} | {1}",
    "xor": "{0} ^ {1}", "not": "~{0}", "neg": "-{0}", "mad.lo": "{0} * {1} + {2}",
    "min": "min({0}, {1})", "max": "max({0}, {1})", "abs": "abs({0})", "mov": "{0}",
    "fma": "fma({0}, {1}, {2})", "mad": "fma({0}, {1}, {2})", "selp": "{2} ? {0} : {1}",
    "mul.hi": "__mulhi({0}, {1})", "ex2": "exp2f({0})", "lg2": "__log2f({0})",
    "rcp": "1 / {0}", "sqrt": "sqrt({0})", "rsqrt": "rsqrt({0})", "sin": "__sinf({0})",
    "cos": "__cosf({0})", "tanh": "tanhf({0})", "popc": "__popc({0})",
    "brev": "__brev({0})", "clz": "__clz((int){0})", "shl": "__ptx_shl({0}, {1})",
    "shr": "__ptx_shr({0}, {1})", "prmt": "__byte_perm({0}, {1}, {2})",
    "bfe": "__ptx_bfe({0}, {1}, {2})", "bfi": "__ptx_bfi({0}, {1}, {2}, {3})",
    "lop3": "__ptx_lop3({0}, {1}, {2}, {3})", "activemask": "__activemask()",
    "dp4a": "__dp4a((int){0}, (int){1}, (int){2})", "createpolicy": "0",
}  # fmt: skip
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
           "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # fmt: skip
NOTHING = {
    "prefetch",
    "prefetchu", "griddepcontrol", "setmaxnreg", "nanosleep", "pragma",
}  # fmt: skip
ATOMICS = {
    "add": "Add", "min": "Min", "max": "Max", "and": "And", "or": "Or", "xor": "Xor",
    "exch": "Exch", "cas": "CAS", "inc": "Inc", "dec": "Dec",
}  # fmt: skip
MMA = {
    ("m16n8k16", "f32.f16.f16.f32"): "__ptx_mma_f32<__half>",
    ("m16n8k16", "f32.bf16.bf16.f32"): "__ptx_mma_f32<__nv_bfloat16>",
    ("m16n8k16", "f16.f16.f16.f16"): "__ptx_mma_f16",
}  # fmt: skip
PIECE = re.compile(r"\s*(//[^\n]*|/\*.*?\*/|[{}]|[^;{}]*(?:\{[^{}]*\}[^;{}]*)*;)", re.S)
SPLIT = re.compile(r",(?![^{\[]*[}\]])")
HEX_FLOAT = re.compile(r"0[fF]([0-9a-fA-F]{8})$|0[dD]([0-9a-fA-F]{16})$")


class Ptx:
    """One asm statement's text, translated.

    letters: of each operand its constraint's letter; operand number i is the C variable
    _i. place: of the statement, for errors.
    """

    def __init__(self, letters, place):
        self.place = place
        self.types = {f"_{i}": CONSTRAINTS[c] for i, c in enumerate(letters)}

    def lines(self, text):
        """The statements of CUDA C."""
        at = 0
        while text[at:].strip():
            match = PIECE.match(text, at)
            if match is None:
                raise self.refused(text[at:].strip())
            at, piece = match.end(), match[1].strip()
            if piece in "{}":
                yield piece
            elif not piece.startswith(("//", "/*")) and piece != ";":
                yield self.instruction(piece[:-1].strip())

    def refused(self, what):
        note = "write the operation in CUDA C"
        return outside(f"the PTX instruction '{what.split(';')[0]}'", self.place, note)

    def instruction(self, text):
        guard = re.match(r"@(!?)([%\w]+)\s+", text)
        if guard:
            inner = self.instruction(text[guard.end() :])
            return f"if ({guard[1]}{self.register(guard[2])}) {{ {inner} }}"
        head, rest = (text.split(None, 1) + [""])[:2]
        operands = [o.strip() for o in SPLIT.split(rest) if o.strip()]
        parts = head.split(".")
        if parts[1:2] == ["reg"]:
            return self.declared(rest)
        for name, run in RUN:
            if head == name or head.startswith(name + "."):
                nodes = run(self, head.removeprefix(name).split("."), operands, name)
                if nodes is not None:
                    return nodes
        raise self.refused(text)

    # Operands

    def register(self, word):
        """The C name of a register."""
        return word.replace("%", "_") if word[0] == "%" else f"_r_{word}"

    def declared(self, rest):
        """.reg .b32 t, q<4>;"""
        kind, names = rest.strip().lstrip(".").split(None, 1)
        if kind not in REGISTERS:
            raise self.refused(f".reg .{rest}")
        out = []
        for name in (n.strip() for n in names.split(",")):
            match = re.fullmatch(r"(\S+?)<(\d+)>", name)
            out += [f"{match[1]}{i}" for i in range(int(match[2]))] if match else [name]
        for name in out:
            self.types[self.register(name)] = REGISTERS[kind]
        names = ", ".join(map(self.register, out))
        return f"{REGISTERS[kind]} {names};"

    def read(self, word, type=None):
        """The C expression of an operand, in an instruction that computes in `type`."""
        if word in SPECIAL:
            return f"({type})({SPECIAL[word]})" if type else SPECIAL[word]
        if match := HEX_FLOAT.match(word):
            return (
                f"__int_as_float(0x{match[1]})" if match[1]
                else f"__longlong_as_double(0x{match[2]}ll)"
            )  # fmt: skip
        if re.match(r"-?\d", word):
            return f"(({type})({word}))" if type else word
        name = self.register(word)
        if name not in self.types:
            raise self.refused(word)
        return self.cast(name, self.types[name], type)

    def cast(self, code, source, type):
        if type in (None, source):
            return code
        return BITS.get((source, type), f"(({type})({{}}))").format(code)

    def write(self, word, code, type):
        """The statement that gives a register its value."""
        if word == "_":
            return f"{code};"
        name = self.register(word)
        if name not in self.types:
            raise self.refused(word)
        return f"{name} = {self.cast(code, type, self.types[name])};"

    def address(self, word, type):
        """[a + 4] as a pointer."""
        match = re.fullmatch(r"\[\s*([%\w.]+)\s*(?:\+\s*(-?\w+))?\s*\]", word)
        if not match:
            raise self.refused(word)
        at = self.read(match[1], "unsigned long long")
        return f"(({type}*)({at} + {match[2] or 0}))"

    def many(self, word):
        """The registers in { }."""
        return [w.strip() for w in word.strip("{} ").split(",")]

    def type_of(self, parts):
        """The last part that is a type."""
        types = [p for p in parts if p in TYPES]
        return (types[-1], TYPES[types[-1]]) if types else (None, None)

    def moved(self, parts):
        """The type of an element, and of all that a load or a store moves at once."""
        _, type = self.type_of(parts)
        vector = next((p[1:] for p in parts if p in ("v2", "v4")), "")
        return type, VECTORS[type] + vector if vector and type else type

    # Instructions: each gives C, or None where this form of it is unknown

    def simple(self, parts, operands, name):
        kind, type = self.type_of(parts)
        if not operands or kind in ("f16", "f16x2", "bf16x2"):
            return None
        if name == "mov" and operands[1][0] == "{":
            low, high = (self.read(w, "unsigned") for w in self.many(operands[1]))
            wide = "unsigned long long" if kind == "b64" else "unsigned"
            bits = 32 if kind == "b64" else 16
            return self.write(
                operands[0], f"(({wide}){low} | ({wide}){high} << {bits})", wide
            )
        if name == "mov" and operands[0][0] == "{":
            low, high = self.many(operands[0])
            wide, bits = (
                ("unsigned long long", 32) if kind == "b64" else ("unsigned", 16)
            )
            half = "unsigned" if kind == "b64" else "unsigned short"
            value = self.read(operands[1], wide)
            first = self.write(low, f"({half})({value})", half)
            return first + self.write(high, f"({half})({value} >> {bits})", half)
        if type is None:
            type = "unsigned"
        kinds = [type] * len(operands)
        if name in ("shl", "shr", "bfe"):
            kinds[2:] = ["unsigned"] * len(kinds[2:])
        elif name == "bfi":
            kinds[3:] = ["unsigned"] * len(kinds[3:])
        elif name == "selp":
            kinds[3] = None
        values = [self.read(o, k) for o, k in zip(operands[1:], kinds[1:], strict=True)]
        wanted = len(set(re.findall(r"\{(\d)\}", SIMPLE[name])))
        if len(values) != wanted:
            return None
        template = SIMPLE[name]
        if type == "float" or type == "double":
            template = {"min": "fmin({0}, {1})", "max": "fmax({0}, {1})",
                        "abs": "fabs({0})"}.get(name, template)  # fmt: skip
        result = "unsigned" if name in ("popc", "clz", "lop3", "prmt") else type
        return self.write(
            operands[0], f"({result})({template.format(*values)})", result
        )

    def wide(self, parts, operands, name):
        """mul.wide, mad.wide"""
        _, type = self.type_of(parts)
        into = {"int": "long long", "unsigned": "unsigned long long"}.get(type)
        if into is None:
            return None
        a, b = (self.read(o, type) for o in operands[1:3])
        code = f"({into}){a} * ({into}){b}"
        if name.startswith("mad"):
            code += f" + {self.read(operands[3], into)}"
        return self.write(operands[0], f"({into})({code})", into)

    def convert(self, parts, operands, name):
        """cvt, between the types that C converts, and half."""
        kinds = [p for p in parts if p in TYPES]
        if len(kinds) != 2:
            return None
        to, source = kinds
        value = self.read(operands[1], TYPES[source])
        if source == "f16":
            value, source = f"__half2float(__ushort_as_half({value}))", "f32"
        if to == "f16" and source == "f32":
            return self.write(
                operands[0],
                f"__half_as_ushort(__float2half_rn({value}))",
                "unsigned short",
            )
        if to in ("f16x2", "bf16x2") or "f16" in (to, source):
            return None
        if TYPES[source] in ("float", "double") and TYPES[to] not in (
            "float",
            "double",
        ):
            how = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
            value = f"{next((how[p] for p in parts if p in how), 'trunc')}({value})"
        return self.write(operands[0], f"(({TYPES[to]})({value}))", TYPES[to])

    def cvta(self, parts, operands, name):
        """Addresses are the same in all spaces."""
        value = self.read(operands[1], "unsigned long long")
        return self.write(operands[0], value, "unsigned long long")

    def load(self, parts, operands, name):
        type, whole = self.moved(parts)
        if type is None:
            return None
        if whole == type:
            return self.write(operands[0], f"*{self.address(operands[1], type)}", type)
        moves = [
            self.write(o, f"_v.{c}", type)
            for o, c in zip(self.many(operands[0]), "xyzw")  # noqa: B905
        ]
        return (
            f"{{ {whole} _v = *{self.address(operands[1], whole)}; {''.join(moves)} }}"
        )

    def store(self, parts, operands, name):
        type, whole = self.moved(parts)
        if type is None:
            return None
        if whole == type:
            return (
                f"*{self.address(operands[0], type)} = {self.read(operands[1], type)};"
            )
        values = ", ".join(self.read(o, type) for o in self.many(operands[1]))
        return f"*{self.address(operands[0], whole)} = make_{whole}({values});"

    def atomic(self, parts, operands, name):
        kind, type = self.type_of(parts)
        how = next((p for p in parts if p in ATOMICS), None)
        if how is None or type is None:
            return None
        type = "unsigned long long" if kind in ("s64", "b64") else type
        target = None if name == "red" else operands.pop(0)
        values = ", ".join(self.read(o, type) for o in operands[1:])
        code = f"atomic{ATOMICS[how]}({self.address(operands[0], type)}, {values})"
        return self.write(target, code, type) if target else f"{code};"

    def shuffle(self, parts, operands, name):
        how = next((p for p in parts if p in ("bfly", "down", "up", "idx")), None)
        target = operands[0].partition("|")[0].strip()
        kind = {"bfly": "_xor", "down": "_down", "up": "_up", "idx": ""}.get(how)
        if kind is None or len(operands) != 5:
            return None
        value, by, clamp, mask = (self.read(o, "unsigned") for o in operands[1:])
        width = f"(32 - ({clamp} >> 8 & 31))"
        by = by if how in ("up", "down") else f"(int){by}"
        code = f"__shfl{kind}_sync({mask}, {value}, {by}, {width})"
        return self.write(target, code, "unsigned")

    def vote(self, parts, operands, name):
        how = next((p for p in parts if p in ("ballot", "any", "all")), None)
        if how is None:
            return None
        mask = self.read(operands[2], "unsigned")
        code = f"__{how}_sync({mask}, {self.read(operands[1])})"
        return self.write(operands[0], code, "unsigned" if how == "ballot" else "bool")

    def setp(self, parts, operands, name):
        _, type = self.type_of(parts)
        how = next((COMPARE[p] for p in parts if p in COMPARE), None)
        if how is None or len(operands) != 3:
            return None
        a, b = (self.read(o, type) for o in operands[1:])
        return self.write(operands[0], f"({a} {how} {b})", "bool")

    def barrier(self, parts, operands, name):
        return "__syncthreads();" if operands in ([], ["0"]) else None

    def warp_barrier(self, parts, operands, name):
        return f"__syncwarp({self.read(operands[0], 'unsigned')});"

    def fence(self, parts, operands, name):
        return "__threadfence_block();" if "cta" in parts else "__threadfence();"

    def nothing(self, parts, operands, name):
        return ";"

    def copies(self, parts, operands, name):
        """Groups of copies: each is closed, or waited for."""
        what = {"commit_group": 2, "wait_group": 3, "wait_all": 4}[name.split(".")[-1]]
        count = self.read(operands[0], "unsigned") if operands else "0"
        return f"__tile_async({what}, {count});"

    def copy(self, parts, operands, name):
        """cp.async, which is done at once."""
        if "bulk" in parts or len(operands) < 3:
            return None
        types = {"4": "unsigned", "8": "uint2", "16": "uint4"}
        to, source, count, *less = operands
        size, lines = self.read(count, "unsigned"), []
        fill = self.read(less[0], "unsigned") if less and less[0][0] != "[" else size
        for bytes, type in types.items():
            target = f"*{self.address(to, type)}"
            line = f"{target} = *{self.address(source, type)};"
            zero = ", ".join(["0u"] * (int(bytes) // 4))
            zero = f"make_{type}({zero})" if bytes != "4" else zero
            empty = f"if ({fill} == 0u) {target} = {zero}; else " if less else ""
            if bytes == count:
                return f"__tile_async(0, 0); {empty}{line} __tile_async(1, 0);"
            lines.append(f"if ({size} == {bytes}) {{ {empty}{line} }}")
        return f"__tile_async(0, 0); {' else '.join(lines)} __tile_async(1, 0);"

    def ldmatrix(self, parts, operands, name):
        count = next((p for p in parts if p in ("x1", "x2", "x4")), None)
        if count is None or "m8n8" not in parts:
            return None
        row = self.address(operands[1], "char")
        lines = [f"unsigned long long _a = (unsigned long long){row};",
                 f"int _l = {LINEAR} & 31;"]  # fmt: skip
        for i, register in enumerate(self.many(operands[0])):
            first = 8 * i
            row = "__shfl_sync(~0u, _a, {})"
            code = f"{first} + _l / 4"
            code = f"*(const unsigned*)({row.format(code)} + _l % 4 * 4)"
            if "trans" in parts:
                lane = "{} + _l % 4 * 2"
                half = f"*(const unsigned short*)({row.format(lane)} + _l / 4 * 2)"
                code = (
                    f"({half.format(first)} | (unsigned){half.format(first + 1)} << 16)"
                )
            lines.append(self.write(register, code, "unsigned"))
        return f"{{ {' '.join(lines)} }}"

    def mma(self, parts, operands, name):
        shape = next((p for p in parts if p[:1] == "m" and "n" in p and "k" in p), "")
        function = MMA.get((shape, ".".join(parts[-4:])))
        if function is None:
            return None
        d, a, b, c = (self.many(o) for o in operands)
        type = "float" if "f32" in function else "unsigned"
        given = [self.read(w, "unsigned") for w in (*a, *b)]
        given += [self.read(w, type) for w in c]
        whole = "float4" if type == "float" else "uint2"
        moves = "".join(self.write(w, f"_d.{x}", type) for w, x in zip(d, "xyzw"))  # noqa: B905
        return f"{{ {whole} _d = {function}({', '.join(given)}); {moves} }}"


RUN = [
    *((name, Ptx.nothing) for name in NOTHING),
    *((f"cp.async.{name}", Ptx.copies)
      for name in ("commit_group", "wait_group", "wait_all")), ("cp.async", Ptx.copy),
    ("mul.wide", Ptx.wide), ("mad.wide", Ptx.wide), ("cvta", Ptx.cvta),
    ("cvt", Ptx.convert), ("ld", Ptx.load), ("ldu", Ptx.load), ("st", Ptx.store),
    ("atom", Ptx.atomic), ("red", Ptx.atomic), ("shfl.sync", Ptx.shuffle),
    ("vote.sync", Ptx.vote), ("setp", Ptx.setp), ("bar.sync", Ptx.barrier),
    ("barrier.sync", Ptx.barrier), ("bar.warp.sync", Ptx.warp_barrier),
    ("membar", Ptx.fence), ("fence", Ptx.fence), ("ldmatrix", Ptx.ldmatrix),
    ("mma.sync", Ptx.mma),
    *((name, Ptx.simple) for name in sorted(SIMPLE, key=len, reverse=True)),
]  # fmt: skip
