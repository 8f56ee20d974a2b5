// Update rules of optimisers, each in one pass over the memory.
//
// A launch does up to four tensors: blockIdx.y is the tensor, and the threads of its
// blocks go through it in grid-stride loops. T: the tensors' type; M: what is computed
// in. p: the parameter, g: its gradient; n: how many elements.

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

template <typename T, typename M>
__global__ void sgd_4(T* p0, const T* g0, T* b0, T* p1, const T* g1, T* b1, T* p2,
                      const T* g2, T* b2, T* p3, const T* g3, T* b3, long long n0,
                      long long n1, long long n2, long long n3, M lr, M momentum,
                      M dampening, M decay, int nesterov, int first, int maximize) {
    int k = blockIdx.y;
    sgd<T, M>(k == 0 ? p0 : k == 1 ? p1 : k == 2 ? p2 : p3,
              k == 0 ? g0 : k == 1 ? g1 : k == 2 ? g2 : g3,
              k == 0 ? b0 : k == 1 ? b1 : k == 2 ? b2 : b3,
              k == 0 ? n0 : k == 1 ? n1 : k == 2 ? n2 : n3,
              lr, momentum, dampening, decay, nesterov, first, maximize);
}

template <typename T, typename M>
__global__ void adam_4(T* p0, const T* g0, T* m0, T* v0, T* p1, const T* g1, T* m1,
                       T* v1, T* p2, const T* g2, T* m2, T* v2, T* p3, const T* g3,
                       T* m3, T* v3, long long n0, long long n1, long long n2,
                       long long n3, M lr, M beta1, M beta2, M eps, M decay, M size,
                       M root, int decoupled, int maximize) {
    int k = blockIdx.y;
    adam<T, M>(k == 0 ? p0 : k == 1 ? p1 : k == 2 ? p2 : p3,
               k == 0 ? g0 : k == 1 ? g1 : k == 2 ? g2 : g3,
               k == 0 ? m0 : k == 1 ? m1 : k == 2 ? m2 : m3,
               k == 0 ? v0 : k == 1 ? v1 : k == 2 ? v2 : v3,
               k == 0 ? n0 : k == 1 ? n1 : k == 2 ? n2 : n3,
               lr, beta1, beta2, eps, decay, size, root, decoupled, maximize);
}
