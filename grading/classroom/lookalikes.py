"""Names that a person would take for another student's, or that hide something."""

import re
import unicodedata

from ..isolation.safe_text import visible

# A letter, then what looks like it: from Unicode's list of confusables (UTS 39).
ALIKE = """\
2ƧϨꙄꝚ 3ƷȜЗӠⳌꝪꞫ 4Ꮞ 5Ƽ 6бᏮⳒ 8Ȣȣ 9ⳊꝮ AΑАᎪ BΒВᏴꞴ CϹСᏟⲤ DᎠ EΕЕᎬ FϜꞘ GԌᏀᏳ HΗНᎻⲎ
JͿЈᎫꞲ KΚКᏦⲔ LᏞⳐ MΜϺМᎷⲘ NΝⲚ O0ΟОՕⲞ PΡРᏢⲢ RƦᎡᏒ SЅՏᏕᏚ TΤТᎢⲦ UՍ VѴᏙ WԜᎳᏔ XΧХⲬꞳ
YΥϒУҮᎩᎽⲨ ZΖᏃ𐋵 aɑαа bƄЬᏏ cϲсᴄⲥꮯ dԁᏧ eеҽꬲ fքẝꞙꬵ gƍɡցᶃ hһհᏂ iıɩɪιіӏᎥꙇꭵ jϳј
lI1|ƖǀΙІӀⲒ nոռ oοσоօᴏᴑⲟꬽ pρϱрⲣ qԛգզ rгᴦⲅꭇꭈꮁ sƽѕꜱꮪ uʋυսᴜꞟꭎꭒ vνѵᴠꮩ wɯѡԝաᴡꮃ xх
yɣʏγуүᶌỿꭚ zᴢꮓ"""
LETTERS = {ord(c): group[0] for group in ALIKE.split() for c in group[1:]}
ALPHABETS = {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"}
FEW = 3  # names, or characters, that a note has


def skeleton(name):
    """What is left of a name for the eye: the same for all that look like it."""
    text = unicodedata.normalize("NFKD", name).translate(LETTERS).casefold()
    letters = "".join(c for c in text if c.isalnum()).translate(LETTERS)
    return letters.replace("rn", "m").replace("vv", "w")


def note(name, others):
    """What to say of a student's name, or "". others: names with its skeleton."""
    others = sorted(other for other in others if other != name)
    if others:
        has = _named(set(name) - set().union(*others))
        return f"looks like {' and '.join(others[:FEW])}" + (
            f", but has {has}" * bool(has)
        )
    if visible(name) != name:
        return f"has hidden characters: {visible(name)}"
    for word in re.findall(r"[^\W\d_]+", name):
        alphabets = {unicodedata.name(c, "").partition(" ")[0] for c in word}
        if len(alphabets & ALPHABETS) > 1:
            return f"mixes letters: {_named(set(word))}"
    return ""


def _named(characters):
    """The names of those that a keyboard does not have."""
    odd = sorted(c for c in characters if not c.isascii())
    return ", ".join(unicodedata.name(c, f"U+{ord(c):04X}") for c in odd[:FEW])
