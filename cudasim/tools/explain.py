"""The counts as sentences."""


def explain(counts):
    """One line of text for each place in the kernel that costs more than it must."""
    return [
        f"line {line}:{column}: {text}"
        for (line, column), seen in sorted(counts.get("lines", {}).items())
        for text in _texts(seen)
    ]


def _texts(seen):
    """The sentences about one place."""
    if seen.get("sectors", 0) > seen.get("ideal_sectors", 0):
        yield _sectors(seen)
    if seen.get("bank_passes", 0) > seen.get("shared_requests", 0):
        passes = seen["bank_passes"] / seen["shared_requests"]
        yield f"{_short(passes)} passes through the banks a request, 1 would do"
    if seen.get("divergent_branches"):
        split, busy = seen["divergent_branches"], seen["branches"]
        yield f"{split} of {busy} warps disagree on this condition"


def _sectors(seen):
    requests, sectors, ideal = (
        seen[k] for k in ("requests", "sectors", "ideal_sectors")
    )
    return (
        f"{_short(sectors / requests)} sectors a request, "
        f"{_short(ideal / requests)} would do "
        f"({round(100 * ideal / sectors)} % of fetched bytes are used)"
    )


def _short(number):
    return f"{number:.1f}".removesuffix(".0")
