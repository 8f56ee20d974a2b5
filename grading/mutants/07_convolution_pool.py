"""Chapter 07, pooling: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.convolution import max_pool2d, max_pool2d_backward

POOL = """__global__ void max_pool2d(const float* x, float* y, int* indices, int planes,
        int H, int W, int OH, int OW, int K, int stride, int padding) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * OH * OW) return;
    int plane = i / (OH * OW), oh = i / OW % OH, ow = i % OW, best = -1;
    float most = 0.0f;
    for (int kh = 0; kh < K; kh++)
        for (int kw = 0; kw < K; kw++) {
            int ih = oh * stride - padding + kh, iw = ow * stride - padding + kw;
            if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;
            float value = x[(plane * H + ih) * W + iw];
            if (best < 0 || value > most || value != value) {
                best = ih * W + iw;
                most = value;
            }
        }
    y[i] = most;
    indices[i] = best;
}
"""


def pool(*pairs):
    text = POOL
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


mutant(max_pool2d, "last_of_ties")(pool(("value > most", "value >= most")))
mutant(max_pool2d, "first_is_zero")(
    pool(("best < 0 || ", ""), ("best = -1", "best = 0"))
)
mutant(max_pool2d, "nan_lost")(pool((" || value != value", "")))
mutant(max_pool2d, "nan_lost", "fmaxf")(
    pool((" || value != value", ""), ("most = value", "most = fmaxf(value, value)"))
)
mutant(max_pool2d, "index_in_window")(
    pool(("best = ih * W + iw", "best = kh * K + kw"))
)
mutant(max_pool2d, "index_of_all")(
    pool(("best = ih * W + iw", "best = (plane * H + ih) * W + iw"))
)
mutant(max_pool2d, "smallest")(pool(("value > most", "value < most")))
mutant(max_pool2d, "zeros_outside")(
    pool(
        (
            "if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;",
            "bool in = ih >= 0 && ih < H && iw >= 0 && iw < W;",
        ),
        (
            "= x[(plane * H + ih) * W + iw]",
            "= in ? x[(plane * H + ih) * W + iw] : 0.0f",
        ),
        ("best < 0 || value", "kh + kw == 0 || value"),
    )
)
mutant(max_pool2d, "outside")(
    pool(("if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;", ""))
)
mutant(max_pool2d, "outside", "no guard")(
    pool(("if (i >= planes * OH * OW) return;", ""))
)
right(max_pool2d, "minus infinity")(
    pool(("float most = 0.0f;", "float most = __int_as_float(0xff800000);"))
)
right(max_pool2d, "with bounds before the loops")(
    pool(("int kh = 0; kh < K; kh++", "int kh = max(0, padding - oh * stride); kh < K; "
          "kh++"), ("ih < 0 || ih >= H", "ih >= H"))
)  # fmt: skip
right(max_pool2d, "not greater is not new")(
    pool(("if (best < 0 || value > most || value != value) {",
          "if (!(best >= 0 && value <= most) && !(most != most && value == value)) {"))
)  # fmt: skip

BACK = """__global__ void max_pool2d_backward(const float* dy, const int* indices,
        float* dx, int planes, int size, int places) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
"""
GUARD = "    if (i >= planes * places) return;\n"
AT = "dx[i / places * size + indices[i]]"

mutant(max_pool2d_backward, "overwritten")(BACK + GUARD + f"    {AT} = dy[i];\n}}\n")
mutant(max_pool2d_backward, "not_atomic")(BACK + GUARD + f"    {AT} += dy[i];\n}}\n")
mutant(max_pool2d_backward, "first_plane")(
    BACK + GUARD + "    atomicAdd(&dx[indices[i]], dy[i]);\n}\n"
)
mutant(max_pool2d_backward, "outside")(BACK + f"    atomicAdd(&{AT}, dy[i]);\n}}\n")
GATHER = """    if (i >= planes * size) return;
    int plane = i / size, own = i % size;
    float sum = 0.0f;
    for (int p = plane * places; p < (plane + 1) * places; p++)
        if (indices[p] == own) sum += dy[p];
    dx[i] = sum;
}
"""
right(max_pool2d_backward, "a gather")(BACK + GATHER)
right(max_pool2d_backward, "a grid-stride loop")(
    BACK
    + """    for (; i < planes * places; i += gridDim.x * blockDim.x)
        atomicAdd(dx + i / places * size + indices[i], dy[i]);
}
"""
)
right(max_pool2d_backward, "a thread a plane")(
    BACK
    + """    if (i >= planes) return;
    for (int p = i * places; p < (i + 1) * places; p++)
        dx[i * size + indices[p]] += dy[p];
}
"""
)
