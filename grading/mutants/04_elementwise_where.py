"""Chapter 04, where_compare: wrong answers that learners write, and right ones."""

from grading.checks.strided import GUARD, MY_I, OFFSET_OF, text_of
from grading.specimens import mutant, right
from minigrad.kernels.elementwise import where_compare

SIX = {"equal": "a == b", "not_equal": "a != b", "less": "a < b",
       "less_equal": "a <= b", "greater": "a > b",
       "greater_equal": "a >= b"}  # fmt: skip
READ = "T u = a[offset_of(i, a_view)], v = b[offset_of(i, b_view)];"
CHOOSE = "y[i] = OP(u, v) ? p[offset_of(i, p_view)] : q[offset_of(i, q_view)];"


def text(body=f"{GUARD} {READ} {CHOOSE}", **other):
    six = "".join(
        f"__device__ bool {name}(T a, T b) {{ return {other.get(name, say)}; }}\n"
        for name, say in SIX.items()
    )
    return text_of(where_compare, body, f"{OFFSET_OF}{six}")


def wrong(cause, *body, title=None, **other):
    mutant(where_compare, cause, title)(text(*body, **other))


wrong("nan_equal", equal="!(a < b || b < a)")
wrong("nan_is_nan", equal="a == b || isnan(a + b) && isnan(a) && isnan(b)",
      not_equal="!equal(a, b)")  # fmt: skip
wrong("negated", less_equal="!(b < a)", greater_equal="!(a < b)")
wrong("negated", greater_equal="!less(a, b)", less_equal="!(a > b)",
      title="by the other functions")  # fmt: skip
wrong("unequal_by_order", not_equal="a > b || b > a")
wrong("one_comparison",
      f"{GUARD} {READ} {CHOOSE}".replace("OP(u, v)", "less(u, v)"))  # fmt: skip
wrong("strict", less_equal="b > a", greater_equal="a > b")
wrong("exchanged", f"{GUARD} {READ} {CHOOSE}".replace("OP(u, v)", "OP(v, u)"))
wrong("wrong_way", f"{GUARD} {READ} {CHOOSE}".replace("OP(u, v)", "!OP(u, v)"))
wrong(
    "blended",
    f"""{GUARD} {READ} T c = OP(u, v);
      y[i] = c * p[offset_of(i, p_view)] + (1 - c) * q[offset_of(i, q_view)];""",
)
wrong("flat_choice", f"{GUARD} {READ} y[i] = OP(u, v) ? p[i] : q[i];")
wrong("flat_operands",
      f"{GUARD} T u = a[i], v = b[i]; {CHOOSE}")  # fmt: skip
wrong("one_view", f"{GUARD} int k = offset_of(i, a_view); "
      "y[i] = OP(a[k], b[k]) ? p[k] : q[k];")  # fmt: skip
wrong("only_condition", f"{GUARD} {READ} y[i] = OP(u, v);")
wrong("in_float", f"{GUARD} {READ} {CHOOSE}".replace("T u", "float u"))
wrong("no_guard", f"{MY_I} {READ} {CHOOSE}")
wrong("compile", f"{GUARD} {READ} y[i] = p[i] if OP(u, v) else q[i];",
      title="Python's if")  # fmt: skip
wrong("nothing", f"{GUARD} {READ} OP(u, v);")

right(where_compare, "early return")(text())
right(where_compare, "by if")(
    text(
        f"""{MY_I}
    if (i < n) {{
        {READ}
        if (OP(u, v)) y[i] = p[offset_of(i, p_view)];
        else y[i] = q[offset_of(i, q_view)];
    }}""",
        greater="b < a",
        greater_equal="b <= a",
        not_equal="!(a == b)",
    )
)
right(where_compare, "by pointers")(
    text(
        f"""{GUARD} {READ}
    const T* from = q + offset_of(i, q_view);
    if (OP(u, v)) from = p + offset_of(i, p_view);
    y[i] = *from;""",
        less_equal="a < b || a == b",
    )
)
