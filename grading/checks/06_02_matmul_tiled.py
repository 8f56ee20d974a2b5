"""The product with tiles; reads and sectors are counted."""

from grading.exercise import checks
from minigrad.kernels.matmul import matmul_tiled

from .products import TILE, TiledCheck, three_sizes, whole


@checks(matmul_tiled)
class MatmulTiled(TiledCheck):
    """Leaves out blocks but 16 x 16 and M or N of 0: the contract has neither."""

    def cases(self, random):
        for part, *three in three_sizes(random):
            yield part, self.launch(random, *three, (TILE, TILE))
        yield self.odd(random, (TILE, TILE))

    def limits(self, blocks, K):  # noqa: N803
        reads = whole(blocks, K)  # a row of 16 floats lies in three sectors at most
        return {"reads": reads, "sectors": 3 * (reads + TILE * TILE * blocks) // 16}
