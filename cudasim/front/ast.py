"""What the parser makes: the text as a tree, names and types not yet looked up.

Every node begins with its place (line, column).
"""

import dataclasses

PLACE = tuple[int, int]


def _define(name, fields, doc):
    cls = dataclasses.make_dataclass(
        name, [("place", PLACE), *fields.split()], slots=True, eq=False
    )
    cls.__doc__, cls.__module__ = doc, __name__
    return cls


# Types
NamedType = _define("NamedType", "name quals", "int, T, struct P: a name, qualifiers")
PointerTo = _define("PointerTo", "to quals", "to *")
ReferenceTo = _define("ReferenceTo", "to", "to &")
ArrayOf = _define("ArrayOf", "element count", "element [count]; count perhaps None")
TemplateType = _define("TemplateType", "name arguments quals", "name<arguments>")
MemberType = _define("MemberType", "owner name quals", "typename owner::name")
TypeOf = _define("TypeOf", "operand bare quals", "decltype(operand); bare: without ( )")
PackOf = _define("PackOf", "type", "type...: one for each element of the packs in it")
FunctionOf = _define("FunctionOf", "result parameters", "result (parameters)")
BASE = "the base"  # the member that a struct inherits
FUNCTION = "function"  # the type of a template parameter that is a function
TYPES = (
    NamedType,
    PointerTo,
    ReferenceTo,
    ArrayOf,
    TemplateType,
    MemberType,
    TypeOf,
    FunctionOf,
    PackOf,
)

# Expressions
Number = _define("Number", "text", "a numeric literal")
Character = _define("Character", "text", "'x'")
String = _define("String", "texts", "adjacent string literals")
Word = _define("Word", "text", "true, false, nullptr")
Name = _define("Name", "name arguments", "a name, with template arguments or None")
This = _define("This", "", "this")
Unary = _define("Unary", "op operand", "- + ! ~ * & ++ --")
Postfix = _define("Postfix", "op operand", "++ --")
Binary = _define("Binary", "op left right", "left op right; place is the operator's")
Assign = _define("Assign", "op target value", "= += ...; place is the operator's")
Conditional = _define("Conditional", "condition yes no", "condition ? yes : no")
Call = _define("Call", "function arguments", "function(arguments)")
Index = _define("Index", "base index", "base[index]")
Member = _define("Member", "base name arrow", "base.name, base->name")
Lambda = _define(
    "Lambda",
    "default captures function",
    "[=, &a](...) {...}; captures: name -> is it a reference",
)
Cast = _define("Cast", "style type operand", "(T)x, static_cast<T>(x), ...")
Construct = _define("Construct", "type arguments braces", "T(a, b), T{a, b}")
Operand = _define("Operand", "target value", "an output of asm gets its value")
SizeOf = _define("SizeOf", "what operand", "sizeof or alignof of a type or expression")
Items = _define("Items", "items", "{a, b}")
Expand = _define("Expand", "pattern", "pattern...: one for each element of its packs")
Element = _define("Element", "pattern names", "a pattern; names: what its packs are")
Fold = _define("Fold", "op left right", "(left op ... op right); one perhaps None")

# Statements
Block = _define("Block", "statements end", "{ ... }; end is the place of }")
Declaration = _define("Declaration", "variables", "int a = 1, *b;")
Variable = _define(
    "Variable", "name type init style specifiers", "style is '', '=', '(' or '{'"
)
If = _define("If", "condition yes no constexpr", "if")
While = _define("While", "condition body", "while")
Do = _define("Do", "body condition", "do while")
For = _define("For", "init condition step body", "for; each part perhaps None")
Switch = _define("Switch", "subject body", "switch")
Case = _define("Case", "value", "case value:, or default: where it is None")
Jump = _define("Jump", "word", "break, continue")
Goto = _define("Goto", "name", "goto name;")
Label = _define("Label", "name", "name:")
Return = _define("Return", "value", "return")
Expression = _define("Expression", "value", "an expression; None for ;")
StaticAssert = _define("StaticAssert", "condition message", "static_assert")

# At file level
Function = _define(
    "Function",
    "name result parameters body specifiers template bounds special",
    "template: TemplateParameters or None; special: a specialization's arguments",
)
Parameter = _define("Parameter", "name type default", "a parameter of a function")
TemplateParameter = _define(
    "TemplateParameter", "name type default pack", "type is None for typename T"
)
VariableTemplate = _define(
    "VariableTemplate", "template variable", "template <...> constexpr T name = value"
)
StructOf = _define(
    "StructOf",
    "name members align methods template special union base",
    "members: Variables, Aliases, enums; None if opaque. methods: Functions. template: "
    "parameters, or None; special: the arguments of a specialization, or None; base: "
    "the type that it inherits from, or None",
)
EnumOf = _define(
    "EnumOf", "name scoped values base", "values: (place, name, expression)"
)
Alias = _define("Alias", "name type", "typedef, using")


def chain(node):
    """A node and those of its kind down its left sides: two of them for a + b + c."""
    links = [node]
    while isinstance(links[-1].left, type(node)):
        links.append(links[-1].left)
    return links
