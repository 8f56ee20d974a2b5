"""The words of the language, and what to say about those outside the subset."""

QUALIFIERS = {"const": 1, "volatile": 2, "__restrict__": 0, "__restrict": 0}
BASIC = {
    "void", "bool", "char", "short", "int", "long", "float", "double", "signed",
    "unsigned",
}  # fmt: skip
SPECIFIERS = {
    "__global__", "__device__", "__host__", "__shared__", "__constant__",
    "__forceinline__", "__noinline__", "__inline__", "inline", "static", "constexpr",
    "extern", "__grid_constant__",
}  # fmt: skip
STORAGE = {"static", "extern"}
# Of each of these families a declaration has one word.
ONCE = (STORAGE, {"inline", "__inline__", "__forceinline__"}, {"constexpr"})
REFUSED = {
    "new": "use a local array, or shared memory",
    "delete": "use a local array, or shared memory",
    "try": "kernels have no exceptions",
    "catch": "kernels have no exceptions",
    "throw": "kernels have no exceptions",
    "namespace": "write names without a namespace",
    "virtual": "write a template over types",
    "typeid": "write the type",
    "dynamic_cast": "write static_cast",
    "friend": "write the function after the struct",
    "thread_local": "write a local variable",
    "__managed__": "write __device__",
    "concept": "write a template over types",
    "requires": "write a template over types",
    "co_await": "kernels have no coroutines",
    "noexcept": "leave it out: kernels have no exceptions",
    "wchar_t": "write int",
    "char16_t": "write unsigned short",
    "char32_t": "write unsigned int",
    "mutable": "leave it out",
    "register": "leave it out: the compiler chooses registers",
    "__tile__": "write a __global__ function",
    "__attribute__": "leave it out",
    "__maxnreg__": "write __launch_bounds__, or leave it out",
    "__cluster_dims__": "leave it out: blocks stand alone",
    "__block_size__": "leave it out: the launch says it",
}
KEYWORDS = (
    set(QUALIFIERS)
    | BASIC
    | SPECIFIERS
    | set(REFUSED)
    | {
        "if", "else", "for", "while", "do", "switch", "case", "default", "break",
        "continue", "return", "struct", "union", "enum", "typedef", "using", "template",
        "typename", "sizeof", "alignof", "static_cast", "reinterpret_cast",
        "const_cast", "true", "false", "nullptr", "auto", "static_assert", "this",
        "private", "public", "protected", "explicit", "export", "__launch_bounds__",
        "__align__", "alignas", "class", "operator", "asm", "__asm__", "goto",
        "decltype",
    }
)  # fmt: skip
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
SPELLED = {
    "and": "&&", "or": "||", "not": "!", "bitand": "&", "bitor": "|", "xor": "^",
    "compl": "~", "not_eq": "!=", "and_eq": "&=", "or_eq": "|=", "xor_eq": "^=",
}  # fmt: skip
# How tightly each binary operator binds.
LEVELS = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7,
    "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
