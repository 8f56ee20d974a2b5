"""Markdown and code of students as HTML that only shows itself; it runs in the box.

What a page may cost is limited by its process, not here. Cleaning knows a few tags,
and neither ids, classes, nor styles, so a text covers, hides, and imitates nothing.
"""

import re

import mistune
import nh3
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from . import codec, locks
from .safe_text import visible

LIMITS = {"RLIMIT_AS": 3 * 2**29, "RLIMIT_CPU": 10}  # of a page
LONGEST = 4 * 2**20  # characters of HTML on a page
MOST, DEEPEST = 50_000, 100  # tags of a text, and tags in each other
TAG, VOID = re.compile(r"<(/?)([a-z]\w*)"), {"br", "hr", "img"}
TAGS = {
    "a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "del", "details",
    "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img",
    "kbd", "li", "ol", "p", "pre", "q", "s", "samp", "small", "span", "strong", "sub",
    "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul",
    "var",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"alt", "height", "src", "title", "width"},
    "ol": {"start"},
    "td": {"colspan", "rowspan", "style"},
    "th": {"colspan", "rowspan", "style"},
}
ALIGNED = re.compile(r"text-align: ?(?:left|center|right);?")
GONE = {"script", "style", "svg", "math", "title", "template", "noscript", "iframe",
        "object", "select", "textarea", "xmp"}  # fmt: skip
PICTURES = tuple(
    f"data:image/{kind};base64," for kind in ("gif", "jpeg", "png", "webp")
)
IMAGE = re.compile(r'<img((?: [a-z]+="[^"]*")*)>')
CODE = HtmlFormatter(cssclass="highlight")


def main(line, parts):
    """Say the HTML of each [kind, text]; None where it is too much for a page."""
    locks.limit(LIMITS)
    pages, left = [], LONGEST
    for kind, text in parts:
        page = KINDS[kind](text)
        fits = len(page) <= left and _is_flat(page)
        left -= len(page) * fits
        pages.append(page if fits else None)
    line.send(codec.encode(pages))


def markdown(text):
    """Markdown as HTML; what is attached, or on another server, is left out."""
    return clean(_markdown(visible(text)))


def code(text):
    """Code with the classes of Pygments' colors."""
    return highlight(visible(text), PythonLexer(stripnl=False), CODE)


def clean(text):
    """HTML without all that could run, load, hide, or lead astray."""
    cleaned = nh3.clean(
        text,
        tags=TAGS,
        clean_content_tags=GONE,
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"data", "http", "https", "mailto"},
    )
    return IMAGE.sub(_image, cleaned)


def _image(match):
    """The image; its description, where it's elsewhere and therefore not shown."""
    attributes = dict(re.findall(r' ([a-z]+)="([^"]*)"', match[1]))
    if "src" in attributes:
        return match[0]
    alt = attributes.get("alt", "")
    return alt.replace("<", "&lt;").replace(">", "&gt;")


def _attribute(tag, name, value):
    """The value that an attribute may have, or None."""
    if name == "src":
        return value if value.startswith(PICTURES) else None
    if name == "style":
        return value if ALIGNED.fullmatch(value) else None
    if name == "href":
        return None if value.strip().lower().startswith("data:") else value
    return value


def _is_flat(text):
    """Has the HTML few tags, and few in each other? Browsers take long for others."""
    tags, depth = TAG.findall(text), 0
    for end, name in tags:
        depth += 0 if name in VOID else -1 if end else 1
        if depth > DEEPEST:
            return False
    return len(tags) <= MOST


_markdown = mistune.create_markdown(
    escape=False, plugins=["strikethrough", "table", "task_lists"]
)
KINDS = {"markdown": markdown, "code": code}
