"""A place in the tokens, and what each name is known as."""

import functools

from .. import ctype as C, group_types as groups, words
from ..errors import CompileError, outside
from ..handlers import handles

DEEPEST = 60
TYPE, TEMPLATE, VALUE = "type", "template", "value"
STATEMENTS = {}  # the word that a statement begins with -> the function that reads it
begins = functools.partial(handles, STATEMENTS)


class Imported(str):
    """The kind of a name that `using` brought from a namespace."""


class Cursor:
    """The tokens, the one that is looked at, and the scopes of names.

    C cannot be read without knowing which names are types: `a * b;` declares b where a
    is one, and multiplies where it is not.
    """

    def __init__(self, tokens, includes=()):
        for token in tokens:
            if token.kind == "id" and token.text in words.SPELLED:
                token.kind, token.text = "op", words.SPELLED[token.text]
        self.tokens, self.at, self.depth = tokens, 0, 0
        self.token = tokens[0]
        self.text = self.token.text if self.token.kind != "string" else ""
        types = dict.fromkeys(C.NAMED, TYPE)
        if "cuda_fp16.h" in includes:
            types.update(dict.fromkeys(C.FP16, TYPE))
        if "cuda_bf16.h" in includes:
            types.update(dict.fromkeys(C.BF16, TYPE))
        if groups.BASE in includes:
            types["cooperative_groups::"] = groups.SPACE
        self.includes, self.scopes = includes, [types, {}]
        self.spaces = set()  # the file's own namespaces
        self.outer = set()  # names after a :: that nothing precedes, with their places
        self.function_types = set()  # names for pointers to functions
        self.ahead = []  # structs named before their definition, and are they unions
        self.types_of = {}  # struct -> the names of the types within it
        self.aliasing = False  # is a name for a type made, perhaps of a function's?
        self.closing = False  # does a > end the expression (template arguments)?
        self.later = ()  # methods whose bodies are still to be read
        self.any_groups = ()  # template parameters, for thread_group in parameters

    def go(self, at):
        """Look at token number `at`."""
        self.at = at
        token = self.token = self.tokens[at]
        if (
            token.text == "::"
            and token.kind == "op"
            and self.tokens[at + 1].kind == "id"
        ):
            token = self.token = self.without_colons(token)
        if token.kind == "id" and self.tokens[at + 1].text == "::":
            self.join(token)
            token = self.token
        # A literal never looks like an operator or a keyword.
        self.text = token.text if token.kind in ("op", "id") else ""

    def without_colons(self, token):
        """The name after the :: that is looked at, where that means the whole file."""
        before = self.tokens[self.at - 1] if self.at else token
        of_type = before.kind == "id" and before.text not in words.KEYWORDS
        if of_type or before.text == ">":
            return token
        del self.tokens[self.at]
        name = self.tokens[self.at]
        self.outer.add((name.text, name.place))
        return name

    def join(self, token):
        """Make one token of `cg :: sync`, where cg is a namespace; of a namespace of
        the file's own the last name alone is left."""
        space, member = token.text + "::", self.tokens[self.at + 2]
        if token.text in self.spaces:
            del self.tokens[self.at : self.at + 2]
            self.go(self.at)
        elif joined := self.of_header(token.text, member.text):
            token.text = joined
            del self.tokens[self.at + 1 : self.at + 3]
            self.go(self.at)
        elif member.kind == "id" and self.kind_of(space) == groups.SPACE:
            token.text = space + member.text
            del self.tokens[self.at + 1 : self.at + 3]
            self.member_of_space(token)

    def of_header(self, space, name):
        """What a header here calls cuda::barrier, cg::this_grid and so on, or None."""
        joined = None
        if self.kind_of(space + "::") == groups.SPACE:
            joined = groups.BROUGHT + name
        elif space in ("cuda", "__cuda_thread_scope") or (space, name) == (
            "std",
            "move",
        ):
            joined = f"__cuda_{name}"
        return joined if joined and self.kind_of(joined) is not None else None

    def member_of_space(self, token):
        """Refuse what the namespace of cooperative groups has not, or not here."""
        name = groups.short(token.text)
        if name in groups.OUTSIDE:
            raise outside(f"'{token.text}'", token.place, groups.OUTSIDE[name])
        kind, header = groups.NAMES.get(name, (None, ""))
        if kind is None:
            raise CompileError(f"'{token.text}' is undefined", token.place)
        if header not in self.includes:
            note = f"write #include <{header}> at the top"
            raise CompileError(f"'{token.text}' is undefined", token.place, note)

    def meant(self, name):
        """The full name of what stands in a namespace; other names as they are."""
        kind = self.kind_of(name)
        inside = isinstance(kind, Imported) or "::" in name
        brought = groups.BROUGHT + groups.short(name)
        if inside and self.kind_of(brought):
            return brought
        return f"cooperative_groups::{groups.short(name)}" if inside else name

    def next(self):
        """The token looked at; then look at the next one."""
        token = self.token
        if token.kind != "end":
            self.go(self.at + 1)
        return token

    def peek(self, ahead=1):
        """The text of a token further on ('' for literals)."""
        at = min(self.at + ahead, len(self.tokens) - 1)
        token = self.tokens[at]
        return token.text if token.kind in ("op", "id") else ""

    def accept(self, text):
        """Step over `text` if it stands here."""
        if self.text == text:
            self.go(self.at + 1)
            return True
        return False

    def expect(self, text, why=""):
        """Step over `text`, which must stand here."""
        if self.text == text:
            return self.next()
        if text == ">" and self.text in (">>", ">=", ">>="):
            return self.split()
        raise self.expected(f"'{text}'", why)

    def split(self):
        """Take one > off a >> that closes two template lists."""
        token, rest = self.token, self.text[1:]
        place = (token.place[0], token.place[1] + 1)
        token.text = ">"
        tail = type(token)("op", rest, place)
        self.tokens.insert(self.at + 1, tail)
        self.go(self.at)
        return self.next()

    def expected(self, what, why=""):
        """The error for a missing token: it points after the token before."""
        token = self.token
        shown = "the end of the file" if token.kind == "end" else f"'{token.text}'"
        message = f"expected {what}{why}, found {shown}"
        if self.at and what in ("';'", "')'", "']'", "'}'", "','", "'>'"):
            before = self.tokens[self.at - 1]
            message = f"expected {what} after '{before.text}'{why}"
            line, column = before.place
            return CompileError(message, (line, column + len(before.text)))
        return CompileError(message, token.place)

    def name(self, what):
        """A name that is no keyword."""
        token = self.token
        if "::" in self.text or (token.text, token.place) in self.outer:
            message = f"'{token.text}' cannot name {what}"
            raise CompileError(message, token.place, "a name here has no ::")
        if token.kind != "id" or token.text in words.KEYWORDS:
            self.refuse_word()
            if token.kind == "id":
                message = f"'{token.text}' is a keyword, and cannot name {what}"
                raise CompileError(message, token.place)
            raise self.expected(f"a name for {what}")
        return self.next()

    def refuse_word(self):
        """Refuse the words of C++ that the subset leaves out."""
        text = self.text
        if text in words.REFUSED:
            raise outside(f"'{text}'", self.token.place, words.REFUSED[text])

    def enter(self):
        self.scopes.append({})

    def leave(self):
        self.scopes.pop()

    def declare(self, name, kind):
        self.scopes[-1][name] = kind

    def kind_of(self, name):
        """TYPE, TEMPLATE, VALUE, or None for a name that was never declared."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        group = groups.NAMES.get(groups.short(name)) if name[-1:] != ":" else None
        return group[0] if group and "::" in name else None

    def deeper(self):
        """Count one level of nesting."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise CompileError("nested too deeply", self.token.place)
