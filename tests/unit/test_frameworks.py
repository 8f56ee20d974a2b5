"""The libraries that drive GPUs: probed apart, missing ones named, none does harm."""

import ctypes
import os
import subprocess
import sys

import pytest

from minigrad.cli import doctor
from minigrad.testing import frameworks
from minigrad.testing.frameworks import Library, gpu_count, needs, probe, probed, quiet


@pytest.fixture
def library(monkeypatch):
    """library(text) makes a library, called json, whose probe is this Python."""

    def make(text):
        known = Library("Json", "pip install json", text)
        monkeypatch.setattr(frameworks, "LIBRARIES", {"json": known})

    return make


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("print('1.2|for CUDA 13.0|2')", "1.2, for CUDA 13.0; sees 2 GPUs"),
        ("print('1.2|without CUDA|0')", "1.2, without CUDA; sees no GPU"),
        ("print('noise')\nprint('1.2|for CUDA 13.0|1')", "for CUDA 13.0; sees 1 GPU"),
        ("raise ImportError('libcuda.so.1')", "not run: ImportError: libcuda.so.1"),
        ("import os; os.kill(os.getpid(), 11)", "not run: its process was ended by"),
        ("import time; time.sleep(60)", "not run: no answer within 0.5 s"),
    ],
)
def test_whatever_a_library_does_is_said_in_a_line(library, text, said):
    library(text)
    seconds = 0.5 if "sleep" in text else 60
    assert said in probe("json", seconds)
    assert "\n" not in probe("json", seconds)


def test_a_library_that_is_missing_says_how_to_get_it(monkeypatch):
    absent = Library("Absent", "pip install absent", "")
    monkeypatch.setattr(frameworks, "LIBRARIES", {"absent": absent})
    assert probe("absent") == "is not installed: pip install absent"


def test_all_are_asked_at_once_and_those_that_are_waited_for_are_named(library):
    library("print('1|built|0')")
    waits = []
    answers = dict(probed(["json"], before=lambda names: waits.append([*names])))
    assert answers == {"json": "1, built; sees no GPU"}
    assert waits == [["json"], []]


def test_a_block_that_needs_what_is_missing_says_so_and_goes_on(monkeypatch, capsys):
    absent = Library("Absent", "pip install absent", "")
    monkeypatch.setitem(frameworks.LIBRARIES, "absent", absent)
    with needs("absent"):
        import absent  # noqa: F401
    said = "not run: Absent is not installed. Get it: pip install absent\n"
    assert capsys.readouterr().out == said


def test_what_goes_wrong_in_a_block_is_not_hidden():
    with pytest.raises(ModuleNotFoundError, match="another"), needs("numba"):
        raise ModuleNotFoundError("No module named 'another'", name="another")
    with pytest.raises(ZeroDivisionError), needs("numba"):
        _ = 1 / 0


def test_stderr_is_quiet_for_a_while():
    code = "import os\nfrom minigrad.testing.frameworks import quiet\n"
    code += "with quiet():\n    os.write(2, b'noise')\nos.write(2, b'after')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert run.stderr == b"after"


def test_quiet_gives_stderr_back_after_an_error():
    before = os.fstat(2)
    with pytest.raises(ZeroDivisionError), quiet():
        _ = 1 / 0
    assert os.fstat(2) == before


def test_the_driver_counts_its_gpus(monkeypatch):
    class Driver:
        def cuInit(self, flags):
            return 0

        def cuDeviceGetCount(self, count):
            count._obj.value = 3
            return 0

    monkeypatch.setattr(ctypes, "CDLL", lambda name: Driver())
    assert gpu_count() == 3
    monkeypatch.setattr(Driver, "cuInit", lambda self, flags: 100)
    assert gpu_count() == 0


def test_the_doctor_reports_every_library(monkeypatch):
    answers = {name: f"{name}'s answer" for name in frameworks.LIBRARIES}
    answers["torch"] = "is not installed: pip install torch"
    monkeypatch.setattr(frameworks, "probed", lambda names, before: answers.items())
    findings = {finding.what: finding for finding in doctor.libraries({"CuPy"})}
    assert list(findings) == ["PyTorch", "TensorFlow", "Numba", "PyCUDA"]
    assert findings["Numba"].value == "numba's answer"
    assert findings["Numba"].mend is None
    assert "'.[torch]'" in findings["PyTorch"].mend
