// From Python to the operators: every input is checked here, once for all devices.
#include <torch/csrc/utils/pybind.h>

#include "ops.h"

namespace {

void check_outer(const Tensor& a, const Tensor& b) {
    CHECK_SAME(a, b);
    CHECK_FLOAT(a);
    TORCH_CHECK(a.dim() == 2 && b.dim() == 2, "a and b must be (B, M) and (B, N), are ",
                a.sizes(), " and ", b.sizes());
    TORCH_CHECK(a.size(0) == b.size(0), "a has ", a.size(0), " rows, b has ", b.size(0));
    CHECK_CONTIGUOUS(a);
    CHECK_CONTIGUOUS(b);
}

void check_outer_backward(const Tensor& dy, const Tensor& other, int dim) {
    CHECK_SAME(dy, other);
    CHECK_FLOAT(dy);
    TORCH_CHECK(dy.dim() == 3 && other.dim() == 2 && dy.size(0) == other.size(0) &&
                    dy.size(dim) == other.size(1),
                "dy is ", dy.sizes(), ", which does not fit ", other.sizes());
    CHECK_CONTIGUOUS(dy);
    CHECK_CONTIGUOUS(other);
}

void check_bias(const Tensor& x, const Tensor& bias) {
    CHECK_SAME(x, bias);
    CHECK_FLOAT(x);
    TORCH_CHECK(x.dim() >= 1 && bias.dim() == 1 && bias.size(0) == x.size(-1),
                "bias must have x's last size, ", x.sizes(), "; it is ", bias.sizes());
    CHECK_CONTIGUOUS(x);
    CHECK_CONTIGUOUS(bias);
}

// op_cuda where the tensor is on a GPU and this was built for one, else op_cpu.
#ifdef WITH_CUDA
#define RUN(op, first, ...) \
    (first).is_cuda() ? op##_cuda(__VA_ARGS__) : op##_cpu(__VA_ARGS__)
#else
#define RUN(op, first, ...) op##_cpu(__VA_ARGS__)
#endif

void check_device(const Tensor& x) {
#ifdef WITH_CUDA
    TORCH_CHECK(x.is_cpu() || x.is_cuda(), "no kernel for ", x.device());
#else
    TORCH_CHECK(x.is_cpu(), "this was built for the CPU alone; the tensor is on ",
                x.device());
#endif
}

Tensor add(const Tensor& a, const Tensor& b) {
    CHECK_SAME(a, b);
    CHECK_FLOAT(a);
    TORCH_CHECK(a.sizes() == b.sizes(), "a is ", a.sizes(), ", b is ", b.sizes());
    CHECK_CONTIGUOUS(a);
    CHECK_CONTIGUOUS(b);
    check_device(a);
    return RUN(add, a, a, b);
}

Tensor outer(const Tensor& a, const Tensor& b) {
    check_outer(a, b);
    check_device(a);
    return RUN(outer, a, a, b);
}

Tensor outer_backward_a(const Tensor& dy, const Tensor& b) {
    check_outer_backward(dy, b, 2);
    check_device(dy);
    return RUN(outer_backward_a, dy, dy, b);
}

Tensor outer_backward_b(const Tensor& dy, const Tensor& a) {
    check_outer_backward(dy, a, 1);
    check_device(dy);
    return RUN(outer_backward_b, dy, dy, a);
}

Tensor bias_gelu(const Tensor& x, const Tensor& bias) {
    check_bias(x, bias);
    check_device(x);
    return RUN(bias_gelu, x, x, bias);
}

Tensor bias_gelu_backward(const Tensor& dy, const Tensor& x, const Tensor& bias) {
    check_bias(x, bias);
    CHECK_SAME(dy, x);
    TORCH_CHECK(dy.sizes() == x.sizes(), "dy is ", dy.sizes(), ", x is ", x.sizes());
    CHECK_CONTIGUOUS(dy);
    check_device(x);
    return RUN(bias_gelu_backward, x, dy, x, bias);
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.doc() = "The operators of chapter 11";
    m.def("add", &add, "a + b", py::arg("a"), py::arg("b"));
    m.def("outer", &outer, "(B, M), (B, N) -> (B, M, N)");
    m.def("outer_backward_a", &outer_backward_a);
    m.def("outer_backward_b", &outer_backward_b);
    m.def("bias_gelu", &bias_gelu, "gelu(x + bias)");
    m.def("bias_gelu_backward", &bias_gelu_backward);
}
