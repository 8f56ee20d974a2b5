"""Build the site into build/site/html: `make site`, or `python site/build.py`."""

import subprocess
import sys
from pathlib import Path

SITE = Path(__file__).parent
FOLDER = SITE.parent / "build" / "site"


def main(words):
    """Write the pages, and have Sphinx build them. words: for sphinx-build."""
    sys.path[:0] = [str(SITE.parent), str(SITE)]
    import pages

    pages.write(FOLDER)
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going"]
    command += ["--quiet", "-c", SITE, "-d", FOLDER / "doctrees", *words]
    sys.exit(subprocess.call([*command, FOLDER / "source", FOLDER / "html"]))


if __name__ == "__main__":
    main(sys.argv[1:])
