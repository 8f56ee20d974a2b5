// Update rules of optimizers, each in one pass over the memory.
//
// A launch does up to eight tensors: blockIdx.y is the tensor, and the threads of its
// blocks go through it in grid-stride loops. T: the tensors' type; M: what is computed
// in. p: the parameter, g: its gradient; n: how many elements. rate, steps: where the
// learning rate, and which step it is, lie in memory, so that a CUDA graph finds other
// ones at each replay; or null.

// b: the momentum buffer, which is not touched without momentum; first: it is new.
template <typename T, typename M>
__device__ void sgd(T* p, const T* g, T* b, long long n, M lr, M momentum, M dampening,
                    M decay, int nesterov, int first, int maximize) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (long long)gridDim.x * blockDim.x) {
        M x = (M)p[i], d = maximize ? -(M)g[i] : (M)g[i];
        d += decay * x;
        if (momentum != 0) {
            M kept = first ? d : momentum * (M)b[i] + (1 - dampening) * d;
            b[i] = (T)kept;
            d = nesterov ? d + momentum * kept : kept;
        }
        p[i] = (T)(x - lr * d);
    }
}

// m, v: the averages of the gradient and of its square. size: lr / (1 - beta1^step),
// root: sqrt(1 - beta2^step).
template <typename T, typename M>
__device__ void adam(T* p, const T* g, T* m, T* v, long long n, M lr, M beta1, M beta2,
                     M eps, M decay, M size, M root, int decoupled, int maximize) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (long long)gridDim.x * blockDim.x) {
        M x = (M)p[i], d = maximize ? -(M)g[i] : (M)g[i];
        if (decoupled) x -= lr * decay * x;
        else d += decay * x;
        M mean = beta1 * (M)m[i] + (1 - beta1) * d;
        M square = beta2 * (M)v[i] + (1 - beta2) * d * d;
        m[i] = (T)mean;
        v[i] = (T)square;
        p[i] = (T)(x - size * mean / (sqrt(square) / root + eps));
    }
}

// Element k of eight parameters.
#define ROW(x) (k == 0 ? x##0 : k == 1 ? x##1 : k == 2 ? x##2 : k == 3 ? x##3 : \
                k == 4 ? x##4 : k == 5 ? x##5 : k == 6 ? x##6 : x##7)

template <typename T, typename M>
__global__ void sgd_8(
    T* p0, const T* g0, T* b0,
    T* p1, const T* g1, T* b1,
    T* p2, const T* g2, T* b2,
    T* p3, const T* g3, T* b3,
    T* p4, const T* g4, T* b4,
    T* p5, const T* g5, T* b5,
    T* p6, const T* g6, T* b6,
    T* p7, const T* g7, T* b7,
    long long n0, long long n1, long long n2, long long n3, long long n4,
    long long n5, long long n6, long long n7,
    M lr, M momentum, M dampening, M decay, int nesterov, int first, int maximize,
    const M* rate) {
    int k = blockIdx.y;
    if (rate) lr = *rate;
    sgd<T, M>(ROW(p), ROW(g), ROW(b), ROW(n), lr, momentum, dampening, decay, nesterov,
              first, maximize);
}

template <typename T, typename M>
__global__ void adam_8(
    T* p0, const T* g0, T* m0, T* v0,
    T* p1, const T* g1, T* m1, T* v1,
    T* p2, const T* g2, T* m2, T* v2,
    T* p3, const T* g3, T* m3, T* v3,
    T* p4, const T* g4, T* m4, T* v4,
    T* p5, const T* g5, T* m5, T* v5,
    T* p6, const T* g6, T* m6, T* v6,
    T* p7, const T* g7, T* m7, T* v7,
    long long n0, long long n1, long long n2, long long n3, long long n4,
    long long n5, long long n6, long long n7,
    M lr, M beta1, M beta2, M eps, M decay, M size, M root, int decoupled, int maximize,
    const M* rate, const M* steps) {
    int k = blockIdx.y;
    if (rate) lr = *rate;
    if (steps) {
        size = lr / (1 - pow(beta1, *steps));
        root = sqrt(1 - pow(beta2, *steps));
    }
    adam<T, M>(ROW(p), ROW(g), ROW(m), ROW(v), ROW(n), lr, beta1, beta2, eps, decay, size,
               root, decoupled, maximize);
}
