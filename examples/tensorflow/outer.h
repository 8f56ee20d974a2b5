// y = scale * outer(a, b), and its gradients: declared once, for every device.
#pragma once
#include <cstdint>

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
