"""Pictures of chapter 00: two memories, who calls whom, from text to machine code."""

from .diagram import Arrow, Box, diagram

WIDE = 8.56


def machine():
    """Draw host and device: what each has, and what passes between them."""
    boxes = [
        Box(0.1, 0.1, 2.75, 3.1, "host: your computer", kind="unused", top=True),
        Box(0.3, 0.55, 2.35, 0.75, "CPU", ("a few fast cores; runs Python",)),
        Box(0.3, 2.0, 2.35, 0.95, "host memory", ("NumPy arrays: x, y, z",), "line"),
        Box(4.85, 0.1, 3.6, 3.1, "device: the GPU", kind="unused", top=True),
        Box(5.05, 2.0, 3.2, 0.95, "global memory",
            ("arrays of the device: dx, dy, dz", "all threads; 16 to 180 GB"), "line"),
    ]  # fmt: skip
    for n in range(3):
        inside = ("registers", "shared memory")
        boxes.append(
            Box(5.05 + 1.09 * n, 0.5, 1.02, 0.85, f"SM {n}", inside, "touched")
        )
    arrows = [
        Arrow((2.65, 0.92), (5.05, 0.92), "add<<<grid, block>>>(...)"),
        Arrow((2.65, 2.3), (5.05, 2.3), "copy, host to device"),
        Arrow((5.05, 2.7), (2.65, 2.7), "copy, device to host"),
        Arrow((6.65, 2.0), (6.65, 1.35), "load, store", (0.08, 0), True),
        Arrow((1.475, 2.0), (1.475, 1.3), "load, store", (0.08, 0), True),
    ]
    alt = (
        "Two computers. The host has a CPU, which runs Python, and host memory with "
        "the NumPy arrays x, y, z. The device, the GPU, has multiprocessors (SM), each "
        "with registers and shared memory, and global memory with dx, dy, dz. The CPU "
        "launches kernels on the GPU. Arrays are copied from host to device and back; "
        "each processor loads and stores in its own memory alone."
    )
    return diagram((WIDE, 3.3), boxes, arrows, alt)


def calls():
    """Draw who calls whom, from a line of Python to the GPU."""
    layers = [
        ("Python", "z = x + y", "your program", "read"),
        ("C++", "at::add(x, y)", "libtorch_cuda.so, CuPy's .so: in the wheel", "read"),
        ("CUDA runtime", "cudaLaunchKernel(...)",
         "libcudart.so: in the wheel, or the toolkit", "touched"),
        ("driver", "cuLaunchKernel(...)",
         "libcuda.so.1: with NVIDIA's driver, alone", "touched"),
        ("GPU", "add, by each thread", "takes it from a queue, the stream", "line"),
    ]  # fmt: skip
    boxes, arrows, y = [], [], 0.1
    for n, (name, call, where, kind) in enumerate(layers):
        boxes += [
            Box(0.1, y, 1.7, 0.42, name, kind=kind),
            Box(1.9, y, 2.7, 0.42, call, kind=kind, mono=True),
            Box(4.7, y, 3.75, 0.42, "", (where,), kind),
        ]
        if n:
            arrows.append(Arrow((3.25, y - 0.2), (3.25, y)))
        y += 0.62
    alt = "Who calls whom, from the top down: " + "; ".join(
        f"{name}: {call}, {where}" for name, call, where, _ in layers
    )
    return diagram((WIDE, y - 0.1), boxes, arrows, f"{alt}.")


def toolchain():
    """Draw the way from a kernel's text to the GPU's machine code."""
    boxes = [
        Box(0.1, 0.1, 1.6, 0.62, "CUDA C", ("add.cu, or a string",), "read"),
        Box(0.1, 1.15, 1.6, 0.62, "Python", ("a function for Numba",), "read"),
        Box(3.1, 0.6, 1.95, 0.66, "PTX",
            ("for GPUs of this kind", "and newer ones"), "line"),
        Box(6.5, 0.6, 1.95, 0.66, "cubin", ("machine code (SASS)", "for one kind"),
            "touched"),
    ]  # fmt: skip
    arrows = [
        Arrow((1.7, 0.41), (3.1, 0.8), "nvcc, NVRTC", (0, -0.2)),
        Arrow((1.7, 1.46), (3.1, 1.08), "Numba, NVVM", (0, 0.2)),
        Arrow((5.05, 0.8), (6.5, 0.8), "ptxas: before"),
        Arrow((5.05, 1.06), (6.5, 1.06), "driver: at run time", (0, 0.13)),
    ]
    alt = (
        "CUDA C is compiled to PTX by nvcc or NVRTC; a Python function by Numba with "
        "NVVM. PTX is for GPUs of one compute capability and newer ones. ptxas, before "
        "the program runs, or the driver, while it runs, makes a cubin of it: machine "
        "code for one kind of GPU."
    )
    return diagram((WIDE, 1.9), boxes, arrows, alt)


def memories():
    """Draw which thread may read which memory."""
    boxes = [Box(0.1, 0.1, 8.35, 2.1, "a grid", kind="unused", top=True)]
    for b in range(2):
        left = 0.3 + 4.05 * b
        boxes.append(Box(left, 0.42, 3.9, 1.6, f"block {b}", kind="line", top=True))
        for t in range(3):
            thread = Box(left + 0.15 + 1.22 * t, 0.75, 1.16, 0.55, f"thread {t}",
                         ("registers",), "read")  # fmt: skip
            boxes.append(thread)
        shared = "shared memory of the block: __shared__"
        boxes.append(Box(left + 0.15, 1.42, 3.6, 0.45, "", (shared,), "touched"))
    boxes += [
        Box(0.1, 2.42, 5.4, 0.55, "global memory", ("cudaMalloc; all blocks read and "
            "write it, the host copies to it and from it",), "read"),
        Box(5.65, 2.42, 2.8, 0.55, "constant memory", ("64 KB; kernels only read it",),
            "read"),
    ]  # fmt: skip
    alt = (
        "Which thread may read which memory. Each thread has registers of its own. The "
        "threads of a block have its shared memory in common. All blocks of the grid "
        "read and write global memory, and read constant memory; the host fills both."
    )
    return diagram((WIDE, 3.1), boxes, [], alt)


CARDS = {  # SMs; KB of L1 and shared memory, of it shared at most, for one block
    "T4": (40, 96, 64, 64, "4 MB", "16 GB, 0.32 TB/s"),
    "A100": (108, 192, 164, 163, "40 MB", "40 or 80 GB, 1.56 or 2.04 TB/s"),
    "H100": (132, 256, 228, 227, "50 MB", "80 GB, 3.35 TB/s"),
    "H200": (132, 256, 228, 227, "60 MB", "141 GB, 4.8 TB/s"),
}


def pyramid(card="H200"):
    """Draw a card's memories from the nearest to the largest, with sizes and delays.

    card: "T4", "A100", "H100" (SXM) or "H200"; makers' figures.
    """
    if card not in CARDS:
        raise ValueError(f"card={card!r}: choose from {', '.join(CARDS)}")
    sms, both, most, block, level2, device = CARDS[card]
    levels = [
        ("registers", f"256 KB an SM, {sms * 256 // 1024} MB in all",
         "a thread's own variables; no delay"),
        ("shared memory and L1 cache", f"{both} KB an SM, of it shared at most {most}",
         f"shared: a block's own, at most {block} KB; some 30 cycles"),
        ("L2 cache", level2, "for all SMs, by itself; some 250 cycles"),
        ("device memory", device, "all threads of all kernels; 500 cycles or more"),
    ]  # fmt: skip
    boxes, kinds = [], ("touched", "line", "read", "unused")
    for n, ((name, size, _), kind) in enumerate(zip(levels, kinds, strict=True)):
        wide = 2.3 + 0.75 * n
        boxes.append(Box(2.5 - wide / 2, 0.1 + 0.6 * n, wide, 0.6, name, (size,), kind))
    places = [(4.9, 0.4 + 0.6 * n) for n in range(len(levels))]
    arrows = [
        Arrow(place, place, text, (0.01, 0))
        for place, (*_, text) in zip(places, levels, strict=True)
    ]
    said = "; ".join(f"{name}: {size}; {text}" for name, size, text in levels)
    alt = f"The memories of the {card}, {sms} SMs, from the nearest: {said}."
    return diagram((WIDE, 2.6), boxes, arrows, alt)


def versions(drivers, wheels):
    """Draw which wheels, by their CUDA, run with which drivers.

    drivers, wheels: lists of versions, (12, 8). A wheel is a row, a driver a column.
    """
    words = {"touched": "runs", "line": "runs; not its PTX", "wrong": "refused"}
    boxes, said = [], []
    for row, wheel in enumerate(wheels):
        y = 0.62 + 0.46 * row
        boxes.append(Box(0.1, y, 1.5, 0.42, "cu{}{}".format(*wheel), kind="unused"))
        for column, driver in enumerate(drivers):
            kind = outcome(driver, wheel)
            place = 1.66 + 1.7 * column, y, 1.66, 0.42
            boxes.append(Box(*place, "", (words[kind],), kind))
            versions = "{}.{}".format(*wheel), "{}.{}".format(*driver)
            said.append("CUDA {} with a driver of {}: ".format(*versions) + words[kind])
    for column, driver in enumerate(drivers):
        title = "driver: {}.{}".format(*driver)
        boxes.append(Box(1.66 + 1.7 * column, 0.1, 1.66, 0.42, title, kind="unused"))
    size = 1.8 + 1.7 * len(drivers), 0.7 + 0.46 * len(wheels)
    return diagram(size, boxes, [], "A wheel of " + "; of ".join(said) + ".")


def outcome(driver, wheel):
    if wheel[0] > driver[0]:
        return "wrong"
    return "touched" if wheel <= driver else "line"
