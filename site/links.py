"""Links of a page: to another page, or else to the repository."""

import posixpath
import re

from grading.notebooks import build
from minigrad import course

# Code isn't changed; what is in brackets may be an image, with a link around it.
CODE_OR_LINK = re.compile(
    r"^(?P<fence>```+|~~~+).*?^(?P=fence)|`[^`\n]+`|\]\((?P<target>[^)\s]+)\)",
    re.M | re.S,
)
BADGE = re.compile(rf"\n*\[!\[[^]]*\]\({re.escape(build.BADGE)}\)\]\([^)]*\)")


class BrokenLink(Exception):
    """A page links to a file that isn't there."""


def for_the_site(text, path, pages):
    """Return a page's Markdown with its links as the site has them, without badges.

    path: of the page, from the course's folder. pages: {path of a page: the path that
    the site has it under}. Other files are linked to in the repository.
    """

    def target(match):
        if match["target"] is None or is_outside(match["target"]):
            return match[0]
        return f"]({moved(match['target'], path, pages)})"

    return CODE_OR_LINK.sub(target, BADGE.sub("", text))


def is_outside(target):
    """Does a link need no change: to another host, or within the page?"""
    return target.startswith("#") or re.match(r"\w+:", target)


def moved(target, path, pages):
    """Return the target of a link from the page at `path`."""
    name, mark, anchor = target.partition("#")
    there = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    if there in pages:
        here = posixpath.dirname(pages[path])
        return posixpath.relpath(pages[there], here or ".") + mark + anchor
    if not (course.home() / there).exists():
        raise BrokenLink(f"{path} links to {target}, and there's no {there}")
    if there.endswith((".png", ".svg")):
        return target
    return in_repository(there) + mark + anchor


def in_repository(path):
    """The address of a file or folder of the course."""
    kind = "tree" if (course.home() / path).is_dir() else "blob"
    address = build.settings()
    return f"{address['repository']}/{kind}/{address['tag']}/{path}"
