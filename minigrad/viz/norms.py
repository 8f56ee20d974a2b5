"""Which numbers share a mean and a variance, in each kind of normalization."""

from .windows import Grid, drawn

WORDS = "a box: all pixels of a channel in a sample; marked: one mean and one variance"


def norm_axes(samples=4, channels=4, groups=2):
    """Draw what batch, layer, instance and group norm each average over.

    Rows are samples of a batch, columns are channels.
    """
    in_group = channels // groups
    shared = {
        "batch norm": lambda n, c: c == 0,
        "layer norm": lambda n, c: n == 0,
        "instance norm": lambda n, c: n == 0 and c == 0,
        f"{groups} groups": lambda n, c: n == 0 and c < in_group,
    }
    grids = [
        Grid(name, {(n, c): ("marked" if is_in(n, c) else "unused", "", "")
                    for n in range(samples) for c in range(channels)})
        for name, is_in in shared.items()
    ]  # fmt: skip
    heading = "rows are samples, columns are channels"
    alt = (
        f"{samples} samples of {channels} channels. Batch norm averages over a channel "
        f"of all samples, layer norm over all channels of a sample, instance norm over "
        f"a channel of a sample, group norm over {in_group} channels of a sample."
    )
    return drawn(heading, [[grid] for grid in grids], [("marked", WORDS)], alt)
