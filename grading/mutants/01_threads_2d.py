"""Chapter 01, two dimensions and more: wrong answers that learners write, and right."""

from grading.kernel_runs import with_body
from grading.specimens import mutant, right
from minigrad.kernels.threads import map_2d, outer_product

ROW = "int row = blockIdx.y * blockDim.y + threadIdx.y;"
COL = "int col = blockIdx.x * blockDim.x + threadIdx.x;"
INSIDE = "if (row < rows && col < cols)"
AT = "row * cols + col"


def wrong(hole, cause, body, title=None):
    mutant(hole, cause, title)(with_body(hole, body))


def fine(hole, style, body):
    right(hole, style)(with_body(hole, body))


# ------------------------------------------------------------ map_2d

wrong(
    map_2d,
    "transposed",
    f"""{ROW} {COL}
    {INSIDE} {{ int i = col * rows + row; y[i] = w[row] * x[i]; }}""",
)
wrong(
    map_2d,
    "swapped",
    f"""
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    {INSIDE} y[{AT}] = w[row] * x[{AT}];""",
)
wrong(
    map_2d,
    "wrong_pitch",
    f"""{ROW} {COL}
    {INSIDE} y[row * rows + col] = w[row] * x[row * rows + col];""",
)
wrong(map_2d, "rows_only", f"{ROW} {COL} if (row < rows) y[{AT}] = w[row] * x[{AT}];")
wrong(map_2d, "cols_only", f"{ROW} {COL} if (col < cols) y[{AT}] = w[row] * x[{AT}];")
wrong(
    map_2d,
    "flat_guard",
    f"""{ROW} {COL} int i = {AT};
    if (i < rows * cols) y[i] = w[row] * x[i];""",
)
wrong(map_2d, "no_guard", f"{ROW} {COL} y[{AT}] = w[row] * x[{AT}];")
wrong(
    map_2d,
    "off_by_one",
    f"""{ROW} {COL}
    if (row > rows || col > cols) return;
    y[{AT}] = w[row] * x[{AT}];""",
)
wrong(map_2d, "by_column", f"{ROW} {COL} {INSIDE} y[{AT}] = w[col] * x[{AT}];")
wrong(
    map_2d,
    "local_only",
    f"""
    int row = threadIdx.y, col = threadIdx.x;
    {INSIDE} y[{AT}] = w[row] * x[{AT}];""",
)
wrong(map_2d, "compile", f"{ROW} {COL} {INSIDE} y[row][col] = w[row] * x[row][col];",
      "two brackets")  # fmt: skip
wrong(map_2d, "nothing", f"{ROW} {COL} {INSIDE} return;", "nothing")
wrong(map_2d, "unknown", f"{ROW} {COL} {INSIDE} y[{AT}] = w[row] + x[{AT}];", "adds")

wrong(
    map_2d,
    "mixed_up",
    f"{ROW} {COL} {INSIDE} y[row + cols * col] = w[row] * x[row + cols * col];",
)
wrong(
    map_2d,
    "grid_pitch",
    f"""{ROW} {COL} int i = row * blockDim.x * gridDim.x + col;
    {INSIDE} y[i] = w[row] * x[i];""",
)
wrong(
    map_2d,
    "other_block",
    f"""{COL} int row = threadIdx.y + blockDim.x * blockIdx.y;
    {INSIDE} y[{AT}] = w[row] * x[{AT}];""",
)
wrong(map_2d, "comma", f"{ROW} {COL} {INSIDE} y[row, col] = w[row] * x[row, col];")
wrong(
    map_2d,
    "along_x",
    """int i = threadIdx.x + blockDim.x * blockIdx.x, row = i / cols;
    if (row < rows) y[i] = x[i] * w[row];""",
)
wrong(
    map_2d,
    "whole_rows",
    f"""{ROW} if (row >= rows) return;
    for (int k = row * cols; k < (row + 1) * cols; k++) y[k] = w[row] * x[k];""",
)
wrong(
    map_2d,
    "either",
    f"""{ROW} {COL} if (row >= rows && col >= cols) return;
    y[{AT}] = w[row] * x[{AT}];""",
)
wrong(map_2d, "by_element", f"{ROW} {COL} {INSIDE} y[{AT}] = w[{AT}] * x[{AT}];")
wrong(map_2d, "compile", f"{ROW} {COL} if row < rows and col < cols: y[{AT}] = 1;",
      "Python's if")  # fmt: skip

fine(
    map_2d,
    "both cells written out",
    f"""{COL} {ROW}
    {INSIDE} y[row * cols + col] = x[col + cols * row] * w[row];""",
)
fine(
    map_2d,
    "x and y by name",
    """
    unsigned x_ = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned y_ = threadIdx.y + blockDim.y * blockIdx.y;
    if (y_ >= (unsigned)rows) return;
    if (x_ >= (unsigned)cols) return;
    y[y_ * cols + x_] = w[y_] * x[y_ * cols + x_];""",
)
fine(
    map_2d,
    "by loops",
    f"""
    for ({ROW} row < rows; row += gridDim.y * blockDim.y)
        for ({COL} col < cols; col += gridDim.x * blockDim.x)
            y[{AT}] = w[row] * x[{AT}];""",
)

# ------------------------------------------------------------ outer_product

IJ = ("int i = blockIdx.y * blockDim.y + threadIdx.y;"
      "int j = blockIdx.x * blockDim.x + threadIdx.x;")  # fmt: skip
BATCH = "for (int k = blockIdx.z; k < b; k += gridDim.z)"
XY = "x[k * n + i] * y[k * m + j]"
Z = "z[(k * n + i) * m + j]"
OUT = "if (i >= n || j >= m) return;"

wrong(outer_product, "first_pair", f"{IJ} {OUT} {BATCH} {Z} = x[i] * y[j];")
wrong(outer_product, "first_x", f"{IJ} {OUT} {BATCH} {Z} = x[i] * y[k * m + j];")
wrong(outer_product, "first_y", f"{IJ} {OUT} {BATCH} {Z} = x[k * n + i] * y[j];")
wrong(outer_product, "first_matrix", f"{IJ} {OUT} {BATCH} z[i * m + j] = {XY};")
wrong(
    outer_product, "no_stride", f"{IJ} {OUT} int k = blockIdx.z; if (k < b) {Z} = {XY};"
)
wrong(
    outer_product,
    "step_of_one",
    f"""{IJ} {OUT}
    for (int k = blockIdx.z; k < b; k++) {Z} = {XY};""",
)
wrong(
    outer_product,
    "every_pair",
    f"""{IJ} {OUT}
    for (int k = 0; k < b; ++k) {Z} = {XY};""",
)
wrong(
    outer_product,
    "local_only",
    f"""int i = threadIdx.y, j = threadIdx.x;
    {OUT} {BATCH} {Z} = {XY};""",
)
wrong(
    outer_product,
    "swapped",
    f"""
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    {OUT} {BATCH} {Z} = {XY};""",
)
wrong(outer_product, "transposed", f"{IJ} {OUT} {BATCH} z[(k * m + j) * n + i] = {XY};")
wrong(
    outer_product,
    "x_as_long_as_y",
    f"""{IJ} {OUT}
    {BATCH} {Z} = x[k * m + i] * y[k * m + j];""",
)
wrong(
    outer_product,
    "y_as_long_as_x",
    f"""{IJ} {OUT}
    {BATCH} {Z} = x[k * n + i] * y[k * n + j];""",
)
wrong(
    outer_product, "wrong_pitch", f"{IJ} {OUT} {BATCH} z[(k * n + i) * n + j] = {XY};"
)
wrong(outer_product, "no_guard", f"{IJ} {BATCH} {Z} = {XY};")
wrong(outer_product, "guarded_i", f"{IJ} if (i >= n) return; {BATCH} {Z} = {XY};")
wrong(outer_product, "guarded_j", f"{IJ} if (j < m) {BATCH} {Z} = {XY};")
wrong(outer_product, "no_batch", f"{IJ} {OUT} z[i * m + j] = x[i] * y[j];")
wrong(outer_product, "no_brackets", f"{IJ} {OUT} {BATCH} z[j + i * m + k * n] = {XY};")
wrong(
    outer_product,
    "wrong_matrix",
    f"{IJ} {OUT} {BATCH} z[k * m * m + i * m + j] = {XY};",
)
wrong(
    outer_product,
    "by_b",
    f"{IJ} {OUT} {BATCH} {Z} = x[b * k + i] * y[b * k + j];",
)
wrong(outer_product, "one_cell_on", f"{IJ} {OUT} {BATCH} {Z} = x[i + k] * y[j + k];")
wrong(
    outer_product,
    "one_pair_more",
    f"{IJ} {OUT} for (int k = blockIdx.z; k < b + 1; k += gridDim.z) {Z} = {XY};",
)
wrong(
    outer_product,
    "swapped_guards",
    f"{IJ} if (i >= m || j >= n) return; {BATCH} {Z} = {XY};",
)
wrong(
    outer_product,
    "endless",
    f"{IJ} {OUT} int k = blockIdx.z; while (k < b) {Z} = {XY};",
    "k stays",
)
wrong(
    outer_product,
    "unknown",
    f"{IJ} {OUT} {BATCH} {Z} += {XY};",
    "adds to what is there",
)

fine(
    outer_product,
    "z counted in threads",
    f"""{IJ} {OUT} int first = blockIdx.z * blockDim.z + threadIdx.z;
    for (int k = first; k < b; k += gridDim.z * blockDim.z) {Z} = {XY};""",
)
fine(
    outer_product,
    "by pointers",
    f"""{IJ} {OUT}
    {BATCH} {{
        const float *a = x + k * n, *c = y + k * m;
        float* out = z + k * n * m;
        out[i * m + j] = a[i] * c[j];
    }}""",
)
fine(
    outer_product,
    "the guard inside",
    f"""{IJ}
    int k = blockIdx.z;
    while (k < b) {{
        if (i < n && j < m) z[k * n * m + i * m + j] = {XY};
        k += gridDim.z;
    }}""",
)
fine(
    outer_product,
    "strides by name",
    f"""{IJ}
    const int row = m, matrix = n * m;
    if (i < n) if (j < m)
    {BATCH} z[k * matrix + i * row + j] = y[k * row + j] * x[k * n + i];""",
)
