"""`cudasim FILE`: compile files of CUDA C, and say what is in them."""

import dataclasses
import json

from rich.console import Console
from rich.text import Text

from ..front import CompileError, caret, compile
from ..front.errors import meant
from ..front.options import read as read_options

COLORS = {"error": "bold red", "warning": "bold yellow", "note": "cyan"}


@dataclasses.dataclass
class File:
    """What came of one file: remarks (errors and warnings) and kernels, for JSON."""

    file: str
    remarks: list = dataclasses.field(default_factory=list)
    kernels: list = dataclasses.field(default_factory=list)
    templates: list = dataclasses.field(default_factory=list)

    @property
    def failed(self):
        return any(remark["kind"] == "error" for remark in self.remarks)


def check(paths, names=(), options=(), as_json=False):
    """Compile the files and print what came of them; 1 where there was an error."""
    try:
        read_options(options)
    except CompileError as error:
        raise ValueError(error.message) from None
    files = [checked(path, options) for path in paths]
    for name in names:
        instantiate(name, files)
    compiled = [file for file, _ in files]
    if as_json:
        print(json.dumps([dataclasses.asdict(file) for file in compiled], indent=2))
    else:
        console = Console(highlight=False, soft_wrap=True)
        for file in compiled:
            show(file, console)
    return int(any(file.failed for file in compiled))


def checked(path, options):
    """(File, Program or None) of one path."""
    file = File(str(path))
    try:
        program = compile(text_of(path), str(path), options)
    except CompileError as error:
        file.remarks.append(remark("error", error, error.note))
        return file, None
    except (OSError, ValueError) as error:
        file.remarks.append({"kind": "error", "line": 0, "message": str(error)})
        return file, None
    file.remarks += [
        remark("warning", lint) for lint in program.warnings if lint.kind != "template"
    ]
    file.kernels += [kernel_facts(k, k.name) for k in program.kernels.values()]
    file.templates += program.templates
    return file, program


def text_of(path):
    """The text of a file, or what is wrong with it."""
    if path.is_dir():
        raise ValueError("this is a folder: name the files in it, as *.cu")
    if not path.exists():
        near = meant(path.name, [beside.name for beside in path.parent.glob("*.cu*")])
        raise ValueError(f"no such file; {near}" if near else "no such file")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ValueError("not a text file in UTF-8: cudasim reads CUDA C")
    return text


def instantiate(name, files):
    """Make the kernel add<float> of every file that has the template add."""
    head = name.partition("<")[0].strip()
    having = [(f, p) for f, p in files if p and head in (*p.kernels, *p.templates)]
    if not having and all(program for _, program in files):
        known = [k for _, p in files for k in (*p.kernels, *p.templates)]
        note = f"; {meant(head, known)}" if meant(head, known) else ""
        why = f"no file has a kernel '{head}'{note}"
        raise ValueError(f"--name-expression {name}: {why}")
    for file, program in having:
        try:
            kernel = program.kernel(name)
        except CompileError as error:
            if error.file == "name expression":
                error.file, error.line = f"--name-expression {name}", 0
            file.remarks.append(remark("error", error, error.note))
            continue
        if head in program.templates:
            file.kernels.append(kernel_facts(kernel, name))
            file.templates = [t for t in file.templates if t != head]


def remark(kind, error, note=""):
    return {
        "kind": kind,
        "file": error.file,
        "line": error.line,
        "column": error.column,
        "message": error.message,
        "note": note,
        "source": error.source_line,
        "lint": getattr(error, "kind", None),
    }


def kernel_facts(kernel, name):
    return {
        "name": name,
        "parameters": [
            {"type": str(p.type), "name": p.name} for p in kernel.parameters
        ],
        "shared_bytes": kernel.shared_bytes,
        "dynamic_shared": kernel.dynamic_shared,
        "barriers": kernel.barrier,
    }


# Printing


def show(file, console):
    """The remarks, then a line for each kernel."""
    for remark in file.remarks:
        show_remark(file, remark, console)
    if file.failed:
        return
    for kernel in file.kernels:
        console.print(Text.assemble((file.file, "bold"), ": ", described(kernel)))
    for name in file.templates:
        how = f'template {name}: --name-expression "{name}<...>" makes a kernel of it'
        console.print(Text.assemble((file.file, "bold"), ": ", how))
    if not file.kernels and not file.templates:
        console.print(Text.assemble((file.file, "bold"), ": no kernels"))


def described(kernel):
    """add(const float *x, int n), 2048 bytes of shared memory, barriers"""
    shown = [
        f"{p['type']} {p['name']}".replace("* ", "*") for p in kernel["parameters"]
    ]
    parts = [f"{kernel['name']}({', '.join(shown)})"]
    if kernel["shared_bytes"]:
        count = kernel["shared_bytes"]
        unit = "byte" if count == 1 else "bytes"
        parts.append(f"{count} {unit} of shared memory")
    if kernel["dynamic_shared"]:
        parts.append("shared memory of a size that the launch gives")
    if kernel["barriers"]:
        parts.append("barriers")
    return ", ".join(parts)


def show_remark(file, remark, console):
    place = f"{remark.get('file', file.file)}:"
    if remark["line"]:
        place += f"{remark['line']}:{remark['column']}:"
    kind = (f" {remark['kind']}: ", COLORS[remark["kind"]])
    console.print(Text.assemble((place, "bold"), kind, printable(remark["message"])))
    source = printable(remark.get("source", "")) if remark["line"] else ""
    for line in caret(source, remark.get("column", 1)):
        console.print(Text(line, "green" if line.strip() == "^" else ""))
    if remark.get("note"):
        console.print(Text.assemble(("note: ", COLORS["note"]), remark["note"]))


def printable(text):
    """`text` without what would steer the terminal."""
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}"
                   for c in text)  # fmt: skip
