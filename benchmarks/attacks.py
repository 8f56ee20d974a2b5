"""What hostile answers reach: in plain nbgrader, and here.

    python benchmarks/attacks.py [--write] [--keep FILE] [--jobs N] [KIND ...]

Each attack of tests/support/attacks.py is handed in as lab 03, beside one right answer,
and is graded twice: by `nbgrader autograde` as it ships, with the check that stands in
the notebook, and by our grading. (nbgrader gets a lab of three exercises: it takes
seconds for each cell that draws.) Then the script looks: has the attack points, does
the graded notebook show what is secret, has anything changed that is not its own, what
is still running, has the right answer its points, was it done in time?

So that nothing happens to this machine, plain nbgrader runs in a bubblewrap box with a
folder that is thrown away, no network but loopback, and limits: 8 GB of memory, 400
processes, files of 64 MB, two minutes. What outlasts these is "bounded by the script".
Outside of that folder everything can be read, and not written, so what an attack would
change there is not seen: "nothing" of plain nbgrader may be the box's work.
"""

import contextlib
import hashlib
import json
import os
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
GAVE = "Expected a tuple, not a str."  # what READ's answers return is one
SECONDS = 120
RIGHT, ANSWER, KERNEL = NEEDED = "offset_of", "contiguous_strides", "contiguous_kernel"
# In the box: nbgrader with limits; then the processes that are left beside this one.
BOXED = """
ulimit -v 8388608 -u 400 -f 65536 -c 0
timeout -k 1 {seconds} {python} -m nbgrader autograde {lab} --create \
    --student eve >log 2>&1
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
    reached: bool = False  # what it tried gives a value, and no error
    changed: str = ""
    left: str = ""
    lost: bool = False
    late: bool = False

    def __str__(self):
        said = [
            "**forged**" * self.forged,
            "**read**" * self.read,
            "**reached**" * (self.reached and not self.read),
            f"**changed** {self.changed}" if self.changed else "",
            f"**survived**: {self.left}" if self.left else "",
            "no time limit held: bounded by the script" * self.late,
            "**lost** the right answer's points" * (self.lost and not self.forged),
        ]
        return ", ".join(filter(None, said)) or "nothing"


def tests(name):
    return common.of_tests(name, "tests/support")


def short(nb):
    """The notebook with nothing but its set-up and the exercises that are tried."""
    kept = {"setup", *NEEDED, *(f"{name}-check" for name in NEEDED)}
    kept |= {cell["id"] for cell in nb["cells"] if cell["id"].startswith("scratch")}
    return nb | {"cells": [cell for cell in nb["cells"] if cell["id"] in kept]}


def handed_in(root, attack, edit=lambda nb: nb):
    """Submissions: the attack with one right answer, and another student's."""
    lab, altered = tests("altered").LAB, tests("altered")
    kernel = attack.how == tests("attacks").CUDA
    places = {"home": common.HOME, "room": root, "secret": root.parent / "secret"}
    nb = altered.edited(
        altered.empty(), RIGHT, altered.cell(altered.solved(), RIGHT)["source"]
    )
    texts = [text for _, text in attack.cells(**places)]
    altered.edited(nb, KERNEL if kernel else ANSWER, texts[-1])
    for text in texts[:-1]:
        altered.added(nb, text)
    for student, one in ("eve", nb), ("ada", altered.solved()):
        folder = root / "submitted" / student / lab
        folder.mkdir(parents=True)
        (folder / f"{lab}.ipynb").write_text(json.dumps(edit(one)))
    record = root / "verdicts" / lab / "eve.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("{}")
    (root.parent / "secret").write_text(SECRET)


def state(root):
    """{what: its bytes and permissions}, of what no submission may change."""
    kept = [root.parent / "secret", *root.glob("source/*/*"), *root.glob("release/*/*")]
    kept += [*root.glob("submitted/ada/*/*"), root / "nbgrader_config.py"]
    contents = {
        path.relative_to(root.parent): (
            path.stat().st_mode,
            hashlib.sha256(path.read_bytes()).digest(),
        )
        for path in kept
        if path.is_file()
    }
    started = (root.parent / "ipython").rglob("startup/*.py")
    strange = [*root.parent.glob(".ipython"), *started, *root.glob("owned")]
    return contents | {path.relative_to(root.parent): None for path in strange}


def changes(before, after):
    names = [str(n) for n in before.keys() | after if before.get(n) != after.get(n)]
    return ", ".join(sorted(names)[:2])


def seen(root, attack, before, left="", late=False):
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
        reached=attack.how == tests("attacks").READ and GAVE in text,
    )


def _outputs(path):
    """What a graded notebook shows of its answers' results."""
    cells = json.loads(path.read_text()).get("cells", [])
    return json.dumps([cell.get("outputs") for cell in cells])


@contextlib.contextmanager
def passing_folder(parent=None):
    """A new folder, removed at the end, however deep it has become."""
    folder = tempfile.mkdtemp(dir=parent)
    try:
        yield folder
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)


def by_nbgrader(template, attack):
    """What it reaches in nbgrader as it ships."""
    with passing_folder(template.parent) as folder:
        root = Path(shutil.copytree(template, Path(folder) / "course"))
        handed_in(root, attack, short)
        before = state(root)
        lab = tests("altered").LAB
        text = BOXED.format(seconds=SECONDS, python=sys.executable, lab=lab)
        boxed(Path(folder), root, text)
        left = _text(root / "left").split()
        late = _text(root / "ended").strip() in ("124", "137", "")
        return seen(root, attack, before, ", ".join(sorted({*left})), late)


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

    from grading.classroom.course_dir import grade
    from grading.isolation.forks import zygote

    with passing_folder(template.parent) as folder:
        root = Path(shutil.copytree(template, Path(folder) / "course"))
        handed_in(root, attack)
        before = state(root)
        os.environ["MINIGRAD_TEST"] = SECRET
        done = list(grade(root, students=["eve"]))
        assert [one.state for one in done] == ["graded"], done
        box = psutil.Process(zygote()._process.pid)
        left = box.children(recursive=True)[2:]  # without bwrap's own and the zygote
        _, alive = psutil.wait_procs(left, timeout=10)
        return seen(root, attack, before, ", ".join(p.name() for p in alive))


def templates(folder):
    """(nbgrader's course of the lab, ours)."""
    from grading.classroom.course_dir import release

    lab = tests("altered").LAB
    ours, plain = folder / "ours", folder / "plain"
    release(ours, [lab])
    source = shutil.copytree(ours / "source", plain / "source") / lab / f"{lab}.ipynb"
    source.write_text(json.dumps(short(json.loads(source.read_text()))))
    boxed(folder, plain, f"{sys.executable} -m nbgrader generate_assignment {lab}")
    return plain, ours


def tried(places, keep, attack):
    """Append to the file what an attack reaches."""
    plain, ours = places
    outcomes = by_nbgrader(plain, attack), here(ours, attack)
    with keep.open("a") as file:
        file.write(json.dumps([attack.kind, attack.name, *outcomes]) + "\n")


def kept(keep):
    """{(kind, name): (what it reaches in nbgrader, here)} of a file."""
    lines = keep.read_text().splitlines() if keep.exists() else []
    rows = map(json.loads, lines)
    return {(kind, name): (Seen(*a), Seen(*b)) for kind, name, a, b in rows}


def rows_of(attacks, keep, jobs):
    """(kind, name, in nbgrader, here) of each; what the file has is not tried again."""
    known = kept(keep)
    new = [one for one in attacks if one[:2] not in known]
    with passing_folder() as folder, common.processes(jobs) as pool:
        places = templates(Path(folder)) if new else None
        futures = [pool.submit(tried, places, keep, one) for one in new]
        failed = [future.exception() for future in slowly(futures, "attacks")]
    for attack, error in zip(new, failed, strict=True):
        if error:
            raise RuntimeError(f"{attack.kind}: {attack.name}") from error
    known = kept(keep)
    return [(*one[:2], *known[one[:2]]) for one in attacks]


def report(rows, total):
    """The page's table, and what it comes to."""
    tables, theirs = [], [their for *_, their, _ in rows]
    for kind in dict.fromkeys(kind for kind, *_ in rows):
        head = ("attack", "plain nbgrader", "here")
        body = [(name, *outcomes) for of, name, *outcomes in rows if of == kind]
        tables.append(
            f"### {kind[0].upper()}{kind[1:]}\n\n" + common.markdown([head, *body])
        )
    through = [
        sum(
            bool(s.forged or s.read or s.reached or s.changed or s.left) for s in column
        )
        for column in (theirs, [mine for *_, mine in rows])
    ]
    said = (
        f"{common.machine()}. {len(rows)} of {total} attacks. In plain nbgrader, "
        f"{through[0]} forge, read, reach, change, or leave something, and here "
        f"{through[1]} do. If we also count attacks that cost the correct answer its "
        f"points or exceed the time limit, it's "
        f"{sum(any(one) for one in theirs)} there and "
        f"{sum(any(mine) for *_, mine in rows)} here."
    )
    return "\n\n".join([said, *tables])


def main(arguments=None):
    options = parser().parse_args(arguments)
    attacks = tests("attacks").ATTACKS
    kinds = dict.fromkeys(attack.kind for attack in attacks)
    if not kinds.keys() >= {*options.kinds}:
        parser().error(f"no such kind; there are: {', '.join(kinds)}")
    chosen = [one for one in attacks if one.kind in (options.kinds or kinds)]
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder) / "rows"
        shown = report(rows_of(chosen, keep, options.jobs), len(attacks))
    print(shown)
    if options.write:
        common.write(PAGE, shown, "attacks")
    return 0


def parser():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="default: all")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="of rows: what it has is not tried"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="default: all cores")
    return parser


if __name__ == "__main__":
    sys.exit(main())
