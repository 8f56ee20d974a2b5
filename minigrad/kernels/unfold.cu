// unfold (im2col): the windows of images as the columns of a matrix; and fold (col2im),
// its adjoint: each column is added where its window was.
//
// x has `planes` images of H x W (images times channels), y for each plane the rows
// (kh, kw) and the columns (oh, ow): y[plane, kh, kw, oh, ow] = x[plane, ih, iw] with
// ih = oh * SH - PH + kh * DH, iw alike, and 0 outside. All lie row by row. T is the
// element, A is added up in. A thread an element, or a position; blocks of 1 dimension.

struct Window { int H, W, OH, OW, KH, KW, SH, SW, PH, PW, DH, DW; };

// Counts elements. With "#define INDEX long long" in front for 2^31 elements and more.
#ifndef INDEX
#define INDEX int
#endif

// ------------------------------------------------- unfold

// A thread an element of y, n in all. Writes lie side by side; each thread divides five
// times to know its five indices.
template <typename T>
__global__ void unfold_element(const T* x, T* y, Window w, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x, rest = i;
    if (i >= n) return;
    int ow = rest % w.OW; rest /= w.OW;
    int oh = rest % w.OH; rest /= w.OH;
    int kw = rest % w.KW; rest /= w.KW;
    int kh = rest % w.KH; rest /= w.KH;
    int ih = oh * w.SH - w.PH + kh * w.DH, iw = ow * w.SW - w.PW + kw * w.DW;
    bool inside = ih >= 0 && ih < w.H && iw >= 0 && iw < w.W;
    y[i] = inside ? x[(rest * w.H + ih) * w.W + iw] : (T)0;
}

// A thread a position of a plane, n in all: the whole window, KH * KW elements of y.
// One division for many elements, and what is read stays in the cache.
template <typename T>
__global__ void unfold_window(const T* x, T* y, Window w, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    INDEX positions = (INDEX)w.OH * w.OW, plane = i / positions;
    int at = i - plane * positions, oh = at / w.OW, ow = at % w.OW;
    x += plane * w.H * w.W;
    y += plane * w.KH * w.KW * positions + at;
    for (int kh = 0; kh < w.KH; kh++)
        for (int kw = 0; kw < w.KW; kw++, y += positions) {
            int ih = oh * w.SH - w.PH + kh * w.DH, iw = ow * w.SW - w.PW + kw * w.DW;
            bool inside = ih >= 0 && ih < w.H && iw >= 0 && iw < w.W;
            *y = inside ? x[ih * w.W + iw] : (T)0;
        }
}

// ------------------------------------------------- fold

// A thread an element of y, n in all: a scatter. Windows overlap, so several threads
// add to one element of x, by atomics; in which order, and so how it is rounded, no one
// knows. x is zeros before. For float and double.
template <typename T>
__global__ void fold_scatter(const T* y, T* x, Window w, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x, rest = i;
    if (i >= n) return;
    int ow = rest % w.OW; rest /= w.OW;
    int oh = rest % w.OH; rest /= w.OH;
    int kw = rest % w.KW; rest /= w.KW;
    int kh = rest % w.KH; rest /= w.KH;
    int ih = oh * w.SH - w.PH + kh * w.DH, iw = ow * w.SW - w.PW + kw * w.DW;
    if (ih >= 0 && ih < w.H && iw >= 0 && iw < w.W)
        atomicAdd(&x[(rest * w.H + ih) * w.W + iw], y[i]);
}

// A thread an element of x, n in all: a gather. It adds what lies there in any window,
// in the same order each time. Nothing is written twice, and x need not be zeros.
template <typename T, typename A = T>
__global__ void fold_gather(const T* y, T* x, Window w, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    INDEX plane = i / (w.H * w.W), positions = (INDEX)w.OH * w.OW;
    int ih = i / w.W % w.H, iw = i % w.W;
    y += plane * w.KH * w.KW * positions;
    A sum = 0;
    for (int kh = 0; kh < w.KH; kh++)
        for (int kw = 0; kw < w.KW; kw++, y += positions) {
            int oh = ih + w.PH - kh * w.DH, ow = iw + w.PW - kw * w.DW;
            if (oh < 0 || ow < 0 || oh % w.SH || ow % w.SW) continue;
            oh /= w.SH, ow /= w.SW;
            if (oh < w.OH && ow < w.OW) sum += (A)y[oh * w.OW + ow];
        }
    x[i] = (T)sum;
}
