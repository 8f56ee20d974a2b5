"""The plain product."""

from dataclasses import replace

from grading.exercise import checks
from minigrad.kernels.matmul import matmul_naive

from .products import ProductCheck, three_sizes


@checks(matmul_naive)
class MatmulNaive(ProductCheck):
    """Leaves out limits of reads and M or N of 0: the contract has neither; and a K of
    more than 999, which takes a thread a second.
    """

    def cases(self, random):
        for part, M, N, K in three_sizes(random):
            if K < 999:
                yield part, self.launch(random, M, N, K, (16, 16))
        for block in [(32, 4), (8, 8), (64, 1), (5, 7), (1, 1), (2, 512)]:
            yield "blocks of any shape", self.launch(random, 20, 25, 12, block)
        launch = self.launch(random, 20, 45, 12, (16, 16))
        yield "blocks of any shape", replace(launch, grid=(4, 3))  # one to spare
        yield self.odd(random, (16, 16))
