"""Why a GPU counts other traffic than the simulator, which does what the text says.

Each reason was found in the kernel's text and in what the compiler makes of it. It
stands in the table only if it can explain the numbers: what a value kept in a register
saves cannot make a count larger.
"""

import dataclasses

LESS, MORE = -1, 1  # on the GPU


@dataclasses.dataclass(frozen=True)
class Reason:
    """signs: in which direction each count may differ."""

    text: str
    signs: dict

    def explains(self, count, sign):
        return sign in self.signs.get(count, ())


def each(*signs):
    return dict.fromkeys(("sectors", "requests", "bank_passes"), signs)


REASONS = {
    "kept": Reason(
        "what the text reads twice, or reads after it has written it, stays in a "
        "register", each(LESS),
    ),
    "joined": Reason(
        "a thread's reads of neighbouring elements become one of up to 16 bytes",
        each(LESS),
    ),
    "chosen": Reason(
        "two reads of which `? :` needs one become one read of the chosen address",
        {"requests": (LESS,)},
    ),
    "moved": Reason(
        "work whose result only an `if` needs is done inside it, so the warps that "
        "skip it read less", each(LESS),
    ),
    "unrolled": Reason(
        "four rounds of a loop are made one, the odd rounds first. In the warp where "
        "some threads have one round more than the others, these are then a round "
        "apart, so each access touches the sectors of two rounds", each(MORE),
    ),
    "turns": Reason(
        "threads of a warp that change the same element atomically take turns, and a "
        "GPU counts a sector for each turn", {"sectors": (MORE,)},
    ),
    "order": Reason(
        "how often a loop around atomicCAS runs depends on the order of the warps",
        {"sectors": (LESS, MORE), "requests": (LESS, MORE)},
    ),
    "again": Reason(
        "where several blocks of a multiprocessor read global memory at the same time "
        "some passes are made again; how many changes from run to run",
        {"bank_passes": (MORE,)},
    ),
    "printf": Reason(
        "a GPU writes what is printed into a buffer in global memory; the atomic "
        "operations for that are counted among the bank passes",
        each(MORE),
    ),
}  # fmt: skip

WHY = {
    "adam": ["kept"],
    "atomic_max_float": ["turns", "order"],
    "bfloat_sum": ["turns"],
    "debug_print": ["printf"],
    "histogram": ["kept"],
    "layernorm": ["kept"],
    "matmul_tiled": ["joined"],
    "saxpy_grid_stride": ["unrolled"],
    "softmax": ["kept"],
    "stencil_1d": ["moved"],
    "solutions/01_threads: grid_stride": ["kept", "unrolled"],
    "solutions/02_memory: fix_the_race": ["kept"],
    "solutions/04_elementwise: where_compare": ["chosen"],
    "solutions/05_reductions: sum_dim": ["kept"],
    "solutions/05_reductions: max_argmax": ["kept"],
    "solutions/05_reductions: online_softmax": ["kept"],
    "solutions/05_reductions: layer_norm": ["kept"],
    "solutions/06_matmul: matmul_tiled": ["joined"],
    "solutions/06_matmul: matmul_batched": ["joined"],
    "solutions/07_convolution: col2im": ["turns"],
    "solutions/07_convolution: conv2d_gemm": ["joined"],
    "solutions/07_convolution: max_pool2d_backward": ["turns"],
    "solutions/09_nn: cross_entropy_forward": ["kept"],
    "lessons/01_threads: hello": ["printf"],
    "lessons/01_threads: strided": ["unrolled"],
    "lessons/02_memory: count": ["turns"],
    "lessons/04_elementwise: binary": ["printf"],
    "lessons/05_reductions: sum_all": ["again"],
    "lessons/05_reductions: layer_norm": ["kept"],
    "lessons/06_matmul: matmul_tiled": ["joined"],
    "lessons/06_matmul: matmul_batched": ["joined"],
}
UNKNOWN = "?"


def why(label, ours, theirs):
    """The words for a row: nothing where the counts are equal, "?" where no reason
    that is known for this kernel explains them."""
    words = WHY.get(label, [])
    for count in ours:
        sign = (theirs[count] > ours[count]) - (theirs[count] < ours[count])
        if sign and not any(REASONS[word].explains(count, sign) for word in words):
            return UNKNOWN
    return "" if ours == theirs else ", ".join(words)


def legend(rows):
    """What the words of the table's last column mean, as a list."""
    used = {word for row in rows for word in row[-1].split(", ")}
    lines = [f"- **{word}**: {r.text}." for word, r in REASONS.items() if word in used]
    if UNKNOWN in used:
        lines.append(f"- **{UNKNOWN}**: not explained yet.")
    return "\n".join(lines)
