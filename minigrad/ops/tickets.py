from ..launch import counters as tickets  # noqa
