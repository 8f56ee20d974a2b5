"""Write the pages that Sphinx reads: texts as they are in the repository, notebooks
with their outputs, a page for each chapter, and the API reference."""

import re
import shutil
from importlib import metadata
from pathlib import Path

import links
import notebooks
import outputs
import reference

from grading.notebooks import build
from grading.notebooks.glossary_links import anchor
from minigrad import course
from minigrad.exercises.answers import exercises_of
from minigrad.exercises.registry import find
from minigrad.viz import widgets

HOME = course.home()
# Texts of the repository that are pages, by the part of the site that they're in.
PARTS = {
    "Reference": [
        "docs/glossary.md",
        "api/index.md",
        "docs/benchmarks/index.md",
        "cudasim/README.md",
        "CHANGELOG.md",
    ],
    "For instructors": ["docs/teaching.md", "docs/walkthrough.md"],
    "For contributors": [
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/exercise.md",
        "docs/causes.md",
        "docs/mutants.md",
        "docs/soundness.md",
        "docs/attacks.md",
    ],
}
WIDGETS = "step", "graph"
MATHJAX = "sphinx-mathjax-offline/static/mathjax/tex-svg.js"
PRINT = """\
<button type="button" class="print-chapter" data-pages="{}" hidden>
Print this chapter, or save it as a PDF</button>
"""
TEMPLATE = re.compile(r"<(?=[a-z][\w:, ]*>)")  # of C++, and no HTML


def write(folder):
    """Write all pages to folder/source, and what they load to folder/static."""
    source = folder / "source"
    written = {**texts(), **chapters(), **reference.pages()}
    loaded = {}
    for name, nb in notebooks.run(folder / "executed").items():
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                cell.source = links.for_the_site(cell.source, f"{name}.ipynb", PAGES)
            for output in cell.get("outputs", ()):
                loaded |= output.get("data", {}).pop(outputs.PICTURES, {})
        written[f"{name}.ipynb"] = build.dumps(nb)
    kept = {source / name for name in written} | copy_pictures(source)
    for name, text in written.items():
        write_if_changed(source / name, text)
    for path in source.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()
    write_static(folder / "static", loaded)


def write_if_changed(path, text):
    """Sphinx reads only pages whose files have changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, encoding="utf-8")


def tables():
    """The paths of the benchmarks' tables, of the course and of the simulator."""
    paths = [*HOME.glob("docs/benchmarks/*.md"), *HOME.glob("cudasim/docs/**/*.md")]
    return sorted(path.relative_to(HOME).as_posix() for path in paths)


def texts():
    """{page: its Markdown} of the repository's texts, and of the tables' contents."""
    results = {}
    for path in PAGES:
        if path.endswith(".md"):
            text = (HOME / path).read_text("utf-8")
            results[PAGES[path]] = links.for_the_site(text, path, PAGES)
    glossary = results["docs/glossary.md"]
    results["docs/glossary.md"] = re.sub(r"^### ", "## ", glossary, flags=re.M)
    for path, text in results.items():
        if "/benchmarks/" in path:
            results[path] = TEMPLATE.sub(r"\<", text)
    results["index.md"] += contents()
    tree = [document(path) for path in tables()]
    results["docs/benchmarks/index.md"] = (
        "# Benchmarks\n\nThese tables are written by scripts, and each says on which "
        f"machine they ran.\n\n{toctree(tree)}"
    )
    return results


def document(path):
    """The name by which Sphinx knows the page of a file."""
    return "/" + path.removesuffix(".md")


def contents():
    """The table of contents, by which the site's sidebar is made."""
    names = [f"/chapters/{c.name}" for c, found in notebooks.in_order("labs") if found]
    parts = {"The course": names}
    parts |= {part: [document(p) for p in paths] for part, paths in PARTS.items()}
    return "".join(
        toctree(pages, hidden=True, caption=part) for part, pages in parts.items()
    )


def toctree(pages, hidden=False, caption=None):
    """The directive that has these pages below the page that it's on."""
    options = [":hidden:"] * hidden + [f":caption: {caption}"] * bool(caption)
    lines = "\n".join([*options, "", *pages] if options else pages)
    return f"\n```{{toctree}}\n{lines}\n```\n"


# ---------------------------------------------------------------- a chapter


def chapters():
    """{page: its Markdown} of a page for each chapter: its lessons, lab, exercises."""
    lessons = dict(notebooks.in_order("lessons"))
    labs = [chapter for chapter, found in notebooks.in_order("labs") if found]
    return {f"chapters/{c.name}.md": chapter_page(c, lessons[c]) for c in labs}


def chapter_page(chapter, lessons):
    """The Markdown of a chapter's page."""
    pages = [f"lessons/{name}" for name in lessons] + [f"labs/{chapter.name}"]
    lines = [f"# {chapter.number:02} · {chapter.title}", ""]
    if chapter.needs:
        them = [course.CHAPTERS[number] for number in chapter.needs]
        needs = ", ".join(f"[{c.number:02}]({c.name}.md)" for c in them)
        lines += [f"This chapter builds on {needs}.", ""]
    for page in pages:
        lines += [f"- [{opening(page)}](../{page}.ipynb)"]
    lines += ["", "## Exercises", "", "| number | exercise | level | time | points |"]
    lines += ["|---|---|---|--:|--:|", *map(exercise_row, headings(chapter))]
    there = " ".join(f"../{page}.html" for page in pages)
    lines += ["", PRINT.format(there), toctree([f"/{p}" for p in pages], hidden=True)]
    return "\n".join(lines)


def opening(page):
    """The heading of a lesson or a lab."""
    folder, _, name = page.partition("/")
    text = HOME / ("solutions" if folder == "labs" else folder) / f"{name}.py"
    return re.search(r"^# # (.*)$", text.read_text("utf-8"), re.M)[1]


def headings(chapter):
    """(exercise, the heading of its task, its lab) of a chapter's lab, in order."""
    text = course.solution(chapter.name).read_text("utf-8")
    tasks = re.findall(r'\btask="(\w+)"\n# ## (.*)$', text, re.M)
    assert len(tasks) == len(exercises_of(chapter.name))
    for name, heading in tasks:
        yield find(name), heading, f"../labs/{chapter.name}.ipynb"


def exercise_row(row):
    exercise, heading, lab = row
    link = f"[{heading}]({lab}#{anchor(heading.replace('`', ''))})"
    time = f"{exercise.minutes} min"
    return (
        f"| {exercise.number} | {link} | {exercise.level} | {time} | "
        f"{exercise.points} |"
    )


# ---------------------------------------------------------------- what pages load


def copy_pictures(source):
    """Copy the pictures of the texts; return where they are."""
    copies = {path: source / path.relative_to(HOME) for path in HOME.glob("docs/img/*")}
    for path, copy in copies.items():
        if not copy.exists() or copy.read_bytes() != path.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return {*copies.values()}


def write_static(folder, pictures):
    """Write the widgets as plain scripts, and their pictures, and copy MathJax."""
    texts = {"widgets.css": "".join(map(widget_style, ["common", *WIDGETS]))}
    texts |= {f"widget-{name}.js": widget_script(name) for name in WIDGETS}
    for name, text in (texts | pictures).items():
        write_if_changed(folder / name, text)
    (folder / "mathjax").mkdir(exist_ok=True)
    script = Path(metadata.distribution("sphinx-mathjax-offline").locate_file(MATHJAX))
    shutil.copyfile(script, folder / "mathjax" / script.name)


def widget_style(name):
    return (widgets.FILES / f"{name}.css").read_text("utf-8")


def widget_script(name):
    """A script that a page opened from a folder may load, too: no module."""
    parts = [(widgets.FILES / f"{n}.js").read_text("utf-8") for n in ("common", name)]
    text = "".join(parts)
    assert text.count("export default { render };") == 1
    inside = text.replace("export default { render };", "")
    return (
        f"minigradWidgets.{name} = (() => {{\n{inside}\nreturn {{ render }};\n}})();\n"
    )


def pages():
    """{path in the repository: path on the site} of every page made of one file."""
    texts = ["README.md", *(p for part in PARTS.values() for p in part), *tables()]
    texts = [path for path in texts if (HOME / path).exists()]
    books = [p.relative_to(HOME).with_suffix(".ipynb").as_posix() for p in sources()]
    named = {"README.md": "index.md"}
    return {path: named.get(path, path) for path in [*texts, *books]}


def sources():
    return [target for _, target in build.sources()]


PAGES = pages()
