"""Build the site: `make site`, or `python site/build.py [gettext | LANGUAGE]`.

In English it goes to build/site/html, and in another language, such as zh_CN, to a
folder below that. With `gettext`, what's to be translated goes to build/site/gettext.
"""

import fcntl
import subprocess
import sys
from pathlib import Path

SITE = Path(__file__).parent
FOLDER = SITE.parent / "build" / "site"
COMMAND = [
    sys.executable,
    "-m",
    "sphinx",
    "--fail-on-warning",
    "--keep-going",
    "--quiet",
]


def main(words):
    """Write the pages, and have Sphinx build them."""
    sys.path[:0] = [str(SITE.parent), str(SITE)]
    import pages

    FOLDER.mkdir(parents=True, exist_ok=True)
    lock = (FOLDER / "lock").open("w")  # held until this process ends
    fcntl.flock(lock, fcntl.LOCK_EX)
    pages.write(FOLDER)
    languages = [path.name for path in (SITE / "locale").glob("*") if path.is_dir()]
    for word in words or ["", *sorted(languages)]:
        status = subprocess.call([*COMMAND, *options(word)])
        if status:
            sys.exit(status)


def options(word):
    """Sphinx's arguments for "gettext", a language, or "", which is English."""
    trees = FOLDER / "doctrees" / word
    if word == "gettext":
        where = ["-b", "gettext", FOLDER / "source", FOLDER / "gettext"]
    else:
        language = ["-D", f"language={word}"] * bool(word)
        where = [*language, FOLDER / "source", FOLDER / "html" / word]
    return ["-c", SITE, "-d", trees, *where]


if __name__ == "__main__":
    main(sys.argv[1:])
