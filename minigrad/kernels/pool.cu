// Pooling: the maximum or the mean of windows, and both backwards.
//
// x has planes of H x W (images times channels), y planes of OH x OW:
// y[plane, oh, ow] is made of x[plane, ih, iw], ih = oh * SH - PH + kh * DH, iw alike,
// as far as they lie inside. All lie row by row. T is the element, A is computed in.
// A thread an element, n in all; blocks of one dimension.

struct Window { int H, W, OH, OW, KH, KW, SH, SW, PH, PW, DH, DW; };

// Counts elements. With "#define INDEX long long" in front for 2^31 elements and more.
#ifndef INDEX
#define INDEX int
#endif

// The first and the last of the windows (along one dimension) that element i is in are
// among first_of(i) ... last_of(i): oh * S - P <= i <= oh * S - P + (K - 1) * D.
__device__ int first_of(int i, int K, int S, int P, int D) {
    int before = i + P - (K - 1) * D;
    return before <= 0 ? 0 : (before + S - 1) / S;
}

__device__ int last_of(int i, int OUT, int S, int P) {
    return min(OUT - 1, (i + P) / S);
}

// ------------------------------------------------- maximum

// y and where it was found: indices[i] = ih * W + iw in the plane. Of equal elements
// the first one; NaN counts as larger than every number, and of several the last. A
// window that lies in the padding alone has minus infinity and the index -1.
template <typename T, typename A = T>
__global__ void max_pool2d(const T* x, T* y, long long* indices, Window w, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    INDEX plane = i / (w.OH * w.OW);
    int top = i / w.OW % w.OH * w.SH - w.PH, left = i % w.OW * w.SW - w.PW;
    x += plane * w.H * w.W;

    int best = -1;
    A most = (A)__int_as_float((int)0xff800000);  // minus infinity
    for (int ih = top; ih < top + w.KH * w.DH && ih < w.H; ih += w.DH)
        for (int iw = left; iw < left + w.KW * w.DW && iw < w.W; iw += w.DW) {
            if (ih < 0 || iw < 0) continue;
            A value = (A)x[ih * w.W + iw];
            if (best >= 0 && value <= most) continue;
            if (best >= 0 && most != most && value == value) continue;
            best = ih * w.W + iw;
            most = value;
        }
    y[i] = (T)most;
    indices[i] = best;
}

// dx: the sum of dy of all windows whose maximum this element was. A gather: nothing is
// written twice, and the order of a sum is always the same.
// mask: null, or the result of a relu below: where it is 0 the gradient is 0, too.
template <typename T, typename A = T>
__global__ void max_pool2d_input(const T* dy, const long long* indices, T* dx, Window w,
                                 INDEX n, const T* mask) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    INDEX plane = i / (w.H * w.W);
    int ih = i / w.W % w.H, iw = i % w.W, own = ih * w.W + iw;
    dy += plane * w.OH * w.OW;
    indices += plane * w.OH * w.OW;

    int top = first_of(ih, w.KH, w.SH, w.PH, w.DH), end = last_of(ih, w.OH, w.SH, w.PH);
    int left = first_of(iw, w.KW, w.SW, w.PW, w.DW);
    int right = last_of(iw, w.OW, w.SW, w.PW);
    A sum = 0;
    for (int oh = top; oh <= end; oh++)
        for (int ow = left; ow <= right; ow++)
            if (indices[oh * w.OW + ow] == own) sum += (A)dy[oh * w.OW + ow];
    dx[i] = mask && (A)mask[i] <= 0 ? (T)0 : (T)sum;
}

// Windows side by side, which cover the image: a thread a window writes all of its
// elements, and reads one index, one dy, and the mask where the maximum was.
template <typename T, typename A = T>
__global__ void max_pool2d_input_apart(const T* dy, const long long* indices, T* dx,
                                       Window w, INDEX n, const T* mask) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    INDEX plane = i / (w.OH * w.OW) * w.H * w.W;
    int oh = i / w.OW % w.OH, ow = i % w.OW, at = (int)indices[i];
    T value = dy[i];
    if (mask && (A)mask[plane + at] <= 0) value = 0;

    for (int r = 0; r < w.KH; r++)
        for (int c = 0; c < w.KW; c++) {
            int own = (oh * w.KH + r) * w.W + ow * w.KW + c;
            dx[plane + own] = own == at ? value : (T)0;
        }
}

// ------------------------------------------------- mean
//
// What is divided by: `divisor` if it is not 0; else how many elements the window has,
// with those of the padding (COUNT_PAD = 1, but not beyond it) or without.

template <int COUNT_PAD>
__device__ int count_of(int oh, int ow, const Window& w, int divisor) {
    if (divisor) return divisor;
    int top = oh * w.SH - w.PH, left = ow * w.SW - w.PW;
    int end = min(top + w.KH, w.H + w.PH), right = min(left + w.KW, w.W + w.PW);
    if (COUNT_PAD) return (end - top) * (right - left);
    return (min(end, w.H) - max(top, 0)) * (min(right, w.W) - max(left, 0));
}

template <int COUNT_PAD, typename T, typename A = T>
__global__ void avg_pool2d(const T* x, T* y, Window w, int divisor, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    INDEX plane = i / (w.OH * w.OW);
    int oh = i / w.OW % w.OH, ow = i % w.OW;
    int top = oh * w.SH - w.PH, left = ow * w.SW - w.PW;
    x += plane * w.H * w.W;
    A sum = 0;
    for (int ih = max(top, 0); ih < min(top + w.KH, w.H); ih++)
        for (int iw = max(left, 0); iw < min(left + w.KW, w.W); iw++)
            sum += (A)x[ih * w.W + iw];
    y[i] = (T)(sum / (A)count_of<COUNT_PAD>(oh, ow, w, divisor));
}

// dx: the shares of dy of all windows that this element is in.
template <int COUNT_PAD, typename T, typename A = T>
__global__ void avg_pool2d_input(const T* dy, T* dx, Window w, int divisor, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    INDEX plane = i / (w.H * w.W);
    int ih = i / w.W % w.H, iw = i % w.W;
    dy += plane * w.OH * w.OW;
    int top = first_of(ih, w.KH, w.SH, w.PH, 1), end = last_of(ih, w.OH, w.SH, w.PH);
    int left = first_of(iw, w.KW, w.SW, w.PW, 1);
    int right = last_of(iw, w.OW, w.SW, w.PW);
    A sum = 0;
    for (int oh = top; oh <= end; oh++)
        for (int ow = left; ow <= right; ow++)
            sum += (A)dy[oh * w.OW + ow] / (A)count_of<COUNT_PAD>(oh, ow, w, divisor);
    dx[i] = (T)sum;
}
