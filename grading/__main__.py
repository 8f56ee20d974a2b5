"""`python -m grading`: the instructor's command line."""

import sys

# jsonschema checks IRIs by it, which no notebook has; importing it takes a second.
sys.modules.setdefault("rfc3987_syntax", None)

from .cli import main  # noqa: E402

if __name__ == "__main__":
    main()
