// What the expressions of elementwise operators call.

// Division with the quotient rounded down, as in Python; NaN and infinities as PyTorch.
template <typename M>
__device__ M remainder_of(M a, M b) {
    if constexpr ((M)0.5 == (M)0) {
        if constexpr ((M)-1 < (M)0) if (b == (M)-1) return 0;
        M left = a % b;
        return left != 0 && (left < 0) != (b < 0) ? left + b : left;
    } else {
        M left = fmod(a, b);
        return left != 0 && (left < 0) != (b < 0) ? left + b : left;
    }
}

template <typename M>
__device__ M floor_divide(M a, M b) {
    if constexpr ((M)0.5 == (M)0) {
        if constexpr ((M)-1 < (M)0) if (b == (M)-1) return -a;
        M quotient = a / b;
        return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    } else {
        if (b == 0) return a / b;
        M left = fmod(a, b), quotient = (a - left) / b;
        if (left != 0 && (b < 0) != (left < 0)) quotient -= 1;
        if (quotient == 0) return copysign((M)0, a / b);
        M down = floor(quotient);
        return quotient - down > (M)0.5 ? down + 1 : down;
    }
}

// Division with the quotient rounded to zero.
template <typename M>
__device__ M trunc_divide(M a, M b) {
    if constexpr ((M)0.5 == (M)0) {
        if constexpr ((M)-1 < (M)0) if (b == (M)-1) return -a;
        return a / b;
    } else return trunc(a / b);
}

// a to the power of b. Of whole numbers with b < 0: 1 / a^-b without its fraction.
template <typename M>
__device__ M power(M a, M b) {
    if constexpr ((M)0.5 == (M)0) {
        if (b < 0) return a == 1 ? 1 : a == (M)-1 ? ((b & 1) ? -1 : 1) : 0;
        M result = 1;
        for (; b > 0; b /= 2) {
            if (b & 1) result *= a;
            a *= a;
        }
        return result;
    } else return pow(a, b);
}

template <typename M>
__device__ M clamped(M x, M low, M high) {
    M y = x < low || low != low ? low : x;
    return y > high || high != high ? high : y;
}

template <typename M>
__device__ M gelu(M x) {
    return (M)0.5 * x * (1 + erf(x * (M)0.70710678118654752));
}

template <typename M>
__device__ M gelu_tanh(M x) {
    M inner = (M)0.79788456080286536 * (x + (M)0.044715 * x * x * x);
    return (M)0.5 * x * (1 + tanh(inner));
}

// Their derivatives; 0.39894228040143268 is 1 / sqrt(2 pi).
template <typename M>
__device__ M gelu_slope(M x) {
    M density = (M)0.39894228040143268 * exp((M)-0.5 * x * x);
    return (M)0.5 * (1 + erf(x * (M)0.70710678118654752)) + x * density;
}

template <typename M>
__device__ M gelu_tanh_slope(M x) {
    M t = tanh((M)0.79788456080286536 * (x + (M)0.044715 * x * x * x));
    M inner = (M)0.39894228040143268 * (1 + (M)0.134145 * x * x);
    return (M)0.5 * (1 + t) + x * (1 - t * t) * inner;
}

template <typename M>
__device__ M mish_slope(M x) {
    M t = tanh(x > 20 ? x : log1p(exp(x)));
    return t + x * (1 - t * t) / (1 + exp(-x));
}
