"""The kernels of a .cu file, each with what it names, and nothing of the host's."""

import re
from typing import NamedTuple

TOKEN = re.compile(
    r"(?P<line>^[ \t]*\#(?:[^\n\\]|\\(?s:.))*)"
    r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|(?P<mark>[{}();])',
    re.MULTILINE,
)
COMMENT = re.compile(
    r"//(?:[^\n\\]|\\(?s:.))*|/\*(?s:.*?)\*/"
    r'|("(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
)
OPENS = re.compile(
    r'\s*(?:(?:inline\s+)?namespace\b[\w:\s]*|extern\s*"C(?:\+\+)?"\s*)$'
)
RECORD = re.compile(r"\b(?:struct|class|union|enum)\b")
DEVICE = re.compile(r"__(?:global|device|constant|shared)__")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"].*$', re.MULTILINE)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
ATTRIBUTE = re.compile(
    r"__(?:launch_bounds|align)__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)"
    r"|alignas\s*\([^()]*\)|__attribute__\s*\(\(.*?\)\)"
)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
# Headers for the device -> a part of some word that a kernel has which needs it, or
# nothing where it costs little. NVRTC takes a second for one.
HEADERS = {
    r"cuda_(fp16|bf16)\.h|math_constants\.h": "",
    r"cuda_fp8\.h": "fp8",
    r"cuda_(pipeline|awbarrier)(_primitives)?\.h": "__",
    r"mma\.h": "wmma",
    r"cuda/.*": "cuda",
    r"curand_kernel\.h": "curand",
    r"cuComplex\.h": "cu",
    r"cooperative_groups.*\.h": "",
}
GROUPS = {
    "cooperative_groups", "thread_block", "this_thread_block", "this_grid",
    "thread_group", "coalesced_threads",
}  # fmt: skip


class Kernel(NamedTuple):
    """text compiles alone. names: name expressions of instances, the likeliest first;
    none where it is no template."""

    name: str
    text: str
    names: tuple


class Piece(NamedTuple):
    """A declaration at file level, or a line of the preprocessor.

    kind: "kernel", "part" of the device's code, "always", or "host". names: what it
    declares.
    """

    text: str
    kind: str
    names: frozenset = frozenset()


def kernels(text, included=lambda name: None):
    """The Kernels of a file. included(name): the text of an #include, or None."""
    text = whole(text, included, set())
    pieces = split(text)
    words = [set(WORD.findall(p.text)) for p in pieces]
    users, macros = {}, {}
    for number, (piece, macros_here) in enumerate(zip(pieces, words, strict=True)):
        if piece.kind in ("kernel", "part"):
            for name in piece.names:
                users.setdefault(name, []).append(number)
        if piece.kind == "always":
            for name in MACRO.findall(piece.text):
                macros.setdefault(name, set()).update(macros_here)
    for number, piece in enumerate(pieces):
        if piece.kind == "kernel":
            (name,) = piece.names
            kept = needed(number, words, macros, users)
            used = set().union(*(words[n] for n in kept))
            lines = [
                p.text.strip("\n")
                for n, p in enumerate(pieces)
                if n in kept or (p.kind == "always" and wanted(p.text, used, text))
            ]
            source = "\n".join([*lines, ""])
            yield Kernel(name, source, instances(name, piece.text, text))


def whole(text, included, seen):
    """The text without comments, and with the files that it includes."""
    text = COMMENT.sub(lambda m: m[1] or " " + "\n" * m[0].count("\n"), text)

    def put(match):
        name = match[1]
        if name in seen:
            return ""
        seen.add(name)
        if any(re.fullmatch(header, name) for header in HEADERS):
            return f"#include <{name}>"
        return whole(included(name) or "", included, seen)

    return INCLUDE.sub(put, text)


def needed(number, words, macros, users):
    """The numbers of the pieces that piece `number` needs, its own among them."""
    kept, todo, done = {number}, [*words[number]], set()
    while todo:
        word = todo.pop()
        if word in done:
            continue
        done.add(word)
        todo += macros.get(word, ())
        for other in users.get(word, ()):
            if other not in kept:
                kept.add(other)
                todo += words[other]
    return kept


def wanted(line, used, text):
    """Does a kernel with these words need this line that stands at file level?"""
    if "cooperative_groups" in line:
        aliases = re.findall(r"namespace\s+(\w+)\s*=\s*cooperative", text)
        return bool(GROUPS.union(aliases) & used)
    header = INCLUDE.match(line.lstrip())
    if header is None:
        return True
    parts = [p for h, p in HEADERS.items() if re.fullmatch(h, header[1])]
    return any(part in word for part in parts for word in used)


def split(text):
    """The Pieces of a file."""
    pieces = declarations(text)
    lines = [piece for piece in pieces if piece.lstrip().startswith("#")]
    own = {n: p for p in lines for n in MACRO.findall(p) if DEVICE.search(p)}
    return [piece_of(piece, own) for piece in pieces]


def declarations(text):
    """The text, cut where a declaration at file level ends."""
    out, begin, braces, rounds = [], 0, 0, 0
    for match in TOKEN.finditer(text):
        before, mark, end = text[begin : match.start()], match["mark"], match.end()
        cut = False
        if match["line"]:
            cut = not braces and not before.strip()
        elif mark == "{":
            cut = not braces and bool(OPENS.match(before))
            braces += not cut
        elif mark == "}":
            closes = braces == 0
            braces -= not closes
            cut = closes or (braces == 0 and is_function(text[begin:end]))
        elif mark in ("(", ")") and not braces:
            rounds = max(0, rounds + (1 if mark == "(" else -1))
        elif mark == ";":
            cut = not braces and not rounds
        if cut:
            out.append(text[begin:end])
            begin = end
    out.append(text[begin:])
    return [piece for piece in out if piece.strip()]


def is_function(text):
    """Does a text that ends with } need no ; after it?"""
    head = ATTRIBUTE.sub(" ", without_template(text).partition("{")[0])
    return "(" in head and not head.lstrip().startswith("typedef")


def without_template(text):
    """The text without the template <...> at its head."""
    while match := re.match(r"\s*template\s*<", text):
        depth, at = 1, match.end()
        while depth and at < len(text):
            depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
        text = text[at:]
    return text


def piece_of(text, own):
    """own: macros for the device's words -> their lines."""
    body = text.strip()
    opens = OPENS.match(body.rstrip("{"))
    if body[0] in "#}" or body.startswith("namespace") or opens:
        return Piece(text, "always")
    if body.startswith("using namespace"):
        ours = re.search(r"\b(nvcuda|cooperative_groups)\b", body)
        return Piece(text, "always" if ours else "host")
    plain = ATTRIBUTE.sub(" ", without_template(body)).strip()
    head = re.split(r"[{=;]", plain, maxsplit=1)[0]
    words = WORD.findall(head)
    head_in_full = " ".join([head, *(own[w] for w in words if w in own)])
    on_device = DEVICE.search(head_in_full)
    called = re.search(r"(\w+|operator\s*\S+?)\s*(?:<[^()]*>)?\s*\(", head)
    if "__global__" in head_in_full:
        special = re.match(r"\s*template\s*<\s*>", body)
        kind = "kernel" if called and "{" in body and not special else "host"
        return Piece(text, kind, frozenset([called[1]] if called else ()))
    names = words[-1:]
    if body.startswith("typedef"):
        names = WORD.findall(plain.rpartition("}")[2]) or words
        names += re.findall(r"(?:struct|union|enum)\s+(\w+)\s*\{", plain)
    elif plain.startswith("using"):
        names = words[1:2]
    elif RECORD.match(plain):
        names = WORD.findall(re.split(r"[:<]", head)[0])[-1:]
        names += WORD.findall(plain) if plain.startswith("enum") else []
    elif called:
        names = words if called[1].startswith("operator") else [called[1]]
        on_device = on_device or "constexpr" in words
        if not on_device:
            return Piece(text, "host")
    elif on_device or "const" in words or "constexpr" in words:
        names = WORD.findall(re.sub(r"\[.*?\]", " ", head))[-1:]
    else:
        return Piece(text, "host")
    return Piece(text, "part", frozenset(names))


def instances(name, piece, text):
    """Name expressions for a template: what the file launches, then guesses."""
    if not re.match(r"\s*template\s*<", piece):
        return ()
    launched = re.findall(rf"\b{name}\s*(<[^;{{}}]*?>)\s*<<<", text)
    head = piece[: len(piece) - len(without_template(piece))]
    inner = head.partition("<")[2].rpartition(">")[0]
    parameters = [p for p in inner.split(",") if p.strip()]
    guesses = [
        f"<{', '.join(argument(p, number) for p in parameters)}>"
        for number in ("16", "4", "32", "128")
    ]
    return tuple(dict.fromkeys(name + a for a in [*launched, *guesses]))


def argument(parameter, number):
    """A template argument that fits: its default, float, true, or the number."""
    if "=" in parameter:
        return parameter.partition("=")[2].strip()
    if re.match(r"\s*(typename|class)\b", parameter):
        return "float"
    return "true" if "bool" in parameter else number
