"""What hostile answers reach: in plain nbgrader, and here.

    python benchmarks/attacks.py [--write] [--sample N] [--seed N] [KIND ...]

Each attack of tests/attacks.py is handed in as lab 03, beside one right answer, and is
graded twice: by `nbgrader autograde` as it ships, with the check that stands in the
notebook, and by our grading. Then the script looks: has the attack points, does the
graded notebook show what is secret, has anything changed that is not its own, what is
still running, has the right answer its points, was it done in time?

So that nothing happens to this machine, plain nbgrader runs in a bubblewrap box with a
folder that is thrown away, no network but loopback, and limits: 8 GB of memory, 400
processes, files of 64 MB, two minutes. What outlasts these is "bounded by the script".
Outside of that folder everything can be read, and not written, so what an attack would
change there is not seen: "nothing" of plain nbgrader may be the box's work.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import common
from benchmarks.grading import points
from minigrad.testing.progress import slowly

PAGE = common.HOME / "docs" / "attacks.md"
SECRET = "SECRET-4711"
SOLUTION = "BEGIN SOLUTION"
SECONDS = 120
RIGHT = "offset_of"
# In the box: nbgrader with limits; then the processes that are left beside this one.
BOXED = """
ulimit -v 8388608 -u 400 -f 65536 -c 0
timeout -k 1 {seconds} {python} -m nbgrader autograde {lab} --create >log 2>&1
echo $? >ended
sleep 0.5
for one in /proc/[0-9]*; do
    name=$(cat $one/comm 2>/dev/null) || continue
    case $name in bwrap|sh|sleep|cat) ;; *) echo $name ;; esac
done >left
"""


class Seen(NamedTuple):
    """What an attack has reached."""

    forged: bool = False
    read: bool = False
    changed: str = ""
    left: str = ""
    lost: bool = False
    late: bool = False

    def __str__(self):
        said = [
            "**forged**" * self.forged,
            "**read**" * self.read,
            f"**changed** {self.changed}" if self.changed else "",
            f"**survived**: {self.left}" if self.left else "",
            "no time limit held: bounded by the script" * self.late,
            "**lost** the right answer's points" * (self.lost and not self.forged),
        ]
        return ", ".join(filter(None, said)) or "nothing"

    @property
    def nothing(self):
        return not any(self)


def tests(name):
    return common.of_tests(name, "tests")


def handed_in(root, attack):
    """Submissions: the attack with one right answer, and another student's."""
    lab, altered = tests("altered").LAB, tests("altered")
    kernel = attack.how == tests("attacks").CUDA
    exercise = "contiguous_kernel" if kernel else "contiguous_strides"
    places = {"home": common.HOME, "room": root, "secret": root.parent / "secret"}
    nb = altered.edited(
        altered.empty(), RIGHT, altered.cell(altered.solved(), RIGHT)["source"]
    )
    texts = [text for _, text in attack.cells(**places)]
    altered.edited(nb, exercise, texts[-1])
    for text in texts[:-1]:
        altered.added(nb, text)
    for student, made in ("eve", nb), ("ada", altered.solved()):
        folder = root / "submitted" / student / lab
        folder.mkdir(parents=True)
        (folder / f"{lab}.ipynb").write_text(json.dumps(made))
    record = root / "verdicts" / lab / "eve.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("{}")
    (root.parent / "secret").write_text(SECRET)
    return exercise


def state(root):
    """{what: its bytes and permissions}, of what no submission may change."""
    kept = [root.parent / "secret", *root.glob("source/*/*"), *root.glob("release/*/*")]
    kept += [*root.glob("submitted/ada/*/*"), root / "nbgrader_config.py"]
    found = {
        path.relative_to(root.parent): (
            path.stat().st_mode,
            hashlib.sha256(path.read_bytes()).digest(),
        )
        for path in kept
        if path.is_file()
    }
    started = (root.parent / "ipython").rglob("startup/*.py")
    strange = [*root.parent.glob(".ipython"), *started, *root.glob("owned")]
    return found | {path.relative_to(root.parent): None for path in strange}


def changes(before, after):
    names = [str(n) for n in before.keys() | after if before.get(n) != after.get(n)]
    return ", ".join(sorted(names)[:2])


def seen(root, exercise, before, left="", late=False):
    """What there is to see when the attack is over."""
    lab = tests("altered").LAB
    changed = changes(before, state(root))
    graded = [p for p in root.glob(f"autograded/eve/{lab}/*") if p.is_file()]
    text = "".join(_outputs(path) for path in graded)
    try:
        earned = points(root)
    except Exception as error:
        return Seen(changed=f"the gradebook ({type(error).__name__})", late=late)
    mine = earned.get("eve", {})
    rest = {k: v for k, v in mine.items() if k != f"{RIGHT}-check"}
    return Seen(
        forged=any(rest.values()),
        read=SECRET in text or SOLUTION in text,
        changed=changed,
        left=left,
        lost=not mine.get(f"{RIGHT}-check"),
        late=late,
    )


def _outputs(path):
    """What a graded notebook shows of its answers' results."""
    cells = json.loads(path.read_text()).get("cells", [])
    return json.dumps([cell.get("outputs") for cell in cells])


def by_nbgrader(template, attack):
    """What it reaches in nbgrader as it ships."""
    with tempfile.TemporaryDirectory(dir=template.parent) as folder:
        root = Path(shutil.copytree(template, Path(folder) / "course"))
        exercise = handed_in(root, attack)
        before = state(root)
        lab = tests("altered").LAB
        text = BOXED.format(seconds=SECONDS, python=sys.executable, lab=lab)
        boxed(Path(folder), root, text)
        left = _text(root / "left").split()
        late = _text(root / "ended").strip() in ("124", "137", "")
        return seen(root, exercise, before, ", ".join(sorted({*left})), late)


def boxed(folder, root, text):
    """Run a text of sh in a box that sees this machine, and writes one folder."""
    parts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
             "--size", str(2**28), "--tmpfs", "/tmp", "--bind", folder, folder,
             "--unshare-all", "--die-with-parent", "--chdir", root]  # fmt: skip
    places = {"HOME": folder, "PYTHONPATH": common.HOME, "PATH": os.environ["PATH"],
              "IPYTHONDIR": folder / "ipython", "MINIGRAD_TEST": SECRET,
              "JUPYTER_CONFIG_DIR": folder / "jupyter", "LANG": "C.UTF-8"}  # fmt: skip
    command = ["bwrap", *map(str, parts), "sh", "-c", text]
    env = {name: str(value) for name, value in places.items()}
    try:
        subprocess.run(command, env=env, timeout=2 * SECONDS, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:  # the box ends with its parent
        return


def _text(path):
    return path.read_text(errors="replace") if path.is_file() else ""


def here(template, attack):
    """What it reaches in our grading."""
    import psutil

    from grading.classroom.book import grade
    from grading.process import zygote

    with tempfile.TemporaryDirectory(dir=template.parent) as folder:
        root = Path(shutil.copytree(template, Path(folder) / "course"))
        exercise = handed_in(root, attack)
        before = state(root)
        os.environ["MINIGRAD_TEST"] = SECRET
        done = list(grade(root, students=["eve"]))
        assert [one.state for one in done] == ["graded"], done
        box = psutil.Process(zygote()._process.pid)
        left = box.children(recursive=True)[2:]  # without bwrap's own and the zygote
        _, alive = psutil.wait_procs(left, timeout=10)
        return seen(root, exercise, before, ", ".join(p.name() for p in alive))


def templates(folder):
    """(nbgrader's course of the lab, ours)."""
    from grading.classroom.book import release

    lab = tests("altered").LAB
    ours, plain = folder / "ours", folder / "plain"
    release(ours, [lab])
    shutil.copytree(ours / "source", plain / "source")
    boxed(folder, plain, f"{sys.executable} -m nbgrader generate_assignment {lab}")
    return plain, ours


def drawn(kinds, sample, seed):
    """The attacks, in order; of each kind so many, where a number is given."""
    chosen = {}
    for attack in tests("attacks").ATTACKS:
        if not kinds or attack.kind in kinds:
            chosen.setdefault(attack.kind, []).append(attack)
    random.seed(seed)
    for kind, attacks in chosen.items():
        few = sample is not None and sample < len(attacks)
        kept = random.sample(attacks, sample) if few else attacks
        chosen[kind] = [attack for attack in attacks if attack in kept]
    return chosen


def report(rows, total):
    """The page's table, and what it comes to."""
    tables, theirs = [], [their for *_, their, _ in rows]
    for kind in dict.fromkeys(kind for kind, *_ in rows):
        head = ("attack", "plain nbgrader", "here")
        body = [(name, *found) for of, name, *found in rows if of == kind]
        tables.append(
            f"### {kind[0].upper()}{kind[1:]}\n\n" + common.markdown([head, *body])
        )
    worked = sum(not one.nothing for one in theirs)
    reached = sum(
        not (one.forged or one.read or one.changed or one.left) for one in theirs
    )
    mine = [one for *_, one in rows]
    through = sum(
        bool(one.forged or one.read or one.changed or one.left) for one in mine
    )
    said = (
        f"{common.machine()}. {len(rows)} of {total} attacks. In plain nbgrader "
        f"{len(rows) - reached} forge, read, change or leave something, and {worked} "
        f"do that, cost the right answer its points, or take longer than is waited; "
        f"here {through} forge, read, change or leave something."
    )
    return "\n\n".join([said, *tables])


def main(arguments=None):
    options = parser().parse_args(arguments)
    chosen = drawn(options.kinds, options.sample, options.seed)
    if not chosen:
        kinds = dict.fromkeys(a.kind for a in tests("attacks").ATTACKS)
        parser().error(f"no such kind; there are: {', '.join(kinds)}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        plain, ours = templates(Path(folder))
        attacks = [attack for some in chosen.values() for attack in some]
        for attack in slowly(attacks, "attacks"):
            found = by_nbgrader(plain, attack), here(ours, attack)
            rows.append((attack.kind, attack.name, *found))
    shown = report(rows, len(tests("attacks").ATTACKS))
    print(shown)
    if options.write:
        common.write(PAGE, shown, "attacks")
    return 0


def parser():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="default: all")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of each kind")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the sample"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
