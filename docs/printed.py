"""What the documents print is what the program prints.

    python docs/printed.py [--write]

The blocks ```python of a page run one after the other, as in a notebook. Where a block
```text follows, it must be what was printed; --write makes it so.
"""

import contextlib
import io
import re
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
OF_CUDASIM = [HOME / "cudasim" / name for name in ("README.md", "docs/simulator.md")]
PAGES = [HOME / "README.md", *OF_CUDASIM]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def filled(text):
    """The page with what its blocks print now."""
    names = {"__name__": "__main__"}

    def printed(match):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(match[1], names)
        code = f"```python\n{match[1]}```\n"
        shown = "".join(
            f"{x.rstrip()}\n" for x in output.getvalue().rstrip().splitlines()
        )
        return f"{code}\n```text\n{shown}```\n" if shown else code

    return BLOCK.sub(printed, text)


def main(arguments):
    """Write the pages, or name those that are stale; 1 where there is one."""
    sys.path.insert(0, str(HOME))
    stale = []
    for page in PAGES:
        old = page.read_text(encoding="utf-8")
        new = filled(old)
        if new != old:
            stale.append(page)
            if "--write" in arguments:
                page.write_text(new, encoding="utf-8")
    for page in stale:
        done = "written" if "--write" in arguments else "is stale"
        print(f"{page.relative_to(HOME)}: {done}")
    return 1 if stale and "--write" not in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
