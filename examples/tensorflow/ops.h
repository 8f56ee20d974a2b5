// What is computed: declared once, for every device.
#pragma once
#include <cstdint>

// y = a + b
template <typename Device, typename T>
struct Add {
    static void run(const Device& device, const T* a, const T* b, T* y, int64_t n);
};

// y = gelu(x + bias); with a dy, y = dy * gelu'(x + bias). N: bias's size; n: that of y
template <typename Device, typename T>
struct BiasGelu {
    static void run(const Device& device, const T* dy, const T* x, const T* bias, T* y,
                    int64_t N, int64_t n);
};

// y = scale * outer(a, b), and its gradients.
struct Sizes {
    int64_t B, M, N;  // a is (B, M), b is (B, N), y is (B, M, N)
};

template <typename Device, typename T>
struct Outer {
    static void run(const Device& device, Sizes s, float scale, const T* a, const T* b,
                    T* y);
};

template <typename Device, typename T>
struct OuterGrad {
    static void run(const Device& device, Sizes s, float scale, const T* dy, const T* a,
                    const T* b, T* da, T* db);
};
