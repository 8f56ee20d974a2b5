"""Graphs that the checks of chapter 12 draw."""


class Layered:
    """A graph of so many operations, each of which uses up to three earlier ones."""

    def __init__(self, random, count):
        self.edges = {0: []}
        for n in range(1, count):
            uses = random.sample(range(n), min(n, random.choice([0, 1, 1, 2, 2, 3])))
            self.edges[n] = sorted(uses, key=lambda _: random.random())
        self.last = count - 1

    @staticmethod
    def ladder(steps):
        """Diamonds on top of each other: 2 ** steps ways from top to bottom."""
        edges = {0: []}
        for n in range(0, 3 * steps, 3):
            edges |= {n + 1: [n], n + 2: [n], n + 3: [n + 1, n + 2]}
        return edges
