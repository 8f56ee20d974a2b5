"""The API reference: a page for each part of the library, made from its docstrings."""

import importlib
import inspect
import re

from minigrad import functions

OPERATORS = " ".join([*sorted(functions.FUNCTIONS), "cat stack where einsum"])
# page: (title, what it's about, {module: names, or None for all that are public})
PAGES = {
    "tensors": (
        "Tensors",
        "How to make a tensor, what it knows about itself, and where it is. An "
        "operator's functions are on [their own page](operators.md), and each of them "
        "is a method, too.",
        {
            "minigrad": """tensor from_numpy zeros ones full empty eye arange linspace
            zeros_like ones_like full_like empty_like rand randn randint randperm
            rand_like randn_like bernoulli manual_seed result_type promote_types
            save_file load_file Tensor""",
        },
    ),
    "operators": (
        "Operators",
        "Functions of tensors, under PyTorch's names. With an `input` as its first "
        "argument, `minigrad.exp(x)` is `x.exp()`.",
        {"minigrad": OPERATORS},
    ),
    "autograd": (
        "Gradients",
        "What records a graph, and what goes back through it.",
        {
            "minigrad": "no_grad enable_grad set_grad_enabled is_grad_enabled",
            "minigrad.autograd": """backward grad Function Context gradcheck
            GradcheckError detect_anomaly Node""",
        },
    ),
    "nn": (
        "Layers and losses",
        "Modules, under the names of torch.nn.",
        {
            "minigrad.nn": None,
            "minigrad.nn.init": """calculate_gain constant_ kaiming_normal_
            kaiming_uniform_ normal_ ones_ orthogonal_ uniform_ xavier_normal_
            xavier_uniform_ zeros_""",
            "minigrad.nn.utils": "clip_grad_norm_ clip_grad_value_",
        },
    ),
    "functional": (
        "Layers as functions",
        "What the modules compute, as functions of tensors.",
        {"minigrad.nn.functional": None},
    ),
    "optim": (
        "Optimizers and learning rates",
        "What changes the parameters after `backward()`.",
        {
            "minigrad.optim": "Optimizer SGD Adam AdamW",
            "minigrad.optim.lr_scheduler": """LRScheduler LambdaLR StepLR
            CosineAnnealingLR""",
        },
    ),
    "training": (
        "Data and training",
        "Data sets, and a loop that trains on them.",
        {
            "minigrad.data": None,
            "minigrad.training": "Training train_step evaluate",
        },
    ),
    "kernels": (
        "Kernels and devices",
        "CUDA C++ on a GPU or in the simulator, and which kernel an operator runs.",
        {
            "minigrad": """Kernel CompileError to_device to_host device_empty
            gpu_available synchronize kernel_variant trace DispatchError""",
            "minigrad.testing": "bench bench_table Timing",
        },
    ),
    "compiling": (
        "Tracing, fusing, and graphs",
        "What runs many operators as one.",
        {
            "minigrad": "jit",
            "minigrad.cuda": None,
            "minigrad.graph": """Graph Session Operation Tensor Variable placeholder
            constant gradients assign cond""",
        },
    ),
    "viz": (
        "Pictures",
        "The pictures of the lessons. Each function returns one that shows itself.",
        {"minigrad.viz": None},
    ),
    "cudasim": (
        "The simulator",
        "`cudasim` runs CUDA C++ without a GPU, and is a package of its own. "
        "[Its own page](../cudasim/README.md) says what it finds.",
        {"cudasim": None},
    ),
}
SHAPE = re.compile(
    r"\((?=[^()]*\b[A-Z]+\b|\*|[^()]*_)(?:[\w*…]+(?: [-+*/] \w+)*(?:, |,)?)+\)"
)
PUNCTUATION = re.compile(r"([\\*_<>\[\]|$#{}~^])")
PARAMETERS = re.compile(r"(?:^|(?<=[.)] ))(\w+(?:, \w+)*): ")


def pages():
    """{page: its Markdown} of the reference."""
    results = {f"api/{page}.md": text(*what) for page, what in PAGES.items()}
    lines = [f"- [{title}]({page}.md): {about}" for page, (title, about, _) in
             PAGES.items()]  # fmt: skip
    lines = [re.sub(r": (.*?[.])(?: .*)?$", r": \1", line) for line in lines]
    tree = "\n".join(f"/api/{page}" for page in PAGES)
    results["api/index.md"] = (
        "# API reference\n\n"
        "Names, arguments, and defaults are PyTorch's wherever PyTorch has them. Shapes"
        " are in parentheses, such as `(N, C, H, W)`: batch, channels, height, and "
        "width. Times are in seconds, memory is in bytes, and strides and offsets are "
        "in elements, unless an entry says otherwise.\n\n"
        + "\n".join(lines)
        + f"\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    )
    return results


def text(title, about, modules):
    """The Markdown of a page."""
    parts = [f"# {title}", about]
    for module, names in modules.items():
        if len(modules) > 1:
            parts.append(f"## {module}")
        owner = importlib.import_module(module)
        for name in names.split() if names else public(owner):
            value = getattr(owner, name)
            if inspect.getdoc(value) and callable(value):
                parts.append(entry(f"{module}.{name}", value))
    return "\n\n".join(parts) + "\n"


def public(module):
    """The public functions and classes of a module that are ours."""
    names = getattr(module, "__all__", None) or vars(module)
    package = module.__name__.partition(".")[0]
    return [
        name
        for name in names
        if name[0] != "_"
        and callable(getattr(module, name))
        and (getattr(getattr(module, name), "__module__", "") or "").startswith(package)
    ]


def entry(path, value):
    """The directive of a function, or of a class with its methods."""
    kind = "class" if inspect.isclass(value) else "function"
    inner = [described(value)]
    if kind == "class":
        inner += [
            directive("method", f"{path}.{name}", method, described(method))
            for name, method in methods(value)
        ]
    return directive(kind, path, value, "\n\n".join(inner), 5)


def directive(kind, path, value, content, ticks=4):
    fence = "`" * ticks
    name = path if kind != "method" else path.rpartition(".")[2]
    options = ""
    if isinstance(value, property):
        kind, shown = "property", name
    else:
        shown = f"{name}{signature(value)}"
    return f"{fence}{{py:{kind}}} {shown}\n{options}\n{content}\n{fence}"


def methods(owner):
    """(name, method) of a class's own public methods that say what they do."""
    for name, value in vars(owner).items():
        if name[0] == "_" or name in functions.FUNCTIONS:
            continue
        value = getattr(value, "__func__", value)
        if (callable(value) or isinstance(value, property)) and inspect.getdoc(value):
            yield name, value


def signature(value):
    """The signature in parentheses, without `self`."""
    try:
        found = inspect.signature(best(value))
    except (TypeError, ValueError):
        return "()"
    kept = []
    for name, one in found.parameters.items():
        if name == "self":
            continue
        if one.default is not one.empty and not re.match(
            r"[-\w.'\"(\[{]", repr(one.default)
        ):
            one = one.replace(default=Dots())
        kept.append(one.replace(annotation=one.empty))
    found = found.replace(parameters=kept, return_annotation=inspect.Signature.empty)
    return str(found)


class Dots:
    """A default that has no short text."""

    def __repr__(self):
        return "..."


def best(value):
    """A function of tensors has the arguments of the method that it calls."""
    from minigrad import Tensor

    name = getattr(value, "__name__", "")
    return getattr(Tensor, name) if functions.FUNCTIONS.get(name) is value else value


def described(value):
    """A docstring as Markdown: its paragraphs, arguments as a list, code as code."""
    try:
        names = {*inspect.signature(best(value)).parameters}
    except (TypeError, ValueError):
        names = set()
    parts = []
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(value)):
        if paragraph.startswith("    "):
            parts.append(f"```text\n{inspect.cleandoc(paragraph)}\n```")
        else:
            parts += with_arguments(" ".join(paragraph.split()), names)
    return "\n\n".join(parts)


def with_arguments(paragraph, names):
    """The paragraph's text, and a list of the arguments that it describes."""
    starts = [m for m in PARAMETERS.finditer(paragraph)
              if {*m[1].split(", ")} <= names]  # fmt: skip
    if not starts:
        return [escaped(paragraph)]
    before = paragraph[: starts[0].start()].strip()
    ends = [*(m.start() for m in starts[1:]), len(paragraph)]
    items = []
    for start, end in zip(starts, ends, strict=True):
        name = ", ".join(f"`{n}`" for n in start[1].split(", "))
        items.append(f"- {name}: {escaped(paragraph[start.end() : end].strip())}")
    return [escaped(before)] * bool(before) + ["\n".join(items)]


def escaped(words):
    """Text for Markdown: shapes as code, and no other marks."""
    words = SHAPE.sub(lambda m: m[0] if "`" in m[0] else f"`{m[0]}`", words)
    parts = re.split(r"(`[^`]*`)", words)
    return "".join(
        part if part[:1] == "`" else PUNCTUATION.sub(r"\\\1", part) for part in parts
    )
