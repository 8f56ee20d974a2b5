"""What Python's words are in C: the note of an error in a line that has one."""

import re

NAMES = {
    "True": "it is true in C",
    "False": "it is false in C",
    "None": "a pointer to nothing is nullptr in C; a kernel returns nothing",
    "len": "an array has no length in C: it is a parameter of its own, mostly n",
    "print": r'it is printf in C, with a format: printf("%d %f\n", i, x[i])',
    "pass": "an empty block is {} in C",
    "sum": "C adds up in a loop",
    "inf": "it is INFINITY in C",
}
BLOCK = "C has parentheses and braces: if (i < n) { ... }, while (i < n) { ... }"
FORMS = {
    r"\b(?!(?:float|double|int|char|void|T)\b)\w+[\])]*\s*\*\*\s*[\w(]": (
        "C has no power operator: write x * x, or powf(x, y)"
    ),
    r"^\s*#\s|[;{})]\s*#": "a comment begins with // in C",
    r"\belif\b": "it is else if (...) in C",
    r"\bfor\s+\w+\s+in\b|\brange\s*\(": "C counts: for (int i = 0; i < n; i++) { ... }",
    r"(=|\breturn\b)[^;{}=]+ if [^;{}]+ else ": "it is condition ? one : other in C",
    r"\b(if|while)\b[^;{?:]*:(?!:)|\belse\s*:|\b(if|while)\s+[^(\s]": BLOCK,
    r"\bdef\s+\w+\s*\(": "a function begins with its type: __device__ float f(float x)",
    r"^\s*(import|from)\s+\w": "nothing is imported in C: sqrtf, expf, fmaxf are there",
    r"[\w\])] is (not )?\w": "C compares with == and !=",
    r"\blambda\b": "write a __device__ function",
}
DIVIDED = re.compile(r"[\w\])]\s*//\s*[\w(][^;]*;\s*$")
DIVISION = (
    "// begins a comment in C. To divide write /, which drops the fraction between ints"
)


def python_note(message, line):
    """What stands in C for Python's word or form in a line that is refused, or ""."""
    for name in re.findall(r"['\"](\w+)['\"]", message):
        if name in NAMES:
            return NAMES[name]
    if DIVIDED.search(line):
        return DIVISION
    code = re.sub(r'"[^"]*"|//.*', "", line)
    return next((said for form, said in FORMS.items() if re.search(form, code)), "")
