"""RawKernel and RawModule as CuPy has them, and `run` with all tools."""

import sys
import threading

from . import guards, native
from .file_variables import initial_bytes
from .front import compile
from .front.errors import CompileError, meant
from .generate import Module
from .simulated_launch import STATIC_SHARED, Launch, Limits
from .tools import TOOLS, Tool


class RawModule:
    """CUDA C source, compiled for the simulator; called like CuPy's RawModule.

    code: the source. options: as for NVRTC. Raises CompileError.
    """

    def __init__(self, code, options=(), name_expressions=None, name="kernel.cu"):
        self.code, self.options = code, tuple(options)
        self.program = compile(code, name, options)
        self.name_expressions = name_expressions
        self.variables = initial_bytes(self.program.globals)
        self._modules = {}
        self.lock = threading.RLock()  # a kernel is made by one thread at a time
        self._natives = {}

    def get_function(self, name):
        """The kernel of this name, or of the name expression `add<float>`."""
        self.kernel(name)
        return RawKernel(self.code, name, self.options, module=self)

    def kernel(self, name):
        """The kernel of this name in the program, which makes it if need be."""
        with self.lock:
            return self.program.kernel(name)

    def get_global(self, name):
        """The array of a __device__ or __constant__ variable, to read or to fill."""
        for variable, data in self.variables.items():
            if variable.name == name:
                kind = variable.type.of if hasattr(variable.type, "of") else None
                return data.view((kind or variable.type).dtype)
        variables = ", ".join(v.name for v in self.variables) or "none"
        raise KeyError(f"no variable '{name}': the file has {variables}")

    def module(self, kernel, schedule):
        """The generated code of a kernel: for lockstep, warps or steps."""
        key = kernel, schedule
        with self.lock:
            if key not in self._modules:
                self._modules[key] = Module(self.program, kernel, schedule)
        return self._modules[key]

    def native(self, kernel):
        """What there is of a kernel in C."""
        with self.lock:
            if kernel not in self._natives:
                self._natives[kernel] = native.Native(kernel)
        return self._natives[kernel]


class RawKernel:
    """A kernel in the simulator; called like CuPy's RawKernel.

    code: CUDA C. name: the kernel's, or a name expression such as `add<float>`.
    options: as for NVRTC. Raises CompileError.
    """

    def __init__(self, code, name, options=(), *, module=None, **ignored):
        if not isinstance(name, str):
            raise TypeError(f"the kernel's name must be a string, not {name!r}")
        self.module = module or RawModule(code, options)
        name = self.module.program.full_name(name)
        self.code, self.name, self.options = code, name, tuple(options)
        kernels = self.module.program.kernels
        if name not in kernels and "<" not in name:
            names = ", ".join(kernels) or "none"
            note = meant(name, kernels) or f"the file has {names}"
            raise CompileError(f"no kernel '{name}'", (1, 1), note)
        self.function = self.module.kernel(name)
        self.native = self.module.native(self.function)
        self.max_dynamic_shared_size_bytes = STATIC_SHARED
        self.limits = Limits()

    @property
    def parameters(self):
        """The kernel's parameters: each has a name and a type."""
        return self.function.parameters

    @property
    def warnings(self):
        """The compiler's warnings about the file: Lints."""
        return [w for w in self.module.program.warnings if w.kind != "template"]

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        """Launch the kernel and wait for it; NumPy arrays are device memory.

        grid, block: an int or up to three. Raises KernelError if a thread goes out of
        bounds, misses a barrier, or never ends.
        """
        report = native.run(Launch(self, grid, block, args, shared_mem))
        if report.output:
            sys.stdout.write(report.output)
        report.raise_if_any()

    def __repr__(self):
        return f"<RawKernel {self.name}>"


def run(kernel, grid, block, args, shared_mem=0, tools="all", schedule="lockstep",
        seed=0, limits=None, advise=True):  # fmt: skip
    """Launch a RawKernel under tools, and report what they found.

    tools: "all", or a list of names (race, init, coalescing, banks, divergence) and of
    your own Tools; bounds, alignment, barriers and time are always watched.
    schedule: "lockstep" runs all threads side by side, "warps" one warp after another
    in an order drawn with `seed`. Errors in the kernel are not raised: see
    Report.findings. advise: try the guards that a finding would advise; those that
    don't mend it are asked about only.
    """
    if schedule not in ("lockstep", "warps"):
        raise ValueError(f"schedule must be 'lockstep' or 'warps', not {schedule!r}")
    chosen = TOOLS if tools == "all" else [tools] if isinstance(tools, str) else tools
    before = guards.copies(args) if advise else None

    def launched(kernel, args):
        some = [made_tool(tool) for tool in chosen]
        how = shared_mem, some, schedule, seed, limits
        return Launch(kernel, grid, block, args, *how).run()

    def findings(code):
        again = RawKernel(code, kernel.name, kernel.options)
        return launched(again, guards.copies(before)).findings

    report = launched(kernel, args)
    if before is not None and all(isinstance(tool, str) for tool in chosen):
        guards.advise(report.findings, kernel.code, findings)
    return report


def made_tool(tool):
    """A tool by its name; a Tool is returned as it is."""
    if isinstance(tool, Tool):
        return tool
    if tool not in TOOLS:
        raise ValueError(f"no tool {tool!r}; the tools are {', '.join(TOOLS)}")
    return TOOLS[tool]()
