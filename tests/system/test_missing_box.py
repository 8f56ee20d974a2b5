"""Where there is no box: what each kind of machine is told to do, and who needs one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grading import packages
from grading.isolation import locks, missing_box

ROOT = Path(__file__).parents[2]
REFUSED = "bubblewrap fails: bwrap: No permissions to create new namespace"
UBUNTU = {"sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}
DOCKER = {"self/cgroup": "0::/docker/4f2a\n"}


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """machine(its files of /proc, platform, programs): what it is told."""

    def told(why=REFUSED, files=(), platform="linux", programs=()):
        for name, text in dict(files).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        monkeypatch.setattr(missing_box.sys, "platform", platform)
        monkeypatch.setattr(
            missing_box.shutil, "which", lambda name: name if name in programs else None
        )
        return missing_box.advice(why)

    monkeypatch.setattr(missing_box, "PROC", tmp_path)
    monkeypatch.setattr(missing_box, "MARKS", [tmp_path / ".dockerenv"])
    monkeypatch.delenv("container", raising=False)
    return told


@pytest.mark.parametrize(
    "program, command",
    [
        ("apt-get", "apt-get install bubblewrap libseccomp2"),
        ("dnf", "dnf install bubblewrap libseccomp"),
        ("pacman", "pacman -S bubblewrap libseccomp"),
        ("none", "your system's packages"),
    ],
)
def test_what_is_missing_is_installed_by_the_systems_own_command(
    machine, program, command
):
    for why in (
        "bubblewrap is not installed",
        "bubblewrap fails: OSError: libseccomp.so.2: cannot open shared object file",
    ):
        assert command in machine(why, programs=[program])


def test_ubuntu_is_told_of_apparmor(machine):
    said = machine(files=UBUNTU)
    assert "/etc/apparmor.d/bwrap" in said and "userns," in said
    assert "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in said


@pytest.mark.parametrize(
    "files",
    [
        DOCKER,
        {".dockerenv": ""},
        {"1/cgroup": "12:pids:/kubepods/besteffort/pod1\n"},
        {"self/cgroup": "0::/../../libpod-4f2a/container\n"},
    ],
)
def test_a_container_is_told_its_flags(machine, files):
    said = machine(files=files)
    assert missing_box.FLAGS in said and missing_box.PODMAN in said
    assert "SYS_ADMIN" not in said


def test_a_container_of_a_kernel_without_namespaces_is_told_the_switch(machine):
    said = machine(files=DOCKER | {"sys/user/max_user_namespaces": "0\n"})
    assert missing_box.FLAGS in said
    assert "sysctl -w user.max_user_namespaces=" in said


@pytest.mark.parametrize("number", [1, 22])  # setgroups or setuid are refused
def test_a_root_who_cannot_be_nobody_is_told_to_have_more_users(machine, number):
    why = f"bubblewrap does not start: [Errno {number}] as the system says"
    said = machine(why, files=DOCKER)
    assert "--add-subuids" in said and "--security-opt" not in said


@pytest.mark.parametrize(
    "why",
    [
        "Can't find source path /srv/course/.venv: Permission denied",
        "execvp /srv/ada/course/.venv/bin/python: No such file or directory",
    ],
)
def test_who_cannot_read_this_python_is_told_to_move_it(machine, why):
    said = machine(f"bubblewrap fails: bwrap: {why}", files=DOCKER)
    assert "every user may read" in said and "--security-opt" not in said


def test_the_image_is_stopped_as_by_ctrl_c():
    """Its first process would get no SIGTERM: Docker would kill it ten seconds later"""
    assert "\nSTOPSIGNAL SIGINT\n" in (ROOT / "Dockerfile").read_text()


def test_a_container_on_ubuntu_needs_powers(machine):
    assert missing_box.POWERS in machine(files=DOCKER | UBUNTU)


@pytest.mark.parametrize(
    "name", ["kernel/unprivileged_userns_clone", "user/max_user_namespaces"]
)
def test_a_kernel_without_namespaces_is_told_the_switch(machine, name):
    said = machine(files={f"sys/{name}": "0\n"})
    assert f"sysctl -w {name.replace('/', '.')}=" in said


def test_macos_is_told_of_the_image_and_of_workers(machine):
    said = machine("only Linux has what a box is made of", platform="darwin")
    assert "docker build -t minigrad ." in said and "--scheduler" in said


def test_wsl_1_is_told_of_wsl_2(machine, monkeypatch):
    monkeypatch.setenv("WSL_DISTRO_NAME", "Debian")
    one = {"version": "Linux version 4.4.0-22621-Microsoft (Microsoft@Microsoft.com)"}
    assert "wsl --set-version Debian 2" in machine(files=one)
    two = {"version": "Linux version 5.15.167.4-microsoft-standard-WSL2"}
    assert "set-version" not in machine(files=two)


def test_another_machine_is_told_of_the_image(machine):
    assert "docker build" in machine()


@pytest.mark.parametrize("name", ["Dockerfile", "docs/teaching.md"])
def test_the_image_is_started_by_the_flags_that_are_named(name):
    text = " ".join(
        (ROOT / name).read_text().replace("#", "").replace("\\", "").split()
    )
    build, run = missing_box.IMAGE.partition(": ")[2].split(" in the course", 1)
    assert build in text
    assert run.partition("folder: ")[2] in text


def test_powershell_starts_the_image_too():
    """It parts `"$PWD":/class` at the quote, and reads `$PWD:` as a drive."""
    assert '-v "${PWD}:/class" ' in missing_box.IMAGE


def test_the_profile_is_the_one_of_the_page():
    text = " ".join((ROOT / "docs/teaching.md").read_text().replace("\\\n", "").split())
    for line in missing_box.APPARMOR.splitlines():
        if line.startswith("    "):
            assert " ".join(line.split()) in text


def test_macos_has_neither_prctl_nor_a_limit_of_addresses(monkeypatch):
    monkeypatch.setattr(locks, "LINUX", False)
    monkeypatch.setattr(locks, "_libc", None)
    monkeypatch.setattr(locks.resource, "setrlimit", lambda *limit: asked.append(limit))
    asked = []
    locks.end_with_parent()
    locks.limit({"RLIMIT_AS": 1, "RLIMIT_CORE": 0})
    assert asked == [(locks.resource.RLIMIT_CORE, (0, 0))]


def test_doctor_says_what_to_do():
    from minigrad.cli import doctor

    pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is missing)")
    code = "from minigrad.cli import doctor; print(doctor.isolation()[0].value)"
    nothing = {"PATH": "", "PYTHONPATH": str(doctor.HOME)}
    said = subprocess.check_output([sys.executable, "-c", code], env=nothing, text=True)
    assert "bubblewrap is not installed\nInstall it: " in said


CODE = """
from grading.isolation import sandbox
from grading.isolation.forks import zygote
print(sandbox.why_not() or zygote().kind)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="not run: a container's root (not root)")
@pytest.mark.skipif(not shutil.which("setpriv"), reason="not run: a container's root "
                    "(no setpriv)")  # fmt: skip
def test_root_without_powers_has_a_box_as_nobody():
    """Docker's root, where the flags above are given."""
    from grading.isolation import sandbox

    if sandbox.why_not():
        pytest.skip(f"not run: {sandbox.why_not()}")
    less = ["setpriv", "--bounding-set=-sys_admin,-net_admin,-dac_override", "--"]
    tried = subprocess.run(
        [*less, sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True
    )
    if "Can't find source path" in tried.stdout:
        pytest.skip("not run: a container's root (this Python is root's alone)")
    assert tried.stdout.strip() in ("own", "shared"), tried


RUN = """
import runpy, sys
sys.modules[{package!r}] = None
sys.argv = ["grading", "release", {to!r}, "03"]
runpy.run_module("grading", run_name="__main__", alter_sys=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("package", ["nh3", "mistune", "pygments", "msgpack"])
def test_a_missing_package_is_named_with_the_cure(tmp_path, package):
    code = RUN.format(package=package, to=str(tmp_path / "class"))
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    said = run.stderr.strip().splitlines()[-1]
    assert run.returncode == 1 and f"package {package} is missing" in said
    assert "`make lab`" in said and "'.[lab,torch,grade]'" in said
    if package != "msgpack":  # which notebooks import, too
        assert said == run.stderr.strip() and said.startswith("error: ")


def test_a_module_of_our_own_is_no_missing_package():
    assert packages.advice(ModuleNotFoundError("x", name="grading.nothing")) == ""
    assert "nh3" in packages.advice(ModuleNotFoundError("x", name="nh3.clean"))
