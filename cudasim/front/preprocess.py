"""Macros, conditions and includes: tokens to tokens."""

from . import headers
from .conditions import condition
from .errors import CompileError, Lint, outside
from .lexer import NOTHING, Token, lex

MOST_TOKENS = 100_000
NOWHERE = (0, 0)


class Macro:
    """A macro; `parameters` is None for one without parentheses."""

    __slots__ = ("name", "parameters", "body", "variadic")

    def __init__(self, name, parameters, body, variadic=False):
        self.name, self.parameters, self.body = name, parameters, body
        self.variadic = variadic


class Preprocessor:
    """Runs the directives of one source and expands its macros."""

    def __init__(self, options=(), file="kernel.cu"):
        self.macros, self.includes, self.warnings = {}, set(), []
        self.file, self.made = file, 0
        self.brought = set()  # the places of the headers' text
        self.branches = []  # [place, alive, taken, has_else] of each open #if
        for name, text in {**headers.PREDEFINED, **dict(options)}.items():
            self.define_text(name, text)

    def define_text(self, name, text):
        """Define an object-like macro by its text."""
        body = [token.at(NOWHERE, NOTHING) for token in lex(text)[:-1]]
        self.macros[name] = Macro(name, None, body)

    def run(self, tokens):
        """The tokens that the parser sees."""
        out, run, at, count = [], [], 0, len(tokens)
        while at < count:
            token = tokens[at]
            if token.first and token.text == "#" and token.kind == "op":
                out += self.expand(run)
                run, begin, at = [], at + 1, at + 1
                while not tokens[at].first:
                    at += 1
                out += self.directive(token, tokens[begin:at]) or ()
                continue
            if self.alive or token.kind == "end":
                run.append(token)
            at += 1
        if self.branches:
            raise CompileError("this #if has no #endif", self.branches[-1][0])
        return out + self.expand(run)

    @property
    def alive(self):
        return not self.branches or self.branches[-1][1]

    def directive(self, hash, line):
        """Run one directive, whose line follows the #: the tokens that it brings."""
        if not line:
            return None
        name, rest = line[0].text, line[1:]
        if name in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
            getattr(self, "on_" + name)(line[0], rest)
        elif self.alive:
            run = getattr(self, "on_" + name, None) if name.isidentifier() else None
            if run is None:
                raise CompileError(f"unknown directive #{name}", line[0].place)
            return run(line[0], rest)
        return None

    def on_if(self, head, rest):
        alive = self.alive and condition(self.defined_replaced(rest), head.place)
        self.open(head, bool(alive))

    def on_ifdef(self, head, rest):
        name = self.named(head, rest)
        self.open(head, self.alive and self.is_defined(name))

    def on_ifndef(self, head, rest):
        name = self.named(head, rest)
        self.open(head, self.alive and not self.is_defined(name))

    def is_defined(self, name):
        return name in self.macros or name in ("__LINE__", "__FILE__")

    def open(self, head, alive):
        parent = self.alive
        if len(self.branches) > 200:
            raise CompileError("#if nested too deeply", head.place)
        # Where the parent is dead every branch counts as taken.
        self.branches.append([head.place, alive, alive or not parent, False])

    def on_elif(self, head, rest):
        branch = self.branch(head)
        if branch[3]:
            raise CompileError("#elif after #else", head.place)
        branch[1] = False
        if not branch[2]:
            value = condition(self.defined_replaced(rest), head.place)
            branch[1] = branch[2] = bool(value)

    def on_else(self, head, rest):
        branch = self.branch(head)
        if branch[3]:
            raise CompileError("a second #else", head.place)
        branch[1], branch[2], branch[3] = not branch[2], True, True

    def on_endif(self, head, rest):
        self.branch(head)
        self.branches.pop()

    def branch(self, head):
        if not self.branches:
            raise CompileError(f"#{head.text} without #if", head.place)
        return self.branches[-1]

    def named(self, head, rest):
        if not rest or rest[0].kind != "id":
            raise CompileError(f"#{head.text} needs a name", head.place)
        return rest[0].text

    def defined_replaced(self, tokens):
        """The tokens of an #if: `defined` answered, macros expanded, names 0."""
        out, at = [], 0
        while at < len(tokens):
            token = tokens[at]
            if token.text == "defined" and token.kind == "id":
                opened = at + 1 < len(tokens) and tokens[at + 1].text == "("
                at += 2 if opened else 1
                if at >= len(tokens) or tokens[at].kind != "id":
                    raise CompileError("defined needs a name", token.place)
                is_in = self.is_defined(tokens[at].text)
                out.append(Token("number", "1" if is_in else "0", token.place))
                if opened:
                    at += 1
                    if at >= len(tokens) or tokens[at].text != ")":
                        raise CompileError("expected ')' after defined(", token.place)
            elif token.text == "__has_include" and token.kind == "id":
                end = next((i for i in range(at, len(tokens)) if tokens[i].text == ")"),
                           at)  # fmt: skip
                name = spelled(tokens[at + 1 : end])[1:].strip()[1:-1]
                there = "1" if headers.offered(name) else "0"
                out.append(Token("number", there, token.place))
                at = end
            else:
                out.append(token)
            at += 1
        return self.expand(out)

    def on_define(self, head, rest):
        name = self.named(head, rest)
        if name in ("defined", "__LINE__", "__FILE__"):
            raise CompileError(f"{name} cannot be a macro's name", rest[0].place)
        parameters, body, variadic = None, rest[1:], False
        if body and body[0].text == "(" and not body[0].space:
            parameters, body, variadic = self.parameters(rest[0], body)
        self.check_pasting(body, parameters)
        for token in body:
            if token.text == "__VA_ARGS__" and not variadic:
                message = "__VA_ARGS__ stands in a macro with ... only"
                raise CompileError(message, token.place)
        self.macros[name] = Macro(name, parameters, body, variadic)

    def parameters(self, name, tokens):
        """The parameters of a function-like macro, its body, and whether it has ..."""
        names, at = [], 1
        while at < len(tokens) and tokens[at].text != ")":
            token = tokens[at]
            dots = token.text == "..."
            if token.kind != "id" and not dots:
                break
            names.append("__VA_ARGS__" if dots else token.text)
            at += 1
            if at < len(tokens) and tokens[at].text == "," and not dots:
                at += 1
        if at >= len(tokens) or tokens[at].text != ")" or len(set(names)) < len(names):
            raise CompileError(f"wrong parameters of macro {name.text}", name.place)
        return names, tokens[at + 1 :], "__VA_ARGS__" in names

    def check_pasting(self, body, parameters):
        """Refuse ## at an end, and # before what is no parameter."""
        for i, token in enumerate(body):
            if token.text == "##" and i in (0, len(body) - 1):
                raise CompileError("## stands between two tokens", token.place)
            if token.text == "#" and parameters is not None:
                after = body[i + 1].text if i + 1 < len(body) else ""
                if after not in parameters:
                    note = f"the parameters are {', '.join(parameters) or 'none'}"
                    raise CompileError(
                        "# stands before a parameter of the macro", token.place, note
                    )

    def on_undef(self, head, rest):
        self.macros.pop(self.named(head, rest), None)

    def on_include(self, head, rest):
        """Take note of a header that NVRTC offers: its tokens; refuse any other."""
        place = rest[0].place if rest else head.place
        quoted = rest and rest[0].kind == "string"
        name = rest[0].text if quoted else spelled(rest)
        if len(name) < 3 or (name[0], name[-1]) not in (('"', '"'), ("<", ">")):
            raise CompileError('#include needs <name> or "name"', head.place)
        return self.include(name[1:-1], place)

    def include(self, name, place):
        """The tokens of a header by its name."""
        if note := headers.OF_LIBRARIES.get(name.partition("/")[0]):
            raise outside(f"the header <{name}>", place, note)
        if not headers.offered(name):
            note = headers.INSTEAD.get(name, "NVRTC has the CUDA headers only")
            raise CompileError(f'cannot open source file "{name}"', place, note)
        again = name in self.includes
        self.includes.add(name)
        if name == "cuda_bf16.h":
            self.includes.add("cuda_fp16.h")
        if name.startswith("cooperative_groups/"):
            self.includes.add("cooperative_groups.h")
        if name == "math_constants.h":
            for macro, text in headers.MATH_CONSTANTS.items():
                self.define_text(macro, text)
        return () if again else self.header(name, place)

    def header(self, name, place):
        """The tokens of a header that is CUDA C: they stand where it is included."""
        text = headers.text_of(name)
        if text is None:
            return []
        self.brought.add(place)
        tokens = lex(text)
        for token in tokens:
            token.place = place
        return self.run(tokens)[:-1]

    def on_pragma(self, head, rest):
        """Pragmas say how to compile, not what: only their form is checked."""
        if rest and rest[0].text == "unroll" and len(rest) > 1:
            bare = rest[1].text != "("
            if bare and (len(rest) > 2 or rest[1].text == "unroll"):
                message = "#pragma unroll takes one number"
                raise CompileError(message, rest[1].place)

    def on_error(self, head, rest):
        raise CompileError("#error " + " ".join(t.text for t in rest), head.place)

    def on_warning(self, head, rest):
        text = "#warning " + " ".join(t.text for t in rest)
        self.warnings.append(Lint("directive", *head.place, text))

    def on_line(self, head, rest):
        raise outside("#line", head.place)

    def expand(self, tokens):
        """`tokens` with every macro replaced, as C says: nothing expands in itself."""
        macros, out = self.macros, []
        stack = tokens[::-1]
        while stack:
            token = stack.pop()
            text = token.text
            if token.kind != "id":
                out.append(token)
            elif text in macros and text not in token.hide:
                self.replace(macros[text], token, stack, out)
            elif text == "_Pragma" and stack and stack[-1].text == "(":
                del stack[-3:]  # ("unroll"): how to compile, not what
            elif text == "__LINE__":
                out.append(Token("number", str(token.place[0]), token.place))
            elif text == "__FILE__":
                out.append(Token("string", f'"{self.file}"', token.place))
            else:
                out.append(token)
        return out

    def replace(self, macro, token, stack, out):
        """Put the expansion of one use of `macro` back on the stack."""
        hide = token.hide | {macro.name}
        if macro.parameters is None:
            body = macro.body
            if any(t.text == "##" for t in body):
                body = self.pasted(body, token.place)
            new = [t.at(token.place, hide) for t in body]
        else:
            if not stack or stack[-1].text != "(":
                out.append(token)
                return
            groups, close = self.arguments(macro, token, stack)
            hide = (token.hide & close.hide) | {macro.name}
            new = self.substituted(macro, groups, token.place)
            new = [t.at(t.place or token.place, hide) for t in new]
        self.made += len(new)
        if self.made > MOST_TOKENS:
            raise CompileError("macros expand to too much text", token.place)
        stack += new[::-1]

    def arguments(self, macro, name, stack):
        """The arguments of a macro's use, taken off the stack, and its ')'."""
        stack.pop()
        groups, depth = [[]], 0
        while stack:
            token = stack.pop()
            if token.kind == "end":
                stack.append(token)
                break
            if token.text == ")" and not depth:
                return self.counted(macro, groups, name), token
            depth += (token.text == "(") - (token.text == ")")
            rest = macro.variadic and len(groups) == len(macro.parameters)
            if token.text == "," and not depth and not rest:
                groups.append([])
            else:
                groups[-1].append(token)
        raise CompileError(f"the use of macro {macro.name} has no ')'", name.place)

    def counted(self, macro, groups, name):
        """`groups`, checked against the number of parameters."""
        wanted = len(macro.parameters)
        if wanted == 0 and groups == [[]]:
            return []
        if macro.variadic and len(groups) == wanted - 1:
            groups.append([])
        if len(groups) != wanted:
            message = f"macro {macro.name} takes {wanted} arguments, not {len(groups)}"
            raise CompileError(message, name.place)
        return groups

    def substituted(self, macro, groups, place):
        """The body with arguments put in; body tokens get `place`."""
        raw = dict(zip(macro.parameters, groups, strict=True))
        ready, out, body, at = {}, [], macro.body, 0
        while at < len(body):
            token = body[at]
            beside = (at + 1 < len(body) and body[at + 1].text == "##") or (
                at > 0 and body[at - 1].text == "##"
            )
            if token.text == "#" and token.kind == "op":
                at += 1
                out.append(Token("string", quoted(raw[body[at].text]), place))
            elif token.kind == "id" and token.text in raw:
                if beside:
                    out += raw[token.text] or [Token("empty", "", place)]
                else:
                    if token.text not in ready:
                        ready[token.text] = self.expand(raw[token.text])
                    out += ready[token.text]
            else:
                out.append(token.at(place, NOTHING))
            at += 1
            if len(out) > MOST_TOKENS:
                raise CompileError("macros expand to too much text", place)
        return self.pasted(out, place) if any(t.text == "##" for t in body) else out

    def pasted(self, tokens, place):
        """Join the tokens on both sides of every ##."""
        out, at = [], 0
        while at < len(tokens):
            token = tokens[at]
            if token.text == "##" and token.kind == "op" and out:
                at += 1
                text = out.pop().text + tokens[at].text
                lexed = lex(text)[:-1] if text else [Token("empty", "", place)]
                if len(lexed) != 1 or lexed[0].kind == "bad":
                    raise CompileError(f"'{text}' is not one token", place)
                out.append(Token(lexed[0].kind, lexed[0].text, place))
            else:
                out.append(token)
            at += 1
        return [t for t in out if t.kind != "empty"]


def spelled(tokens):
    """The text of tokens, a blank where one stood: < a.h > is not <a.h>."""
    shown = "".join(" " * token.space + token.text for token in tokens)
    return shown.strip()


def quoted(tokens):
    """What # makes of an argument: a string literal of its text."""
    parts = []
    for i, token in enumerate(tokens):
        text = token.text
        if token.kind in ("string", "char"):
            text = text.replace("\\", "\\\\").replace('"', '\\"')
        parts.append((" " if token.space and i else "") + text)
    return '"' + "".join(parts) + '"'
