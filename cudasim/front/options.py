"""The options that NVRTC takes."""

import dataclasses
import re

from .errors import CompileError

FLAGS = re.compile(
    r"(-I|--include-path|-std|--std|-w$|--maxrregcount|-maxrregcount|-lineinfo|"
    r"--generate-line-info|-G$|--device-debug|--extra-device-vectorization|"
    r"-default-device|--device-as-default)"
)
INCLUDE = re.compile(r"(?:-include|--pre-include)=(.+)$")
ARCH = re.compile(r"(?:-arch|--gpu-architecture)=(?:compute|sm)_(\d{2,3})[af]?$")
SWITCH = re.compile(r"--?(fmad|ftz|prec-div|prec-sqrt)=(.*)$")
NAME = re.compile(r"[A-Za-z_]\w*$", re.ASCII)
FAST = {"fmad": True, "ftz": True, "prec_div": False, "prec_sqrt": False}


@dataclasses.dataclass
class Options:
    """What the options said.

    arch: 75 for sm_75. fmad: a * b + c may be fused, which the simulator does on
    request only. ftz: subnormal floats are zero. prec_div, prec_sqrt: division and
    square root round correctly. includes: headers before the first line.
    """

    macros: dict = dataclasses.field(default_factory=dict)
    includes: list = dataclasses.field(default_factory=list)
    arch: int = 75
    fmad: bool = False
    ftz: bool = False
    prec_div: bool = True
    prec_sqrt: bool = True


def read(options):
    """The Options that a list of texts gives, as CuPy passes them."""
    if isinstance(options, str):
        raise CompileError(f"the options are a list of texts, as ['{options}']")
    out, said, options = Options(), {}, list(options)
    while options:
        option = options.pop(0)
        if not isinstance(option, str):
            raise CompileError(f"an option is a text, not {option!r}")
        if option in ("-D", "-U", "--define-macro") and options:
            option += options.pop(0)
        if match := ARCH.match(option):
            out.arch = int(match[1])
        elif match := INCLUDE.match(option):
            out.includes.append(match[1])
        elif option in ("--use_fast_math", "-use_fast_math"):
            said = {**FAST, **said}
        elif match := SWITCH.match(option):
            said[match[1].replace("-", "_")] = truth(option, match[2])
        elif option.startswith(("-D", "--define-macro")):
            define(out.macros, option)
        elif option.startswith(("-arch", "--gpu-architecture")):
            raise CompileError(f"'{option}' names no GPU: write -arch=sm_75, or so")
        elif not FLAGS.match(option):
            raise CompileError(f"unrecognized option '{option}'")
    out.macros["__CUDA_ARCH__"] = f"{out.arch}0"
    return dataclasses.replace(out, **said)


def truth(option, value):
    """The value of --fmad=true."""
    if value not in ("true", "false"):
        raise CompileError(f"'{option}' must end in true or false")
    return value == "true"


def define(macros, option):
    """Take -DN=4 into `macros`."""
    text = option.removeprefix("--define-macro").removeprefix("-D").lstrip("=")
    name, _, value = text.partition("=")
    if not NAME.match(name):
        raise CompileError(f"'{option}' does not define a macro")
    macros[name] = value if "=" in text else "1"
