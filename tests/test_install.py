"""The set-up of .venv and the doctor, without touching the network or a GPU."""

import fcntl
import os
import subprocess
import sys
from importlib import metadata

import pytest

from minigrad.cli import doctor, install

pytestmark = pytest.mark.slow

BANNER = "| NVIDIA-SMI 570.1   Driver Version: 570.1   CUDA Version: 12.8     |"
NEWER = "| NVIDIA-SMI 610.4   KMD Version: 610.4   CUDA UMD Version: 13.3   |"


@pytest.fixture
def nvidia_smi(tmp_path, monkeypatch):
    """nvidia_smi(banner) puts a program of that name first on PATH."""

    def pretend(banner):
        program(tmp_path / "bin" / "nvidia-smi", f"echo '{banner}'")
        path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        monkeypatch.setenv("PATH", path)

    return pretend


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


# The driver


@pytest.mark.parametrize(
    ("banner", "version"),
    [
        (BANNER, (12, 8)),
        (BANNER.replace("12.8", "13.0"), (13, 0)),
        (NEWER, (13, 3)),
        (NEWER.replace("13.3", "14.1"), (13, 99)),
        (BANNER.replace("12.8", "11.4"), None),
    ],
)
def test_the_driver_says_which_cuda_it_runs(nvidia_smi, banner, version):
    nvidia_smi(banner)
    assert install.driver_cuda() == version


def test_without_nvidia_smi_the_driver_library_is_asked(monkeypatch):
    class Driver:
        def __init__(self, name):
            assert name == "libcuda.so.1"

        def cuDriverGetVersion(self, version):
            version._obj.value = 12080

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(install.ctypes, "CDLL", Driver)
    assert install.driver_cuda() == (12, 8)


def test_without_a_driver_there_is_no_cuda(monkeypatch):
    def missing(name):
        raise OSError(f"{name}: no such file")

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(install.ctypes, "CDLL", missing)
    assert install.driver_cuda() is None


@pytest.mark.parametrize(
    ("cuda", "extras"),
    [
        (None, ".[lab,torch,grade]"),
        ((12, 8), ".[lab,torch,grade,cuda12]"),
        ((13, 0), ".[lab,torch,grade,cuda13]"),
    ],
)
def test_cupy_comes_where_a_driver_is_and_fits_it(cuda, extras):
    assert install.pip_command("lab", cuda)[-1] == extras


@pytest.mark.parametrize(
    ("cuda", "build"), [(None, "/cpu"), ((12, 8), "/cu126"), ((13, 0), None)]
)
def test_torch_fits_the_driver(monkeypatch, cuda, build):
    calls = []
    monkeypatch.setattr(install.sys, "platform", "linux")
    monkeypatch.setattr(install, "reachable", lambda address: True)
    monkeypatch.setattr(install.subprocess, "call", lambda c, cwd: calls.append(c))
    install.install_torch(cuda)
    taken = [c[c.index("--index-url") + 1] for c in calls]
    assert [address.endswith(build) for address in taken] == [True] * (
        build is not None
    )


def test_torch_comes_from_elsewhere_where_its_index_is_not_reached(monkeypatch, capsys):
    monkeypatch.setattr(install.sys, "platform", "linux")
    monkeypatch.setattr(install, "TORCH_WHEELS", "http://127.0.0.1:9/")
    install.install_torch(None)
    assert "cannot be reached" in capsys.readouterr().out


# The set-up of .venv


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A folder with a .venv whose Python answers as the environment's STATUS says."""
    monkeypatch.setattr(install, "HOME", tmp_path)
    monkeypatch.setattr(install, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(install, "VENV_PYTHON", tmp_path / ".venv/bin/python")
    monkeypatch.setattr(install, "UNFINISHED", tmp_path / ".venv.unfinished")
    monkeypatch.setattr(install, "install_torch", lambda cuda: None)
    made = []

    def make_venv():
        made.append("venv")
        program(install.VENV_PYTHON, '[ "$1" = -c ] && exit 0; eval "$STATUS"')

    monkeypatch.setattr(install, "make_venv", make_venv)
    monkeypatch.setenv("STATUS", "exit 0")
    return made


def stamps():
    return {path.name for path in install.VENV.glob(".*")}


def test_a_complete_set_up_leaves_its_stamps(course):
    install.set_up("lab", None)
    assert stamps() == {".lab"}
    assert not install.UNFINISHED.exists()
    install.set_up("test", None)
    assert stamps() == {".lab", ".test"}
    assert course == ["venv"]


def test_a_killed_set_up_is_made_afresh_by_the_next_call(course, monkeypatch):
    monkeypatch.setenv("STATUS", "kill -9 $$")
    with pytest.raises(SystemExit, match="pip was killed"):
        install.set_up("lab", None)
    (install.VENV / "half").touch()
    assert stamps() == set()
    monkeypatch.setenv("STATUS", "exit 0")
    install.set_up("lab", None)
    assert stamps() == {".lab"}
    assert not (install.VENV / "half").exists()
    assert course == ["venv", "venv"]


def test_a_failed_pip_says_what_to_do_and_spoils_nothing(course, monkeypatch):
    install.set_up("lab", None)
    monkeypatch.setenv("STATUS", "exit 1")
    with pytest.raises(SystemExit, match="network is missing, or the disk is full"):
        install.set_up("test", None)
    assert stamps() == {".lab"}
    monkeypatch.setenv("STATUS", "exit 0")
    install.set_up("test", None)
    assert course == ["venv"]


def test_a_venv_whose_python_is_gone_is_made_afresh(course):
    install.set_up("lab", None)
    install.VENV_PYTHON.unlink()
    install.set_up("lab", None)
    assert course == ["venv", "venv"]


def test_a_second_set_up_waits_for_the_first(tmp_path, nvidia_smi):
    nvidia_smi(BANNER)
    first = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(first, fcntl.LOCK_EX)
    call = (
        f"sys.path.insert(0, {os.path.dirname(install.__file__)!r}); import install;"
        f" install.HOME = {str(tmp_path)!r}; install.set_up = lambda *how: None;"
        " install.main(['lab'])"
    )
    second = subprocess.Popen(
        [sys.executable, "-Ic", f"import sys; {call}"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert "Setting up .venv" in second.stdout.readline()
    assert "Another set-up is at work" in second.stdout.readline()
    os.close(first)
    assert second.communicate()[0] == "Set-up is complete.\n"


def test_a_python_without_venv_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        install.make_venv()


def test_a_python_that_is_too_old_says_what_to_install(monkeypatch):
    monkeypatch.setattr(install.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(install.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="PYTHON=python3.12") as said:
        install.use_new_enough_python()
    assert "is 3.9.\nInstall one" in str(said.value)


def test_a_newer_python_on_the_path_is_taken(monkeypatch):
    taken = []
    monkeypatch.setattr(install.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(install.shutil, "which", lambda n: n.endswith("12") and n)
    monkeypatch.setattr(install.os, "execv", lambda *a: taken.append(a[0]) or exit(0))
    with pytest.raises(SystemExit):
        install.use_new_enough_python()
    assert taken == ["python3.12"]


def test_the_set_up_runs_alone_and_says_what_it_would_do(nvidia_smi):
    nvidia_smi(BANNER)
    run = subprocess.run(
        [sys.executable, "-I", install.__file__, "lab", "--dry-run"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0
    assert run.stdout.endswith("-c constraints.txt -e .[lab,torch,grade,cuda12]\n")


# The doctor


@pytest.fixture
def probed(monkeypatch):
    """As if every library had answered, which takes each a process."""
    answers = dict.fromkeys(doctor.frameworks.LIBRARIES, "1.0; sees no GPU")
    monkeypatch.setattr(
        doctor.frameworks, "probed", lambda names, before: answers.items()
    )


def said(capsys):
    status = doctor.doctor()
    return status, capsys.readouterr().out


@pytest.mark.usefixtures("probed")
def test_the_doctor_tells_the_versions(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "cupy_wheels", list)
    monkeypatch.setattr(doctor, "driver_cuda", lambda: None)
    _, text = said(capsys)
    assert metadata.version("numpy") in text
    assert sys.executable in text
    assert "no NVIDIA driver" in text


@pytest.mark.usefixtures("probed")
def test_the_doctor_names_the_command_for_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "cupy_wheels", list)
    monkeypatch.setattr(doctor, "driver_cuda", lambda: (12, 8))
    monkeypatch.setitem(sys.modules, "nbgrader", None)
    status, text = said(capsys)
    assert status == 1
    assert f"{doctor.pip()} install -e '.[grade]' -c constraints.txt" in text
    assert "pip install -e '.[cuda12]' -c constraints.txt" in text


@pytest.mark.usefixtures("probed")
def test_the_doctor_says_which_of_two_cupy_wheels_to_remove(monkeypatch, capsys):
    both = ["cupy-cuda12x", "cupy-cuda13x"]
    monkeypatch.setattr(doctor, "cupy_wheels", lambda: both)
    monkeypatch.setattr(doctor, "driver_cuda", lambda: (13, 0))
    status, text = said(capsys)
    assert status == 1
    assert "pip uninstall -y cupy-cuda12x cupy-cuda13x" in text
    assert "'.[cuda13]'" in text


def test_a_cupy_that_is_newer_than_the_driver_is_swapped():
    assert doctor.fits("cupy-cuda12x", (13, 0))
    assert doctor.fits("cupy-cuda13x", (13, 0))
    assert not doctor.fits("cupy-cuda13x", (12, 8))
    assert doctor.fits("cupy", (12, 8))  # built on this machine


def test_the_doctor_works_without_the_other_commands():
    code = "import sys; sys.modules['typer'] = None; sys.argv[1:] = ['doctor']; "
    code += (
        "from minigrad.__main__ import main; from minigrad.testing import frameworks; "
    )
    code += "frameworks.probe = lambda name, seconds: 'is here'; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "numpy" in run.stdout and "PyTorch      is here" in run.stdout
    assert "Traceback" not in run.stderr


def test_without_typer_a_command_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; sys.argv[1:] = ['progress']; "
    code += "from minigrad.__main__ import main; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "typer is not installed" in run.stderr
    assert "Traceback" not in run.stderr
