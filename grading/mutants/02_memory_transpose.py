"""Chapter 02, a transpose: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.memory import transpose_tiled


def turn(body):
    return (
        "__global__ void transpose_tiled(const float* x, float* y, int rows, int cols)"
        " {\n    int tx = threadIdx.x, ty = threadIdx.y;\n"
        "    int top = blockIdx.y * 32, left = blockIdx.x * 32;\n" + body + "}\n"
    )


IN = """
    for (int k = ty; k < 32; k += blockDim.y)
        if (top + k < rows && left + tx < cols)
            tile[k][tx] = x[(top + k) * cols + left + tx];
"""
OUT = """
    for (int k = ty; k < 32; k += blockDim.y)
        if (left + k < cols && top + tx < rows)
            y[(left + k) * rows + top + tx] = tile[tx][k];
"""
TILE, BARRIER = "    __shared__ float tile[32][33];\n", "    __syncthreads();\n"

mutant(transpose_tiled, "strided", "no tile at all")(
    turn("""
    for (int k = ty; k < 32; k += blockDim.y)
        if (top + k < rows && left + tx < cols)
            y[(left + tx) * rows + top + k] = x[(top + k) * cols + left + tx];
""")
)
mutant(transpose_tiled, "strided", "the write runs down a column")(
    turn(
        TILE
        + IN
        + BARRIER
        + """
    for (int k = ty; k < 32; k += blockDim.y)
        if (left + tx < cols && top + k < rows)
            y[(left + tx) * rows + top + k] = tile[k][tx];
"""
    )
)
mutant(transpose_tiled, "strided", "the read runs down a column")(
    turn(
        TILE
        + """
    for (int k = ty; k < 32; k += blockDim.y)
        if (top + tx < rows && left + k < cols)
            tile[k][tx] = x[(top + tx) * cols + left + k];
"""
        + BARRIER
        + OUT.replace("tile[tx][k]", "tile[k][tx]")
    )
)
mutant(transpose_tiled, "no_padding")(
    turn("    __shared__ float tile[32][32];\n" + IN + BARRIER + OUT)
)
mutant(transpose_tiled, "no_padding", "padded by 32")(
    turn("    __shared__ float tile[32][64];\n" + IN + BARRIER + OUT)
)
mutant(transpose_tiled, "no_padding", "padded below")(
    turn("    __shared__ float tile[33][32];\n" + IN + BARRIER + OUT)
)
mutant(transpose_tiled, "no_barrier")(turn(TILE + IN + OUT))
mutant(transpose_tiled, "no_barrier", "barrier behind the loops")(
    turn(TILE + IN + OUT + BARRIER)
)
mutant(transpose_tiled, "barrier_in_if")(
    turn(
        TILE
        + """
    for (int k = ty; k < 32; k += blockDim.y)
        if (top + k < rows && left + tx < cols) {
            tile[k][tx] = x[(top + k) * cols + left + tx];
            __syncthreads();
        }
"""
        + BARRIER
        + OUT
    )
)
mutant(transpose_tiled, "no_guard")(
    turn(
        TILE
        + IN.replace("if (top + k < rows && left + tx < cols)", "")
        + BARRIER
        + OUT.replace("if (left + k < cols && top + tx < rows)", "")
    )
)
mutant(transpose_tiled, "no_guard", "the first guard twice")(
    turn(
        TILE
        + IN
        + BARRIER
        + OUT.replace(
            "left + k < cols && top + tx < rows", "top + k < rows && left + tx < cols"
        )
    )
)
mutant(transpose_tiled, "not_filled", "half of the tile's rows")(
    turn(TILE + IN.replace("k < 32", "k < 16") + BARRIER + OUT)
)
mutant(transpose_tiled, "first_rows")(
    turn(
        TILE
        + """
    if (top + ty < rows && left + tx < cols)
        tile[ty][tx] = x[(top + ty) * cols + left + tx];
    __syncthreads();
    if (left + ty < cols && top + tx < rows && tx < blockDim.y)
        y[(left + ty) * rows + top + tx] = tile[tx][ty];
"""
    )
)
mutant(transpose_tiled, "copied")(
    turn("""
    for (int k = ty; k < 32; k += blockDim.y)
        if (top + k < rows && left + tx < cols)
            y[(top + k) * cols + left + tx] = x[(top + k) * cols + left + tx];
""")
)
mutant(transpose_tiled, "blocks_swapped")(
    turn(
        "    top = blockIdx.x * 32, left = blockIdx.y * 32;\n"
        + TILE
        + IN
        + BARRIER
        + OUT
    )
)
mutant(transpose_tiled, "tile_as_block")(
    turn(
        TILE
        + """
    int row = blockIdx.y * blockDim.y + ty, col = blockIdx.x * blockDim.x + tx;
    if (row < rows && col < cols) tile[ty][tx] = x[row * cols + col];
    __syncthreads();
    int to = blockIdx.x * blockDim.x + ty, at = blockIdx.y * blockDim.y + tx;
    if (to < cols && at < rows) y[to * rows + at] = tile[tx][ty];
"""
    )
)
right(transpose_tiled, "zeros beyond the edge")(
    turn(
        TILE
        + """
    for (int k = ty; k < 32; k += blockDim.y) {
        bool in = top + k < rows && left + tx < cols;
        tile[k][tx] = in ? x[(top + k) * cols + left + tx] : 0.0f;
    }
"""
        + BARRIER
        + OUT
    )
)
mutant(transpose_tiled, "tiles_only")(
    turn(TILE + IN + BARRIER + OUT.replace("tile[tx][k]", "tile[k][tx]"))
)
mutant(transpose_tiled, "inside_only")(
    turn(
        TILE
        + IN
        + BARRIER
        + """
    for (int k = ty; k < 32; k += blockDim.y)
        if (top + k < cols && left + tx < rows)
            y[(top + k) * rows + left + tx] = tile[tx][k];
"""
    )
)
mutant(transpose_tiled, "wrong_width")(
    turn(TILE + IN + BARRIER + OUT.replace("* rows +", "* cols +"))
)
right(transpose_tiled, "turned on the way in")(
    turn(
        TILE
        + IN.replace("tile[k][tx]", "tile[tx][k]")
        + BARRIER
        + OUT.replace("tile[tx][k]", "tile[k][tx]")
    )
)
right(transpose_tiled, "swizzled instead of padded")(
    turn(
        "    __shared__ float tile[32][32];\n"
        + IN.replace("tile[k][tx]", "tile[k][tx ^ k]")
        + BARRIER
        + OUT.replace("tile[tx][k]", "tile[tx][k ^ tx]")
    )
)
right(transpose_tiled, "dynamic shared memory, flat")(
    turn(
        "    extern __shared__ float tile[];\n"
        + IN.replace("tile[k][tx]", "tile[k * 33 + tx]")
        + BARRIER
        + OUT.replace("tile[tx][k]", "tile[tx * 33 + k]")
    )
)
right(transpose_tiled, "padded by three")(
    turn("    __shared__ float tile[32][35];\n" + IN + BARRIER + OUT)
)
