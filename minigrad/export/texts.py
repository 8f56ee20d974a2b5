"""The texts that an exported package has beside its modules."""

# What a package has beside Python.
DATA = [
    "data/*.npz",
    "kernels/*.cu*",
    "viz/widgets/*.css",
    "viz/widgets/*.js",
    "viz/svg/*.svg",
]

PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "minigrad"
version = "{version}"
description = "A small PyTorch, written in the minigrad course"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["numpy>=2.0"]

[project.optional-dependencies]
checkpoints = ["safetensors>=0.8"]
pictures = ["matplotlib>=3.10"]
test = [
    "hypothesis>=6.100", "matplotlib>=3.10", "pytest>=8.4", "safetensors>=0.8",
    "torch>=2.9",
]

[tool.setuptools.packages.find]
include = ["minigrad*", "cudasim*"]

[tool.setuptools.package-data]
minigrad = {data}
cudasim = ["headers/**", "native/*.h"]

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = [".", "tests/support"]
markers = ["slow: takes long; pytest -m 'not slow' leaves it out", "nightly", "gpu"]

[tool.ruff]
line-length = 88

[tool.ruff.lint]
select = ["F401", "I"]

[tool.minigrad-export]
# Of the files as they were exported: a later export replaces them only if none changed.
sha256 = "{digest}"
"""

README = """\
# minigrad

A small PyTorch: tensors as a storage and a way to read it, in Python and NumPy. The
functions below were written in the labs of the minigrad course; everything around them
is the course's own.

```python
import minigrad

x = minigrad.arange(6).view(2, 3)
print(x.transpose(0, 1))
```

`python train_mnist.py` trains a convolutional network on MNIST; `--help` tells how.

| function | where | whose answer |
|---|---|---|
{rows}

`pip install .` installs it. NumPy is all it needs; `pip install '.[checkpoints]'` adds
what files of tensors need. `pip install '.[test]'` and `pytest` compare it with
PyTorch.
{licence}"""

LICENCE = """
The course's code is under the licence in LICENSE.
"""

CONFTEST = '''\
"""Says at the end what could not be tested here, and why."""


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [str(report.longrepr[2]) for report in skipped]
    for reason in dict.fromkeys(r.removeprefix("Skipped: ") for r in reasons):
        terminalreporter.write_line(reason, yellow=True)
'''
