"""The C++ of an extension, which you write in lab 11: checks, and a loop on the CPU.

Answers are compiled against PyTorch's headers, which minigrad/testing/native.py lists.
"""

from ..exercises.registry import cpp_exercise

check_bias_gelu = cpp_exercise(
    """\
// Raise an error unless bias_gelu(x, bias) is possible, and do nothing else.
//
// - x and bias must be on the same device, and have the same floating-point dtype.
// - x must have at least one dimension, and bias exactly one. bias must have as many
//   elements as the last dimension of x.
// - Both must be contiguous.
//
// Sizes may be 0, and any device and floating-point dtype must be accepted. If a rule
// is broken, a TORCH_CHECK must say so before PyTorch itself raises an error:
//     TORCH_CHECK(bias.dim() == 1, "bias must have one dimension, has ", bias.dim());
// The message must name x or bias (the one that isn't contiguous, if that's the
// problem) and say what's wrong with it. If the devices are wrong, it must contain one
// of them, and likewise for dtypes. For dimensions, it must contain their number or the
// sizes. For sizes that differ, it must contain both numbers, and for a tensor that
// isn't contiguous, the word "contiguous". Messages for different rules must differ. If
// several rules are broken, any of their messages will do.
void check_bias_gelu(const at::Tensor& x, const at::Tensor& bias);
""",
    points=3,
    stars=2,
    minutes=20,
    level="good to know",
)

bias_gelu_cpu = cpp_exercise(
    """\
// Return gelu(x + bias) as a new tensor with the shape and dtype of x.
//
// Both are on the CPU, have passed check_bias_gelu, and are float, double, or half. x
// has one or more dimensions, and it may be empty. gelu(u) is u * (1 + erf(u /
// sqrt(2))) / 2, without an approximation by tanh. Compute in
// at::opmath_type<scalar_t>, which is float for half, or a wider type, and round once.
// Use ATen only to allocate memory, with at::empty or at::empty_like. The arithmetic
// must be your own loop over pointers. For inf and NaN, the result must be what the
// formula gives. x and bias must not change, and no call may depend on an earlier one.
at::Tensor bias_gelu_cpu(const at::Tensor& x, const at::Tensor& bias);
""",
    points=3,
    stars=2,
    minutes=20,
    level="good to know",
)
