"""The C++ of an extension: checks, and a kernel for the CPU. Written in lab 11.

The answers are built against PyTorch's headers; minigrad/testing/native.py says which.
"""

from ..exercises.registry import cpp_exercise

check_bias_gelu = cpp_exercise(
    """\
// Refuse what bias_gelu(x, bias) cannot do, before a kernel runs; say nothing else.
//
// - x and bias are on one device, and have one dtype, which is a floating one.
// - x has one dimension or more; bias has one, and as many elements as x's last one.
// - Both are contiguous.
//
// Sizes may be 0. Whatever keeps these rules is let through, on any device. What breaks
// one is refused by a TORCH_CHECK (never by an error from somewhere in PyTorch), whose
// message names the argument and says what it is:
//     TORCH_CHECK(bias.dim() == 1, "bias must have one dimension, has ", bias.dim());
// A message about a device names it, one about a dtype names that, one about dimensions
// has their number or the sizes, one about two sizes that should be equal has both, and
// one about memory says "contiguous".
void check_bias_gelu(const at::Tensor& x, const at::Tensor& bias);
""",
    points=3,
    stars=2,
    minutes=20,
    level="good to know",
)

bias_gelu_cpu = cpp_exercise(
    """\
// A new tensor: gelu(x + bias). Both are on the CPU and have passed check_bias_gelu.
//
// gelu(u) = u * (1 + erf(u / sqrt(2))) / 2. For float, double and half, each by itself:
// AT_DISPATCH_FLOATING_TYPES_AND_HALF; in at::opmath_type<scalar_t>, which is float for
// half, and rounded once. Only the memory comes from ATen, by at::empty or
// at::empty_like; the arithmetic is a loop over pointers. x and bias stay as they are.
// There may be no elements, and any number of dimensions.
at::Tensor bias_gelu_cpu(const at::Tensor& x, const at::Tensor& bias);
""",
    points=3,
    stars=2,
    minutes=20,
    level="good to know",
)
