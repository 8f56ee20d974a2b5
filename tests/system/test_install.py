"""The set-up of .venv and the doctor, without touching the network or a GPU."""

import fcntl
import os
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo 'Driver Version: 520.61.05  CUDA Version: 11.8'",
         ["CUDA 11.8: too old", "CUDA 12 or newer", "525"]),
        ("echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18",
         ["Failed to initialize NVML: Driver/library version mismatch", "restart"]),
        ("echo NVIDIA-SMI has failed because it >&2; exit 9",
         ["NVIDIA-SMI has failed because it"]),
        ("printf '\\377\\376 no devices'; exit 6", ["no devices"]),
        ("sleep 60 & sleep 60", ["no answer within 1 s"]),
        ("exit 1", ["nvidia-smi says: nothing"]),
    ],
)  # fmt: skip
def test_a_driver_that_cannot_be_used_is_named(
    nvidia_smi, monkeypatch, tmp_path, text, words
):
    nvidia_smi("")
    program(tmp_path / "bin" / "nvidia-smi", text)
    monkeypatch.setattr(install, "SMI_SECONDS", 1)
    monkeypatch.setattr(install, "from_libcuda", lambda: None)
    monkeypatch.setattr(doctor, "cupy_wheels", list)
    said = str(doctor.gpu()), install.gpu_line(install.driver_cuda())
    for text in said:
        assert all(word in text for word in words), text
        assert "no NVIDIA driver" not in text
        assert "nothing of CUDA" in said[1]


def test_what_nvidia_smi_prints_may_be_no_utf_8(nvidia_smi, tmp_path):
    nvidia_smi("")
    program(tmp_path / "bin" / "nvidia-smi", "printf '\\377\\376 CUDA Version: 12.4'")
    assert install.driver_cuda() == (12, 4) and install.driver_problem() is None


def test_a_driver_that_works_by_itself_is_told_with_what_is_wrong(
    nvidia_smi, monkeypatch
):
    nvidia_smi("Failed to initialize NVML: Driver/library version mismatch")
    monkeypatch.setattr(install, "from_libcuda", lambda: (13, 0))
    assert "CuPy comes too. But nvidia-smi says: Failed" in install.gpu_line((13, 0))
    assert "CUDA 13.0, but nvidia-smi says: Failed" in str(doctor.gpu())


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
    calls = []

    def make_venv():
        calls.append("venv")
        program(install.VENV_PYTHON, '[ "$1" = -c ] && exit 0; eval "$STATUS"')

    monkeypatch.setattr(install, "make_venv", make_venv)
    monkeypatch.setenv("STATUS", "exit 0")
    monkeypatch.setenv("PIP_USER", "1")
    return calls


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


def test_pip_installs_into_the_venv_whatever_the_environment_says(course, monkeypatch):
    for name in install.ELSEWHERE:
        monkeypatch.setenv(f"PIP_{name.upper()}", "1")
    monkeypatch.setenv("STATUS", f"env > '{install.HOME}/environment'")
    install.set_up("lab", None)
    said = (install.HOME / "environment").read_text().splitlines()
    names = {f"PIP_{name.upper()}" for name in install.ELSEWHERE}
    assert [one for one in said if one.partition("=")[0] in names] == ["PIP_USER=0"]


def test_a_file_that_sends_packages_elsewhere_is_named(course, monkeypatch):
    lines = "global.index-url='https://mirror'\nglobal.user='true'\n"
    told = f"""case "$*" in *"config list"*) printf "%s" "{lines}{{}}";; esac"""
    monkeypatch.setenv("STATUS", told.format(""))
    install.set_up("lab", None)
    monkeypatch.setenv("STATUS", told.format("install.no-deps='yes'"))
    with pytest.raises(SystemExit, match="install.no-deps='yes'") as said:
        install.set_up("test", None)
    assert "pip config unset install.no-deps" in str(said.value)


def test_a_failed_pip_names_settings_that_hide_packages(course, monkeypatch):
    told = (
        """case "$*" in *"config list"*) echo ":env:.no-index='1'";; *) exit 1;; esac"""
    )
    monkeypatch.setenv("STATUS", told)
    with pytest.raises(SystemExit, match=":env:.no-index='1'"):
        install.set_up("lab", None)


@pytest.mark.parametrize("how", ["environment", "file"])
def test_a_real_pip_is_not_misled(tmp_path, monkeypatch, how):
    """An empty package, into a real .venv, without any index."""
    if how == "file":
        (tmp_path / "pip.conf").write_text("[install]\nuser = true\n")
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    else:
        monkeypatch.setenv("PIP_USER", "1")
        monkeypatch.setenv("PIP_TARGET", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(install, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(install, "VENV_PYTHON", tmp_path / ".venv/bin/python")
    install.make_venv()
    install.free_pip()
    wheel = tmp_path / "nothing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        head = "Metadata-Version: 2.1\nName: nothing\nVersion: 1.0\n"
        file.writestr("nothing.py", "")
        file.writestr("nothing-1.0.dist-info/METADATA", head)
        file.writestr(
            "nothing-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        file.writestr("nothing-1.0.dist-info/RECORD", "")
    subprocess.run([*install.pip_install(), "--no-index", str(wheel)], check=True)
    assert list(tmp_path.glob(".venv/lib/*/site-packages/nothing.py"))
    assert not (tmp_path / "elsewhere").exists()


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


@pytest.fixture
def old_python(tmp_path, monkeypatch):
    """old_python(its names): only these Pythons are on PATH; what is started."""
    taken = []
    monkeypatch.setattr(install.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(install.os, "execv", lambda *a: taken.append(a[0]) or exit(0))

    def started(**texts):
        folders = [tmp_path / name for name in ("shims", "bin")]
        for name, text in texts.items():
            where, minor = name.split("_")
            program(tmp_path / where / f"python3.{minor}", text)
        monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))
        with pytest.raises(SystemExit) as said:
            install.use_new_enough_python()
        return [os.path.relpath(path, tmp_path) for path in taken], str(said.value)

    return started


DEAD = "echo pyenv: command not found >&2; exit 127"


def test_a_python_that_is_too_old_says_what_to_install(old_python):
    for shims in {}, {"shims_13": DEAD}:
        taken, said = old_python(**shims)
        assert not taken and "is 3.9.\nInstall one" in said
        assert "PYTHON=python3.12" in said


def test_a_newer_python_on_the_path_is_taken(old_python):
    assert old_python(bin_12="echo True", bin_11="echo True")[0] == ["bin/python3.12"]


def test_a_python_that_does_not_run_is_passed_over(old_python, tmp_path):
    program(tmp_path / "bin" / "python3.13", "exit 0")  # it says nothing
    taken, _ = old_python(shims_13=DEAD, shims_12=DEAD, bin_12="echo True")
    assert taken == ["bin/python3.12"]
    (tmp_path / "bin" / "python3.13").write_bytes(b"\x7fELF, but no program")
    assert old_python()[0] == ["bin/python3.12"] * 2


def test_the_set_up_runs_alone_and_says_what_it_would_do(nvidia_smi):
    nvidia_smi(BANNER)
    run = subprocess.run(
        [sys.executable, "-I", install.__file__, "lab", "--dry-run"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0
    assert run.stdout.endswith(
        "-c constraints.txt -e ./cudasim -e .[lab,torch,grade,cuda12]\n"
    )


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
    monkeypatch.setattr(doctor, "driver_problem", lambda: None)
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
    assert (
        f"{doctor.pip()} install -e ./cudasim -e '.[grade]' -c constraints.txt" in text
    )
    assert "pip install -e ./cudasim -e '.[cuda12]' -c constraints.txt" in text


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


@pytest.fixture
def broken_cupy(tmp_path, monkeypatch):
    """broken_cupy(packages, text of cupy, driver): what the doctor finds of the GPU."""

    def found(names, text, driver):
        site = tmp_path / "site"
        (site / "cupy").mkdir(parents=True)
        (site / "cupy" / "__init__.py").write_text(text)
        for name in names:
            folder = site / f"{name.replace('-', '_')}-14.2.0.dist-info"
            folder.mkdir()
            head = f"Metadata-Version: 2.1\nName: {name}\nVersion: 14.2.0\n"
            (folder / "METADATA").write_text(head)
        monkeypatch.syspath_prepend(site)
        monkeypatch.delitem(sys.modules, "cupy", raising=False)
        monkeypatch.setattr(doctor, "driver_cuda", lambda: driver)
        monkeypatch.setattr(doctor, "driver_version", lambda: driver)
        monkeypatch.setattr(doctor, "driver_problem", lambda: None)
        return next(one for one in doctor.gpu() if one.what == "CuPy")

    yield found
    sys.modules.pop("cupy", None)


BROKEN = "raise ImportError('libnvrtc.so.13: cannot open shared object file')"
NO_DRIVER = """
class cuda:
    def is_available(): raise RuntimeError("cudaErrorInsufficientDriver")
__version__ = "14.2.0"
"""


@pytest.mark.parametrize(
    ("names", "text", "driver", "value", "gone", "extra"),
    [
        (["cupy-cuda13x"], BROKEN, (12, 4), "newer than", "cupy-cuda13x", "cuda12"),
        (["cupy-cuda13x"], BROKEN, (13, 0), "libnvrtc", "cupy-cuda13x", "cuda13"),
        (["cupy-cuda12x"], BROKEN, (13, 0), "libnvrtc", "cupy-cuda12x", "cuda13"),
        (["cupy-cuda12x"], BROKEN, None, "libnvrtc", "cupy-cuda12x", "cuda12"),
        (["cupy"], BROKEN, (12, 4), "libnvrtc", "cupy", "cuda12"),
        (["cupy-cuda12x"], "1 / 0", (12, 4), "zero", "cupy-cuda12x", "cuda12"),
        (["cupy-cuda12x"], "", (12, 4), "__version__", "cupy-cuda12x", "cuda12"),
        (["cupy-cuda12x", "cupy-xarray"], "import nowhere", (12, 4), "nowhere",
         "cupy-cuda12x", "cuda12"),
        (["cupy-cuda11x", "cupy-cuda12x"], "", (12, 4), "both installed",
         "cupy-cuda11x cupy-cuda12x", "cuda12"),
    ],
)  # fmt: skip
def test_what_mends_a_cupy_leaves_one_that_fits(
    broken_cupy, names, text, driver, value, gone, extra
):
    finding = broken_cupy(names, text, driver)
    assert value in finding.value
    pip = doctor.pip()
    assert finding.mend == (
        f"{pip} uninstall -y {gone}; {pip} install -e ./cudasim -e '.[{extra}]'"
        " -c constraints.txt"
    )


def test_a_cupy_for_no_driver_here_is_left(broken_cupy, monkeypatch):
    monkeypatch.setattr(doctor, "driver_version", lambda: (11, 8))
    finding = broken_cupy(["cupy-cuda12x"], NO_DRIVER, (12, 4))
    assert finding.mend is None and "cudaErrorInsufficientDriver" in finding.value
    monkeypatch.setattr(doctor, "driver_version", lambda: (11, 8))
    (finding,) = doctor.cupy(["cupy-cuda12x"], None)
    assert finding.mend is None and "newer than the driver" in finding.value


def test_a_cupy_that_fails_is_no_gpu(broken_cupy):
    from minigrad import devices

    broken_cupy(["cupy-cuda12x"], NO_DRIVER, (12, 4))
    assert "cudaErrorInsufficientDriver" in devices.lacking()
    del sys.modules["cupy"]
    (Path(sys.path[0]) / "cupy" / "__init__.py").write_text("1 / 0")
    assert "cannot be imported" in devices.lacking()


def test_the_doctors_torch_is_the_one_of_the_set_up(monkeypatch):
    monkeypatch.setattr(doctor, "driver_cuda", lambda: None)
    monkeypatch.setattr(install.sys, "platform", "linux")
    assert f"--index-url {install.TORCH_WHEELS}cpu " in doctor.torch()


def test_the_doctors_commands_work_where_pip_installs_for_the_user(monkeypatch):
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setattr(sys, "base_prefix", "elsewhere")
    assert doctor.install("lab").startswith("PIP_USER=0 ")


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
