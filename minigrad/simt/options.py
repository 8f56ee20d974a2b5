"""The options that NVRTC takes."""

import re

from .errors import CompileError

FLAGS = re.compile(
    r"(-I|--include-path|-std|--std|--fmad|-fmad|--use_fast_math|-use_fast_math|-w$|"
    r"--ftz|-ftz|--prec-div|-prec-div|--prec-sqrt|-prec-sqrt|--maxrregcount|"
    r"-maxrregcount|-lineinfo|--generate-line-info|-G$|--device-debug|"
    r"--extra-device-vectorization|-default-device|--device-as-default)"
)
ARCH = re.compile(r"(?:-arch|--gpu-architecture)=(?:compute|sm)_(\d{2,3})[af]?$")
NAME = re.compile(r"[A-Za-z_]\w*$", re.ASCII)


def read(options):
    """(macros, compute capability times 100) from options as CuPy passes them."""
    macros, arch, options = {}, 75, list(options)
    while options:
        option = options.pop(0)
        if not isinstance(option, str):
            raise CompileError(f"an option is a text, not {option!r}")
        if option in ("-D", "-U", "--define-macro") and options:
            option += options.pop(0)
        if match := ARCH.match(option):
            arch = int(match[1])
        elif option.startswith(("-D", "--define-macro")):
            text = option.removeprefix("--define-macro").removeprefix("-D").lstrip("=")
            name, _, value = text.partition("=")
            if not NAME.match(name):
                raise CompileError(f"'{option}' does not define a macro")
            macros[name] = value if "=" in text else "1"
        elif not FLAGS.match(option):
            raise CompileError(f"unrecognized option '{option}'")
    macros["__CUDA_ARCH__"] = f"{arch}0"
    return macros, arch * 10
