"""The plain product."""

from dataclasses import replace

from grading.exercise import checks, mistakes
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


ONTO = (
    "c is added to as it was: nobody has set it to 0. Add up in a variable that begins "
    "with 0, and write once"
)
mistakes(matmul_naive)(f"""
swapped: rows and columns are swapped: row is y, column is x. So row comes of
    blockIdx.y, blockDim.y and threadIdx.y, and col of those of x
> row = -> _ =
& col = -> row =
& _ = -> col =
other_block: the rows are counted in blockDim.x: along y a block has blockDim.y threads
> blockIdx.y * blockDim.y -> blockIdx.y * blockDim.x
turned: c is written down its columns: a row of c has N elements, so c[row, col] is
    number row * N + col
> c[row * N + col] -> c[col * M + row]
no_column_guard: only rows are guarded: a column past N lands at the beginning of the
    next row, which belongs to another thread
> row >= M || col >= N -> row * N + col >= M * N
a_wide: a is read as if its rows had N elements: they have K, so a[row, k] is number row
    * K + k
> a[row * K -> a[row * N
b_wide: b is read as if its rows had K elements: they have N, so b[k, col] is number k *
    N + col
> b[k * N -> b[k * K
b_rows: a row of b is used, not a column: that is a times b transposed
> b[k * N + col] -> b[col * K + k]
last_only: the sum is overwritten: each k adds its product, sum += ...
> sum += -> sum =
not_zero: with K = 0 nothing is written: a sum of no products is 0
> c[row * N + col] = -> if (K > 0) c[row * N + col] =
> c[row * N + col] = sum; ->
& sum += -> c[row * N + col] = sum +=
skipped: factors of 0 are left out: 0 times infinity is NaN, and belongs to the sum
> sum += a -> if (a[row * K + k] != 0) sum += a
one_too_few: the loop ends too early: k runs to K - 1
> < K -> < K - 1
from_one: the loop begins with k = 1: the first is 0
> k = 0 -> k = 1
onto_c: {ONTO}
> ] = sum -> ] += sum
onto_c_each: {ONTO}
> c[row * N + col] = sum; ->
& sum += a -> c[row * N + col] += a
no_guard: a thread goes outside a matrix: row must be below M, col below N, k below K
! out-of-bounds
> if (row >= M || col >= N) return; ->
> row >= M || col >= N -> row >= M && col >= N
> row >= M || col >= N -> row > M || col > N
> row >= M -> blockIdx.y == gridDim.y - 1 && row >= M
& col >= N -> blockIdx.x == gridDim.x - 1 && col >= N
right: four sums in turn
> float sum = 0.0f -> float sums[4] = {{}}
& sum += a -> sums[k % 4] += a
& = sum; -> = sums[0] + sums[1] + (sums[2] + sums[3]);
right: a loop over the grid, the last k first, by pointers
>
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (; row < M; row += gridDim.y * blockDim.y) {{
        for (int j = col; j < N; j += gridDim.x * blockDim.x) {{
            const float *p = a + (row + 1) * K, *q = b + K * N + j;
            double sum = 0.0;
            for (int k = K; k > 0; k--) {{
                p -= 1;
                q -= N;
                sum = fma((double)*p, (double)*q, sum);
            }}
            c[row * N + j] = sum;
        }}
    }}
""")
