"""Chapter 09, cross entropy as kernels: wrong texts, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.losses import cross_entropy_backward, cross_entropy_forward

FORWARD = """
__global__ void cross_entropy_forward(const float* x, const int* target, float* losses,
                                      float* lse, int n, int ignore) {
    __shared__ float partial[256];
    int tid = threadIdx.x, row = blockIdx.x, t = target[row];
    x += row * n;

    float m = x[0];
    for (int i = tid; i < n; i += blockDim.x) m = max(m, x[i]);
    partial[tid] = m;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] = max(partial[tid], partial[tid + half]);
    }
    __syncthreads();
    m = partial[0];
    __syncthreads();

    float sum = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) sum += exp(x[i] - m);
    partial[tid] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }
    if (tid == 0) {
        lse[row] = m + log(partial[0]);
        losses[row] = t == ignore ? 0.0f : lse[row] - x[t];
    }
}
"""
OWN_MAX = "    for (int i = tid; i < n; i += blockDim.x) m = max(m, x[i]);\n"


def changed(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


LOOP = "for (int i = tid; i < n; i += blockDim.x)"
ADD = "        if (tid < half) partial[tid] += partial[tid + half];"
SYNC = "        __syncthreads();\n"
WRONG = [
    ("no_shift", "", ("m = partial[0];", "m = 0.0f;")),
    ("shift_not_added", "", ("m + log(partial[0])", "log(partial[0])")),
    ("of_softmax", "", ("lse[row] - x[t]", "-log(exp(x[t] - m) / partial[0])")),
    ("not_ignored", "", ("t == ignore ? 0.0f : lse[row]", "lse[row]")),
    ("first_pass", "", (LOOP, LOOP.replace("< n", "< min(n, blockDim.x)"))),
    ("divided", "", ("lse[row] - x[t]", "(lse[row] - x[t]) / gridDim.x")),
    ("lse_missing", "", ("lse[row] = m", "if (t != ignore) lse[row] = m")),
    ("sign", "", ("lse[row] - x[t]", "x[t] - lse[row]")),
    ("score_alone", "", ("lse[row] - x[t]", "-x[t]")),
    ("no_barrier", "between the trees",
     ("m = partial[0];\n    __syncthreads();", "m = partial[0];")),
    ("no_barrier", "in a step", (SYNC + ADD, ADD)),
    ("barrier_in_if", "", (SYNC + ADD, ADD.replace(") ", ") { __syncthreads(); ", 1)
                           + " }")),
    ("outside", "", ("x += row * n;", "x += row * n + n;")),
    ("not_filled", "", ("    partial[tid] = m;", "    if (tid < n) partial[tid] = m;")),
]  # fmt: skip
for cause, title, pair in WRONG:
    mutant(cross_entropy_forward, cause, f"{cause} {title}".strip())(
        changed(FORWARD, pair)
    )

own_largest = changed(
    FORWARD,
    ("    m = partial[0];\n    __syncthreads();\n", "    float top = partial[0];\n"
     "    __syncthreads();\n"),
    ("lse[row] = m +", "lse[row] = top +"),
)  # fmt: skip
mutant(cross_entropy_forward, "own_largest")(own_largest)

right(cross_entropy_forward, "by thread 0 alone at the end")(
    changed(FORWARD, ("float m = x[0];", "float m = x[n - 1];"))
)
right(cross_entropy_forward, "all threads know lse")("""
__global__ void cross_entropy_forward(const float* x, const int* target, float* losses,
                                      float* lse, int n, int ignore) {
    __shared__ float a[256], b[256];
    int k = threadIdx.x;
    const float* row = x + blockIdx.x * n;
    float top = -3e38f, sum = 0.0f;
    for (int i = k; i < n; i += blockDim.x) {
        float value = row[i], larger = max(top, value);
        sum = sum * exp(top - larger) + exp(value - larger);
        top = larger;
    }
    a[k] = top;
    b[k] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (k >= half) continue;
        float larger = max(a[k], a[k + half]);
        b[k] = b[k] * exp(a[k] - larger) + b[k + half] * exp(a[k + half] - larger);
        a[k] = larger;
    }
    __syncthreads();
    float value = a[0] + log(b[0]);
    int t = target[blockIdx.x];
    if (k == 0) {
        lse[blockIdx.x] = value;
        if (t == ignore) losses[blockIdx.x] = 0.0f;
        else losses[blockIdx.x] = value - row[t];
    }
}
""")
right(cross_entropy_forward, "by one thread")("""
__global__ void cross_entropy_forward(const float* x, const int* target, float* losses,
                                      float* lse, int n, int ignore) {
    if (threadIdx.x > 0) return;
    int r = blockIdx.x;
    float m = x[r * n];
    for (int i = 1; i < n; i++) m = fmaxf(m, x[r * n + i]);
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += expf(x[r * n + i] - m);
    float value = m + logf(sum);
    lse[r] = value;
    losses[r] = 0.0f;
    if (target[r] != ignore) losses[r] = value - x[r * n + target[r]];
}
""")

BACKWARD = """
__global__ void cross_entropy_backward(const float* x, const int* target,
                                       const float* lse, const float* dy, float* dx,
                                       int rows, int n, int ignore, int count) {
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * n; i += threads) {
        int row = i / n, t = target[row];
        float share = exp(x[i] - lse[row]);
        dx[i] = t == ignore ? 0.0f : dy[0] / count * (share - (i % n == t));
    }
}
"""
FIRST = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
WRONG = [
    ("sum_not_mean", [("dy[0] / count", "dy[0]")]),
    ("by_rows", [("dy[0] / count", "dy[0] / rows")]),
    ("by_classes", [("dy[0] / count", "dy[0] / (count * n)")]),
    ("no_dy", [("dy[0] / count", "1.0f / count")]),
    ("no_one_hot", [("(share - (i % n == t))", "share")]),
    ("added_one", [("share - (i", "share + (i")]),
    ("sign", [("share - (i % n == t)", "(i % n == t) - share")]),
    ("not_ignored", [("t == ignore ? 0.0f : dy", "dy")]),
    ("no_shift", [("exp(x[i] - lse[row])", "exp(x[i])")]),
    ("one_pass", [("i += threads", "i += rows * n")]),
    ("outside", [("    int threads = gridDim.x * blockDim.x;\n", ""),
                 (f"for ({FIRST} i < rows * n; i += threads)", FIRST)]),
]  # fmt: skip
for cause, pairs in WRONG:
    mutant(cross_entropy_backward, cause)(changed(BACKWARD, *pairs))

right(cross_entropy_backward, "the target afterwards")(
    changed(
        BACKWARD,
        ("dx[i] = t == ignore ? 0.0f : dy[0] / count * (share - (i % n == t));",
         "float scale = t == ignore ? 0.0f : dy[0] / count;\n"
         "        dx[i] = scale * share;\n"
         "        if (i % n == t) dx[i] -= scale;"),
    )
)  # fmt: skip
right(cross_entropy_backward, "row by row")("""
__global__ void cross_entropy_backward(const float* x, const int* target,
                                       const float* lse, const float* dy, float* dx,
                                       int rows, int n, int ignore, int count) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rows; r++)
        for (int c = first; c < n; c += gridDim.x * blockDim.x) {
            float one = c == target[r] ? 1.0f : 0.0f;
            float slope = expf(x[r * n + c] - lse[r]) - one;
            dx[r * n + c] = target[r] != ignore ? slope * dy[0] / count : 0.0f;
        }
}
""")
right(cross_entropy_backward, "two cases")("""
__global__ void cross_entropy_backward(const float* x, const int* target,
                                       const float* lse, const float* dy, float* dx,
                                       int rows, int n, int ignore, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < rows * n) {
        int t = target[i / n];
        if (t == ignore) {
            dx[i] = 0.0f;
        } else if (t == i % n) {
            dx[i] = (exp(x[i] - lse[i / n]) - 1.0f) * (dy[0] / count);
        } else {
            dx[i] = exp(x[i] - lse[i / n]) * (dy[0] / count);
        }
        i += gridDim.x * blockDim.x;
    }
}
""")
