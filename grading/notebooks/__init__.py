"""Labs and lessons, built from their sources in solutions/ and lessons/.

Imports checking.
"""

import sys

# jsonschema, which nbformat imports, checks IRIs by it. No notebook has any, and its
# grammar takes a second to import: many, where a machine is busy.
sys.modules.setdefault("rfc3987_syntax", None)
