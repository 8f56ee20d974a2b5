"""Pictures of chapter 11: the floors of an extension, and of a call of ATen's."""

from .diagram import Arrow, Box, diagram

WIDE = 8.56


def floors(layers, alt):
    """Boxes one below the other: (who, what is called, what it does, kind)."""
    boxes, arrows, y = [], [], 0.1
    for number, (who, call, does, kind) in enumerate(layers):
        boxes += [
            Box(0.1, y, 1.55, 0.42, who, kind=kind),
            Box(1.7, y, 3.2, 0.42, call, kind=kind, mono=True),
            Box(4.95, y, 3.5, 0.42, "", (does,), kind),
        ]
        if number:
            arrows.append(Arrow((3.3, y - 0.18), (3.3, y)))
        y += 0.6
    return diagram((WIDE, y - 0.08), boxes, arrows, alt)


def extension():
    """Draw what a call of an extension passes through, and what each floor does."""
    layers = [
        ("__init__.py", "Outer.apply(a, b)", "saves a and b for backward", "read"),
        (
            "bindings.cpp",
            "outer(a, b)",
            "checks: device, dtype, shape, contiguity",
            "read",
        ),
        (
            "cuda.cu",
            "outer_cuda(a, b)",
            "memory, dtype, device guard, stream",
            "touched",
        ),
        ("kernels.cuh", "outer_kernel<<<...>>>", "launched; nobody waits", "line"),
    ]
    alt = (
        "Four floors of an extension, each calls the next. __init__.py: Outer.apply "
        "saves a and b for backward. bindings.cpp: checks device, dtype, shape and "
        "contiguity. cuda.cu: takes memory, chooses the dtype, the device and the "
        "stream. kernels.cuh: the kernel is launched, and nobody waits."
    )
    return floors(layers, alt)


def dispatch():
    """Draw the floors that torch.matmul passes through, on a GPU."""
    layers = [
        ("Python", "a @ b", "the same as torch.matmul(a, b)", "read"),
        ("dispatcher", "aten::matmul", "composite: written as other operators", "read"),
        ("Autocast", "aten::mm", "off: passed by", "unused"),
        ("Autograd", "MmBackward0", "notes the operation, asks again below", "read"),
        ("CUDA", "structured_mm_out_cuda", "meta half: the shape; then the product",
         "touched"),
        ("library", "at::cuda::blas::gemm", "cuBLAS, on the current stream", "line"),
    ]  # fmt: skip
    alt = (
        "Six floors of a @ b in PyTorch on a GPU: Python; the dispatcher's "
        "aten::matmul, written as other operators; aten::mm at Autocast, which is off; "
        "Autograd, which notes MmBackward0 and asks again; the structured kernel for "
        "CUDA, which works out the shape and then the product; cuBLAS on the current "
        "stream."
    )
    return floors(layers, alt)
