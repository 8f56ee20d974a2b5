"""What to do on a machine that offers no box: the commands for just that machine."""

import os
import shutil
import sys
from pathlib import Path

PROC = Path("/proc")
MARKS = Path("/.dockerenv"), Path("/run/.containerenv")
PACKAGES = {  # a system's own installer -> its names of bubblewrap and libseccomp
    "apt-get": "apt-get install bubblewrap libseccomp2",
    "dnf": "dnf install bubblewrap libseccomp",
    "yum": "yum install bubblewrap libseccomp",
    "zypper": "zypper install bubblewrap libseccomp2",
    "pacman": "pacman -S bubblewrap libseccomp",
    "apk": "apk add bubblewrap libseccomp",
}
FLAGS = (
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined"
)
PODMAN = "unmask=ALL instead of systempaths=unconfined; with SELinux also label=disable"
POWERS = "--cap-add SYS_ADMIN --cap-add NET_ADMIN"
IMAGE = (
    "Grade in a container: docker build -t minigrad . in the course's folder, then in "
    f"the class's folder: docker run --rm -it {FLAGS} "
    '-v "${PWD}:/class" minigrad grade /class'  # also for PowerShell
)
WORKERS = "Or let Linux machines grade: --scheduler (docs/teaching.md, Many machines)."
APPARMOR = """\
AppArmor keeps bubblewrap from making namespaces. Let it make them:
    printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile bwrap %s \
flags=(unconfined) { userns, }\\n' "$(command -v bwrap)" | \
sudo tee /etc/apparmor.d/bwrap
    sudo apparmor_parser -r /etc/apparmor.d/bwrap
(Or let all programs make them, until the next start: \
sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0. Then every program \
here reaches more of the kernel, as on Ubuntu 22.04.)"""
ALONE = """\
Root grades as nobody, but no user except root exists in this container. Give your own \
user more of them on the host, and start the container again:
    sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$USER"
    podman system migrate"""
SWITCHES = {"kernel/unprivileged_userns_clone": 1, "user/max_user_namespaces": 15000}


def advice(why):
    """What to do on this machine, given why there is no box. It ends with a stop."""
    if is_wsl1():
        distribution = os.environ.get("WSL_DISTRO_NAME", "Ubuntu")
        return (
            f"WSL 1 has no Linux kernel. In PowerShell: wsl --set-version "
            f"{distribution} 2, then start it again."
        )
    if not sys.platform.startswith("linux"):
        return f"{IMAGE}\n{WORKERS}"
    if "not installed" in why or "libseccomp" in why:
        return f"Install it: {installing()}"
    if "Can't find source path" in why or "execvp" in why:  # nobody may not read it
        return (
            "Move the clone and its Python to where every user may read them, or "
            "grade as a user who is not root."
        )
    if "does not start: [Errno 1]" in why or "does not start: [Errno 22]" in why:
        return ALONE
    if is_container():
        return in_container()
    if number("kernel/apparmor_restrict_unprivileged_userns") == 1:
        return APPARMOR
    for name, most in SWITCHES.items():
        if number(name) == 0:
            return f"This kernel lets no user make namespaces. {switch(name, most)}"
    return f"{IMAGE}\n{WORKERS}"


def in_container():
    said = f"This is a container. Start it with {FLAGS}"
    if number("kernel/apparmor_restrict_unprivileged_userns") == 1:
        said += f" {POWERS}, and as root, since its host has AppArmor"
    said += f" (podman: {PODMAN})."
    for name, most in SWITCHES.items():
        if number(name) == 0:
            said += f" Its kernel lets no user make namespaces. {switch(name, most)}"
    return said


def switch(name, most):
    return f"Let them: sudo sysctl -w {name.replace('/', '.')}={most}"


def installing():
    """The command that installs what a box needs, of this system."""
    known = [line for name, line in PACKAGES.items() if shutil.which(name)]
    return known[0] if known else "bubblewrap and libseccomp, of your system's packages"


def is_container():
    if any(mark.exists() for mark in MARKS):
        return True
    words = "docker", "containerd", "kubepods", "libpod", "lxc"
    return "container" in os.environ or any(
        word in text_of(PROC / name)
        for name in ("1/cgroup", "self/cgroup")
        for word in words
    )


def is_wsl1():
    """WSL 1 says "Microsoft" in its version, WSL 2 "microsoft-standard"."""
    said = text_of(PROC / "version")
    return "Microsoft" in said and "microsoft-standard" not in said


def number(name):
    """The setting of the kernel of that name; None where there is none."""
    said = text_of(PROC / "sys" / name).strip()
    return int(said) if said.isdigit() else None


def text_of(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
