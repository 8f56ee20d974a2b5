"""Numbers and shapes in few characters."""


def count(number, noun):
    """3 cells, 1 cell, 65,536 cells."""
    plural = "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{'' if number == 1 else plural}"


def text_of(value):
    """A value in few characters."""
    if isinstance(value, complex):
        return f"{value:.2g}"
    text = str(value)
    short = f"{value:.3g}" if isinstance(value, float) else text
    if isinstance(value, int) and len(text) > 6:
        mantissa = text.lstrip("-")
        short = f"{'-' * (value < 0)}{mantissa[0]}.{mantissa[1]}e{len(mantissa) - 1}"
    return short


def sized(shape):
    return " x ".join(map(str, shape))


def cut_text(text, room):
    return text if len(text) <= room else text[: room - 1] + "\u2026"
