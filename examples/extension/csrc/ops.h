// What the bindings call: for each operator a function for the CPU and one for CUDA.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

using at::Tensor;

#define CHECK_CONTIGUOUS(x) \
    TORCH_CHECK((x).is_contiguous(), #x " must be contiguous: " #x ".contiguous() copies")
#define CHECK_SAME(a, b)                                                              \
    TORCH_CHECK((a).device() == (b).device(), #a " is on ", (a).device(), ", " #b     \
                " on ", (b).device());                                                \
    TORCH_CHECK((a).scalar_type() == (b).scalar_type(), #a " is ", (a).scalar_type(), \
                ", " #b " is ", (b).scalar_type())
#define CHECK_FLOAT(x) \
    TORCH_CHECK((x).is_floating_point(), #x " must be floating, is ", (x).scalar_type())

#define DECLARE(where)                                                             \
    Tensor add_##where(const Tensor& a, const Tensor& b);                          \
    Tensor outer_##where(const Tensor& a, const Tensor& b);                        \
    Tensor outer_backward_a_##where(const Tensor& dy, const Tensor& b);            \
    Tensor outer_backward_b_##where(const Tensor& dy, const Tensor& a);            \
    Tensor bias_gelu_##where(const Tensor& x, const Tensor& bias);                 \
    Tensor bias_gelu_backward_##where(const Tensor& dy, const Tensor& x, const Tensor& bias);

DECLARE(cpu)
#ifdef WITH_CUDA
DECLARE(cuda)
#endif
