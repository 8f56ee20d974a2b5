"""What the threads of a block or of a warp do together, and atomics."""

from .statements import Statements
from .types import BLOCK, INT, LIBRARY, LL, SHUFFLED, THREAD, UINT, ULL, WARP

COUNTED = {
    "add": ["atomicAdd", "atomicSub", "cas_add"], "min": ["atomicMin"],
    "max": ["atomicMax"], "and": ["atomicAnd"], "or": ["atomicOr"],
    "xor": ["atomicXor"],
}  # fmt: skip
ATOMIC = {
    "atomicAdd": [INT, UINT, ULL], "atomicSub": [INT, UINT], "cas_add": [UINT],
    "atomicExch": [INT, UINT, ULL], "atomicInc": [UINT], "atomicDec": [UINT],
    "atomicCAS": [INT, UINT, ULL],
}  # fmt: skip
SIZES = [INT, UINT, LL, ULL]
FULL = ["0xffffffffu", "~0u", "-1", "0xFFFFFFFF"]


class Together(Statements):
    """What the threads of a warp or of a block do together, and atomics."""

    def truth(self, level=THREAD):
        """A condition as an int takes it."""
        e = self.at_level(level, self.condition)
        return e.text if e.type.integer else f"{e.at(7)} != 0"

    def barrier(self):
        self.say("__syncthreads();")
        self.synchronized()

    def count_all(self):
        name = self.new("v")
        how = self.c.pick(["count", "and", "or"])
        self.say(f"const int {name} = __syncthreads_{how}({self.truth()});")
        self.synchronized()
        self.add(name, INT, level=BLOCK, writable=False)

    def turn(self):
        s, name = self.c.pick(self.shared_arrays), self.new("v")
        row = f"[{self.c.below(s.dims[0])}]" if s.dims else ""
        e, by = self.into(self.assignable(s.type), s.type), self.integer(1)
        call = f"{self.use('turn')}({e.text}, {s.name}{row}, tid, {by.at(6)} & 7)"
        self.say(f"{s.type.name} {name} = {call};")
        self.synchronized()
        self.add(name, s.type)

    def shuffle(self):
        """A shuffle whose source is always a thread of the block."""
        type, name = self.c.pick(SHUFFLED), self.new("v")
        width, whole = self.c.pick([32, 8, 16]), self.threads % 32 == 0
        e = self.into(self.assignable(type), type)
        way = self.c.pick(["", "_up", "_down", "_xor"])
        lane = f"({self.integer(1).at(6)} & 31)"
        source = self.new("k")
        there = width if whole else f"min({width}, live - (lane & -{width}))"
        text = {
            "": f"{lane} % {there}", "_up": lane, "_xor": lane,
            "_down": lane if whole else f"min((int){lane}, live - 1 - lane)",
        }[way]  # fmt: skip
        self.say(f"int {source} = {text};")
        if way == "_xor" and not whole:
            self.say(f"if ((lane ^ {source}) >= live) {source} = 0;")
        width = "" if width == 32 and self.c.chance(50) else f", {width}"
        call = f"__shfl{way}_sync({self.c.pick(FULL)}, {e.text}, {source}{width})"
        self.say(f"{type.name} {name} = {call};")
        self.add(name, type)

    def vote(self):
        name, full = self.new("v"), self.c.pick(FULL)
        which = self.c.below(6)
        if which == 5:
            type = self.c.pick([INT, UINT, LL, ULL])
            e = self.into(self.assignable(type), type)
            self.say(f"unsigned {name} = __match_any_sync({full}, {e.text});")
            return self.add(name, UINT)
        if which == 4:
            self.say(f"const unsigned {name} = __activemask();")
        elif which == 3:
            self.say(f"__syncwarp(); const unsigned {name} = 1;")
        else:
            how = ["ballot", "any", "all"][which]
            call = f"__{how}_sync({full}, {self.truth()})"
            self.say(f"const unsigned {name} = {call};")
        self.add(name, UINT, level=WARP, writable=False)

    def atomic(self):
        """An update whose order does not matter, of an array that is for it alone."""
        h, group = self.c.pick(self.atomics)
        shared = [v for v in self.shared_arrays if v.type in SIZES]
        if shared and self.c.chance(40):
            h, group = self.c.pick(shared), self.c.pick(list(COUNTED))
            if h.mode not in ("", group) or (group == "add" and h.type is LL):
                return self.assign()
        h.mode = group
        e, i = self.assignable(h.type, 2), self.integer(1)
        row = "[0]" if h.dims else ""
        size = "NT" if h.shared else "16"
        call = self.update(group, h.type)
        at = f"{h.name}{row} + (unsigned)({i.text}) % {size}"
        if self.c.chance(50):
            at = f"&{h.name}{row}[(unsigned)({i.text}) % {size}]"
        self.say(f"{call}({at}, {e.text});")

    def update(self, group, type):
        names = [n for n in COUNTED[group] if type in ATOMIC.get(n, SIZES)]
        name = self.c.pick(names)
        return self.use(name) if name in LIBRARY else name

    def own_atomic(self):
        """Atomics on an element of this thread alone: what they return is known."""
        names = [*ATOMIC, "atomicMin", "atomicMax", "atomicAnd", "atomicXor"]
        name, result = self.c.pick([n for n in names if n != "cas_add"]), self.new("v")
        known = [v for v in self.outs if v.type in ATOMIC.get(name, SIZES)]
        if not known:
            return self.fence()
        v = self.c.pick(known)
        parts = [self.assignable(v.type, 1).text for _ in range(1 + (name[6] == "C"))]
        self.say(f"{v.type.name} {result} = {name}(&{v.name}, {', '.join(parts)});")
        self.add(result, v.type)

    def fence(self):
        self.say(self.c.pick(["__threadfence();", "__threadfence_block();"]))
