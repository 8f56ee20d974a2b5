"""Text from submissions, for tables and screens: it shows itself, and does nothing.

A spreadsheet takes a cell for a formula by its first character. Which character that
is depends on the separator and the quotes that the file is opened with. So text is made
harmless after everything that it could be split at.
"""

import re
import unicodedata

SPLITS = ",;|\t\n:\"'`\\/^~#&%$*"  # beside blanks
FORMULA = "=+-@＝＋－＠﹦﹢﹣﹫"
GAP = rf"[\s{re.escape(SPLITS)}]"
STARTS = re.compile(rf"(^|(?<!{GAP}){GAP}++)([{re.escape(FORMULA)}])")
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
WORD = re.compile(rf"(?:[{re.escape(FORMULA)}]+|{NUMBER.pattern})(?!\S)")
KEPT = "\n\t\u200c\u200d"  # joiners belong to names and emoji, and change no order
LONGEST = 30_000  # characters; a cell of Excel's holds 32,767


def visible(text):
    """The text, with `\\x1b` and the like in place of control characters."""
    return "".join(c if _is_shown(c) else _escape(c) for c in str(text))


def cell(text):
    """Text for a cell of a table that no spreadsheet takes for a formula."""
    return defused(visible(text)[:LONGEST])


def defused(text):
    """The text with a mark before, or a minus sign for, what starts a formula."""
    if NUMBER.fullmatch(text) or text.strip() in (*FORMULA, ""):
        return text
    return STARTS.sub(_defused, text)


def _defused(match):
    before, sign = match.groups()
    blank = match.start() and not set(before) & set(SPLITS)
    if blank and WORD.match(match.string, match.end(1)):
        return match[0]
    return before + ("\N{MINUS SIGN}" if sign == "-" else f"’{sign}")


def _is_shown(character):
    hidden = "Cc", "Cf", "Cs", "Zl", "Zp"  # controls, formats, halves, line separators
    return character in KEPT or unicodedata.category(character) not in hidden


def _escape(character):
    return character.encode("unicode_escape").decode()
