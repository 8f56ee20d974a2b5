"""Chapter 07, im2col and col2im: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.convolution import col2im, im2col

SIZES = "int planes, int H, int W, int KH, int KW, int OH, int OW, int stride, "
SIZES += "int padding, int dilation"
APART = """
    int i = blockIdx.x * blockDim.x + threadIdx.x, rest = i;
    if (i >= planes * KH * KW * OH * OW) return;
    int ow = rest % OW; rest /= OW;
    int oh = rest % OH; rest /= OH;
    int kw = rest % KW; rest /= KW;
    int kh = rest % KH, plane = rest / KH;
    int ih = oh * stride - padding + kh * dilation;
    int iw = ow * stride - padding + kw * dilation;
"""
INSIDE = "ih >= 0 && ih < H && iw >= 0 && iw < W"
READ = f"""
    bool inside = {INSIDE};
    columns[i] = inside ? x[(plane * H + ih) * W + iw] : 0.0f;
"""
ADD = f"""
    if ({INSIDE}) atomicAdd(&x[(plane * H + ih) * W + iw], columns[i]);
"""
IH, IW = (
    "oh * stride - padding + kh * dilation",
    "ow * stride - padding + kw * dilation",
)


def gather(body):
    return f"__global__ void im2col(const float* x, float* columns, {SIZES}) {{{body}}}"


def scatter(body):
    return f"__global__ void col2im(const float* columns, float* x, {SIZES}) {{{body}}}"


def changed(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def without(word):
    """Both places computed without a word."""
    return changed(APART, (IH, IH.replace(word, "")), (IW, IW.replace(word, "")))


WINDOW_FIRST = """
    int i = blockIdx.x * blockDim.x + threadIdx.x, rest = i;
    if (i >= planes * KH * KW * OH * OW) return;
    int kw = rest % KW; rest /= KW;
    int kh = rest % KH; rest /= KH;
    int ow = rest % OW; rest /= OW;
    int oh = rest % OH, plane = rest / OH;
    int ih = oh * stride - padding + kh * dilation;
    int iw = ow * stride - padding + kw * dilation;
"""
TAPS_SWAPPED = changed(
    APART,
    ("int kw = rest % KW; rest /= KW;", "int kh = rest % KH; rest /= KH;"),
    (
        "int kh = rest % KH, plane = rest / KH;",
        "int kw = rest % KW, plane = rest / KW;",
    ),
)
PLACES_SWAPPED = changed(
    APART,
    ("int ow = rest % OW; rest /= OW;", "int _ = rest % OH; rest /= OH;"),
    ("int oh = rest % OH; rest /= OH;", "int ow = rest % OW, oh = _; rest /= OW;"),
)
FLIPPED = changed(APART, ("kh * dilation", "(KH - 1 - kh) * dilation"),
                  ("kw * dilation", "(KW - 1 - kw) * dilation"))  # fmt: skip

mutant(im2col, "order")(gather(WINDOW_FIRST + READ))
mutant(im2col, "taps_swapped")(gather(TAPS_SWAPPED + READ))
mutant(im2col, "places_swapped")(gather(PLACES_SWAPPED + READ))
mutant(im2col, "flipped")(gather(FLIPPED + READ))
mutant(im2col, "first_plane")(gather(APART + READ.replace("plane * H + ih", "ih")))
mutant(im2col, "no_stride")(gather(without(" * stride") + READ))
mutant(im2col, "no_padding")(gather(without(" - padding") + READ))
mutant(im2col, "padding_added")(gather(APART.replace("- padding", "+ padding") + READ))
mutant(im2col, "no_dilation")(gather(without(" * dilation") + READ))
mutant(im2col, "stride_for_dilation")(
    gather(
        APART.replace("* stride", "* s").replace("* dilation", "* stride").replace(
            "* s ", "* dilation ")
        + READ
    )
)  # fmt: skip
mutant(im2col, "nearest")(
    gather(
        APART
        + """
    ih = max(0, min(ih, H - 1));
    iw = max(0, min(iw, W - 1));
    columns[i] = x[(plane * H + ih) * W + iw];
"""
    )
)
mutant(im2col, "row_wraps")(
    gather(
        APART
        + """
    int at = ih * W + iw;
    columns[i] = at >= 0 && at < H * W ? x[plane * H * W + at] : 0.0f;
"""
    )
)
mutant(im2col, "outside")(
    gather(APART + "    columns[i] = x[(plane * H + ih) * W + iw];\n")
)
mutant(im2col, "outside", "no guard")(
    gather(APART.replace("if (i >= planes * KH * KW * OH * OW) return;", "") + READ)
)
mutant(im2col, "race")(gather(APART + READ.replace("columns[i]", "columns[i / 2]")))


right(im2col, "a thread a window")(
    gather("""
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * OH * OW) return;
    int plane = i / (OH * OW), at = i % (OH * OW);
    for (int tap = 0; tap < KH * KW; tap++) {
        int ih = at / OW * stride - padding + tap / KW * dilation;
        int iw = at % OW * stride - padding + tap % KW * dilation;
        float value = 0;
        if (ih >= 0 && iw >= 0 && ih < H && iw < W)
            value = x[plane * H * W + ih * W + iw];
        columns[(plane * KH * KW + tap) * OH * OW + at] = value;
    }
""")
)
right(im2col, "a grid-stride loop")(
    gather("""
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = i; j < planes * KH * KW * OH * OW; j += gridDim.x * blockDim.x) {
        int ow = j % OW, oh = j / OW % OH, kw = j / (OW * OH) % KW;
        int kh = j / (OW * OH * KW) % KH, plane = j / (OW * OH * KW * KH);
        int ih = oh * stride + kh * dilation - padding;
        int iw = ow * stride + kw * dilation - padding;
        columns[j] = 0;
        if ((unsigned)ih < (unsigned)H && (unsigned)iw < (unsigned)W)
            columns[j] = x[plane * H * W + ih * W + iw];
    }
""")
)
right(im2col, "by functions")(
    "__device__ bool within(int i, int n) { return i >= 0 && i < n; }\n"
    + gather(APART + READ.replace(INSIDE, "within(ih, H) && within(iw, W)"))
)

mutant(col2im, "overwritten")(
    scatter(APART + f"    if ({INSIDE}) x[(plane * H + ih) * W + iw] = columns[i];\n")
)
mutant(col2im, "race")(
    scatter(APART + f"    if ({INSIDE}) x[(plane * H + ih) * W + iw] += columns[i];\n")
)
mutant(col2im, "order")(scatter(WINDOW_FIRST + ADD))
mutant(col2im, "taps_swapped")(scatter(TAPS_SWAPPED + ADD))
mutant(col2im, "flipped")(scatter(FLIPPED + ADD))
mutant(col2im, "first_tap")(
    scatter(APART + "    if (kh > 0 || kw > 0) return;\n" + ADD)
)
mutant(col2im, "outside")(
    scatter(APART + "    atomicAdd(&x[(plane * H + ih) * W + iw], columns[i]);\n")
)
OWN = """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * H * W) return;
    int plane = i / (H * W), ih = i / W % H, iw = i % W, count = 0;
    float sum = 0.0f;
    for (int kh = 0; kh < KH; kh++)
        for (int kw = 0; kw < KW; kw++) {
            int oh = ih + padding - kh * dilation, ow = iw + padding - kw * dilation;
            if (oh < 0 || ow < 0 || oh % stride || ow % stride) continue;
            oh /= stride;
            ow /= stride;
            if (oh >= OH || ow >= OW) continue;
            sum += columns[(((plane * KH + kh) * KW + kw) * OH + oh) * OW + ow];
            count++;
        }
    x[i] = sum;
"""
mutant(col2im, "not_divided")(
    scatter(OWN.replace(" || oh % stride || ow % stride", ""))
)
mutant(col2im, "mean")(scatter(OWN.replace("= sum;", "= count ? sum / count : 0;")))
right(col2im, "a gather")(scatter(OWN))
right(col2im, "a thread a window")(
    scatter("""
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * OH * OW) return;
    int plane = i / (OH * OW), at = i % (OH * OW);
    for (int tap = 0; tap < KH * KW; tap++) {
        int ih = at / OW * stride - padding + tap / KW * dilation;
        int iw = at % OW * stride - padding + tap % KW * dilation;
        if (ih < 0 || iw < 0 || ih >= H || iw >= W) continue;
        atomicAdd(x + plane * H * W + ih * W + iw,
                  columns[(plane * KH * KW + tap) * OH * OW + at]);
    }
""")
)
right(col2im, "a grid-stride loop")(
    scatter(
        """
    int threads = gridDim.x * blockDim.x;
    for (int j = blockIdx.x * blockDim.x + threadIdx.x;
         j < planes * KH * KW * OH * OW; j += threads) {
        int ow = j % OW, oh = j / OW % OH, kw = j / (OW * OH) % KW;
        int kh = j / (OW * OH * KW) % KH, plane = j / (OW * OH * KW * KH);
        int ih = oh * stride + kh * dilation - padding;
        int iw = ow * stride + kw * dilation - padding;
        if ((unsigned)ih < (unsigned)H && (unsigned)iw < (unsigned)W)
            atomicAdd(&x[plane * H * W + ih * W + iw], columns[j]);
    }
"""
    )
)
