"""Edits of CUDA C, by the simulator's tokens."""

import functools
import re

from cudasim import ASSIGNMENTS, LEVELS, lex
from tools.audit.edits import Edit

SWAPPED = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<<": ">>", ">>": "<<",
           "&&": "||", "||": "&&", "&": "|", "|": "&", "^": "&", "+=": "-=",
           "-=": "+=", "*=": "+=", "/=": "-=", ">>=": "-="}  # fmt: skip
COMPARED = {"<": ("<=", ">"), "<=": ("<",), ">": (">=", "<"), ">=": (">",),
            "==": ("!=",), "!=": ("==",)}  # fmt: skip
TWINS = {"fmaxf": "fminf", "fminf": "fmaxf", "max": "min", "min": "max",
         "expf": "exp2f", "logf": "log2f", "threadIdx": "blockIdx",
         "blockIdx": "threadIdx", "gridDim": "blockDim", "blockDim": "gridDim",
         "x": "y", "y": "x", "z": "y", "__syncthreads": "__syncwarp",
         "__shfl_down_sync": "__shfl_xor_sync", "rsqrtf": "sqrtf"}  # fmt: skip
# What is never large: at most 1024 threads in a block, eight dimensions.
SMALL = {"threadIdx", "blockDim", "warpSize", "x", "y", "z", "int", "unsigned", "min",
         "max", "view", "dims", "TILE"}  # fmt: skip
LITERALS = {"blockDim": ("256", "64", "32"), "gridDim": ("1", "64")}
TYPES = {"int": ("short", "float"), "float": ("int", "short"), "double": ("float",),
         "unsigned": ("short",), "long": ("short",)}  # fmt: skip
ENDS = {"?", ":", ",", ";", "{", "}", "return", *ASSIGNMENTS}
PAIRS = {"(": ")", "[": "]", "{": "}"}
HALF = "#include <cuda_fp16.h>\n"
ROUNDS, FEW = 64, 4  # after which a loop ends; FEW: of one that halves or doubles


# What only launches show that no check has time for.
IN_FLOAT = "float is exact to 2 ** 24: it takes as many elements, which takes minutes"
ROUNDS_OF_SHORT = (
    "it takes 2 ** 15 rounds of one thread to show it, which takes seconds"
)


def too_large(edit):
    """Why no check shows an edit that has survived; "" for no reason."""
    begin, end, new = edit.pieces[-1]
    if edit.kind != "type" or edit.whole[begin:end] != "int":
        return ""
    loop = new == "short" and edit.whole[:begin].endswith("for (")
    return IN_FLOAT if new == "float" else ROUNDS_OF_SHORT if loop else ""


class Edits:
    """found: the edits of a kernel's text."""

    def __init__(self, text):
        self.text, self.edits = text, []
        starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.tokens = [t for t in lex(text) if t.kind != "end"]
        self.begins = [starts[t.place[0] - 1] + t.place[1] - 1 for t in self.tokens]
        self.words = [t.text for t in self.tokens]
        self.partner = self.partners()
        first = self.words.index("{") if "{" in self.words else 0
        for i in range(len(self.tokens)):
            if not self.in_directive(i):
                if i > first:
                    self.token(i)
                    self.statement(i)
                self.word(i)

    def partners(self):
        """{place of a bracket: place of its partner}."""
        pairs, opened = {}, []
        for i, word in enumerate(self.words):
            if word in PAIRS:
                opened.append(i)
            elif word in PAIRS.values() and opened:
                begin = opened.pop()
                pairs[begin], pairs[i] = i, begin
        return pairs

    def in_directive(self, i):
        line = self.text.rfind("\n", 0, self.begins[i]) + 1
        return self.text[line:].lstrip().startswith("#")

    def end(self, i):
        return self.begins[i] + len(self.words[i])

    def source(self, first, last):
        return self.text[self.begins[first] : self.end(last)]

    def put(self, kind, first, last, new, *more):
        piece = self.begins[first], self.end(last), new
        self.edits.append(Edit(kind, self.text, piece, *more))

    # ------------------------------------------------- tokens and expressions

    def token(self, i):
        word, kind = self.words[i], self.tokens[i].kind
        if kind == "number":
            self.number(i, word)
        if kind != "op":
            return
        if word in COMPARED and not self.is_template(i):
            for other in COMPARED[word]:
                self.put("comparison", i, i, other)
        if word in SWAPPED and self.is_binary(i):
            self.put("operator", i, i, SWAPPED[word])
        if word in LEVELS and self.is_binary(i) and not self.is_template(i):
            self.operands(i, word)
        if word == "?":
            self.choice(i)

    def number(self, i, word):
        if re.fullmatch(r"\d+", word):
            if self.words[i - 2] == "__align__":
                return
            if not self.is_size(i):
                self.put("off by one", i, i, str(int(word) + 1))
            if int(word):
                self.put("off by one", i, i, str(int(word) - 1))
        elif re.fullmatch(r"[\d.]+(e-?\d+)?f?", word):
            self.put(
                "constant", i, i, "1.0f" if float(word.rstrip("f")) == 0 else "0.0f"
            )

    def is_size(self, i):
        """Is it the size of an array that is declared? One more does no harm."""
        if self.words[i - 1] != "[":
            return False
        first = self.start(i)
        return "=" not in self.words[first:i] and bool(
            {*TYPES, "__shared__"} & set(self.words[first:i])
        )

    def start(self, i):
        """The first token of a statement."""
        while self.words[i - 1] not in (";", "{", "}"):
            i -= 1
        return i

    def is_binary(self, i):
        before = self.words[i - 1]
        kinds = "id", "number", "char"
        return before in (")", "]") or (
            self.tokens[i - 1].kind in kinds and before not in ("return", "else")
            and not (self.words[i] in "*&" and before in TYPES)
        )  # fmt: skip

    def is_template(self, i):
        return self.words[i] in "<>" and "template" in self.words[max(0, i - 6) : i]

    def operands(self, i, word):
        """A term dropped; and operands swapped where that is another value."""
        left, right = self.left_of(i, LEVELS[word]), self.right_of(i, LEVELS[word])
        a, b = self.source(left, i - 1), self.source(i + 1, right)
        if not (a.strip() and b.strip()):
            return
        if not (b == "0" and word in COMPARED):  # of what is never below 0
            self.put("term dropped", left, right, a)
        self.put("term dropped", left, right, b)
        if word in ("-", "/", "%", "<<", ">>"):
            self.put("operands swapped", left, right, f"({b}) {word} ({a})")

    def left_of(self, i, level):
        at = i - 1
        while at >= 0:
            word = self.words[at]
            if word in (")", "]", "}"):
                at = self.partner[at] - 1
                continue
            lower = LEVELS.get(word, 99) < level and self.is_binary(at)
            if word in ENDS or word in PAIRS or lower:
                break
            at -= 1
        return at + 1

    def right_of(self, i, level):
        at = i + 1
        while at < len(self.words):
            word = self.words[at]
            if word in PAIRS and word != "{":
                at = self.partner[at] + 1
                continue
            lower = LEVELS.get(word, 99) <= level and at > i + 1 and self.is_binary(at)
            if word in ENDS or word in (")", "]") or lower:
                break
            at += 1
        return at - 1

    def choice(self, i):
        """condition ? a : b -> a, or b."""
        first, depth, colon = self.left_of(i, -1), 0, i + 1
        while self.words[colon] != ":" or depth:
            depth += (self.words[colon] == "?") - (self.words[colon] == ":")
            colon = self.partner[colon] + 1 if self.words[colon] in PAIRS else colon + 1
        last = self.right_of(colon, -1)
        for a, b in (i + 1, colon - 1), (colon + 1, last):
            self.put("branch dropped", first, last, f"({self.source(a, b)})")

    def word(self, i):
        word = self.words[i]
        following = self.words[i + 1 : i + 3]
        if word in LITERALS and following[:1] == ["."]:
            for literal in LITERALS[word]:
                self.put("a literal", i, i + 2, literal)
        if word == "warpSize":
            self.put("a literal", i, i, "16")
        if word in TWINS and (word not in "xyz" or self.words[i - 1] == "."):
            self.put("function", i, i, TWINS[word])
        inside = any(a < i < b for a, b in self.partner.items() if self.words[a] == "{")
        if word in TYPES and inside:
            halved = r"[^;]*;[^;]*;[^;)]*([*/]=|<<=|>>=)"
            if re.match(halved, self.text[self.begins[i] :]):
                return
            stop = self.words.index(";", i)
            names = {self.words[n - 1] for n in range(i, stop) if self.words[n] == "="}
            small = names and names <= self.small
            if following[:1] == [")"]:  # a cast
                small = following[1:] and following[1] in SMALL
            for other in TYPES[word]:
                if not (small and other == "short"):
                    self.put("type", i, i, other)
        if word == "__shared__":
            self.put("not shared", i, i, "")
        if word.startswith("atomicAdd") and following[:2] == ["(", "&"]:
            close = self.partner[i + 1]
            comma = next(self.outside(",", i + 2, close))
            new = f"({self.source(i + 3, comma - 1)} += "
            self.put("not atomic", i, close, new + self.source(comma + 1, close))

    def open_before(self, i):
        """The bracket that is open at token i."""
        return max(a for a, b in self.partner.items() if a < i < b)

    def depth(self, first, last):
        words = self.words[first:last]
        return sum((w in PAIRS) - (w in PAIRS.values()) for w in words)

    def outside(self, word, first, last=None):
        """The places of a word among tokens, outside of the brackets among them."""
        for n in range(first, len(self.words) if last is None else last):
            if self.words[n] == word and self.depth(first, n) == 0:
                yield n

    # ------------------------------------------------- statements

    def statement(self, i):
        """What can be done to the statement that begins with token i."""
        word = self.words[i]
        if word == "if":
            close = self.partner[i + 1]
            self.put("guard dropped", i + 2, close - 1, "true")
            self.put("branch dropped", i + 2, close - 1, "false")
        elif word == "while":
            self.capped(i + 2, self.partner[i + 1] - 1)
        elif word == "for":
            self.loop(i + 1)
        elif self.words[i - 1] in (";", "{", "}", ")", "else") and self.is_start(i):
            self.plain(i)

    def is_start(self, i):
        """Does a statement begin here, and not the rest of an expression?"""
        before = self.words[i - 1]
        if before == ")":
            opened = self.partner[i - 1]
            return self.words[opened - 1] in ("if", "for", "while")
        return self.depth_of_parens(i) == 0

    def depth_of_parens(self, i):
        return sum(a < i < b for a, b in self.partner.items() if self.words[a] in "([")

    def plain(self, i):
        if self.tokens[i].kind != "id" and self.words[i] not in ("*", "++", "--"):
            return
        stop = next(self.outside(";", i), None)
        if stop is None or "{" in self.words[i:stop] or self.words[i] == "else":
            return
        self.put("statement dropped", i, stop, ";")
        equals = [n for n in range(i, stop) if self.words[n] in ("=", "+=")]
        if equals and self.depth(i, equals[0]) == 0:
            first = equals[0] + 1
            last = next(self.outside(",", first, stop), stop) - 1
            value, target = self.source(first, last), self.words[i : equals[0]]
            if self.words[equals[0]] == "+=":
                self.put("operator", equals[0], equals[0], "=")
            pointer = len(target) == 1 and f"* {target[0]}" in " ".join(self.words)
            exact = re.fullmatch(r"\(*-?[\d.]+f?\)*", value)
            if self.names_before(equals[0]) & self.whole or pointer or exact:
                return
            self.put("through int", first, last, f"(int)({value})")
            half = f"__half2float(__float2half({value}))"
            self.put("through half", first, last, half, (0, 0, HALF))

    def names_before(self, equals):
        """The names between the beginning of a statement and its =."""
        return set(self.words[self.start(equals) : equals])

    @functools.cached_property
    def whole(self):
        """What is declared as a whole number, and the types that say so."""
        integers = {"int", "int64_t", "unsigned", "bool", "long", "short", "const"}
        kinds = r"\b(?:int|int64_t|unsigned|bool|long long|long)\b"
        for line in re.finditer(rf"{kinds}[\s*&]*((?!{kinds})[^;){{]*)", self.text):
            integers.update(re.findall(r"(?:^|,)\s*[*&]*(\w+)", line[1]))
        return integers

    @functools.cached_property
    def small(self):
        """The variables that are computed of SMALL things alone."""
        small = set(SMALL)
        for _ in range(3):  # one may be computed of another
            small |= {
                self.words[i]
                for i in range(1, len(self.words) - 1)
                if self.words[i - 1] in (*TYPES, ",") and self.words[i + 1] == "="
                and all(self.is_small(n, small) for n in self.places(self.words[i]))
            }  # fmt: skip
        return small - SMALL

    def places(self, name):
        """Where a variable is changed."""
        signs = "=", "+=", "-=", "*=", "/=", "++", "--", ">>=", "<<="
        return [i for i, word in enumerate(self.words[:-1]) if word == name
                and self.words[i + 1] in signs
                and self.words[i - 1] != "."]  # fmt: skip

    def is_small(self, i, known):
        """Is a variable given a small value here, or counted up to one?"""
        header = self.words[self.open_before(i) - 1] == "for"
        stop = next(n for n in range(i, len(self.words))
                    if self.words[n] in (";", ",", ")"))  # fmt: skip
        if header and self.words[stop] == ";":
            stop = self.words.index(";", stop + 1)
        elif self.words[i + 1] != "=":
            return header
        kinds = zip(self.words[i + 1 : stop], self.tokens[i + 1 : stop], strict=True)
        names = {word for word, token in kinds if token.kind == "id"}
        return names <= known | {self.words[i]}

    def loop(self, opened):
        close = self.partner[opened]
        stops = [*self.outside(";", opened + 1, close)]
        if len(stops) == 2 and stops[1] > stops[0] + 1:
            self.capped(stops[0] + 1, stops[1] - 1)
            self.put("loop dropped", stops[0] + 1, stops[1] - 1, "false")

    def capped(self, first, last):
        """End after some rounds of the whole thread."""
        body = self.begins[self.words.index("{")] + 1
        header = self.source(first, self.partner[self.open_before(first)])
        most = FEW if re.search(r"[*/]=|<<=|>>=", header) else ROUNDS
        bound = re.search(r"[<>]=?\s*(\d+|TILE)\b", self.source(first, last))
        if bound and (not bound[1].isdigit() or int(bound[1]) <= most):
            return
        new = f"rounds_++ < {most} && ({self.source(first, last)})"
        self.put("loop capped", first, last, new, (body, body, " int rounds_ = 0;"))
