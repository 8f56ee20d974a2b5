"""The web site: it builds, shows what the notebooks show, loads nothing from elsewhere,
and can be read on a phone, in the dark, on paper, and in another language."""

import functools
import http.server
import json
import posixpath
import re
import shutil
import subprocess
import sys
import threading
from importlib.util import find_spec

import pytest
import yaml
from bs4 import BeautifulSoup

from grading.notebooks import build
from minigrad import course

HOME = course.home()
BUILT = HOME / "build" / "site"
PACKAGES = "sphinx", "myst_nb", "sphinx_book_theme", "sphinx_copybutton"
PHONE = {"width": 390, "height": 800}
SOLUTION = re.compile(r"BEGIN SOLUTION\n(.*?)(?:###|//) END SOLUTION", re.S)
NOTE = re.compile(r"\s+(?:#|//): \w+$")  # a name for tools, at the end of a line
AUDITED = [
    "index.html",
    "chapters/03_strides.html",
    "lessons/02_memory.html",
    "lessons/03_strides.html",
    "lessons/08_autograd.html",
    "labs/03_strides.html",
    "docs/glossary.html",
    "docs/benchmarks/kernels.html",
    "api/nn.html",
    "search.html",
]
# It runs all notebooks, as other tests do: CI builds it, `make test` doesn't.
needs_site = [
    pytest.mark.slow,
    pytest.mark.nightly,
    pytest.mark.xdist_group("site"),
]
needs_browser = [*needs_site, pytest.mark.browser]


def marked(marks):
    """A decorator that puts all these marks on a test."""
    return lambda test: functools.reduce(lambda t, mark: mark(t), marks, test)


@pytest.fixture(scope="module")
def html():
    """The site's folder, built now; notebooks that ran before aren't run again."""
    missing = [name for name in PACKAGES if not find_spec(name)]
    if missing:
        pytest.skip(f"not run: the site (no {missing[0]}: pip install -e '.[site]')")
    run = subprocess.run(
        [sys.executable, HOME / "site" / "build.py"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return BUILT / "html"


@pytest.fixture(scope="module")
def served(html):
    """The address of a server that has the site."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    handler = functools.partial(Quiet, directory=html)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def page(chrome, served):
    """A page; what it asks of other hosts is refused, and listed in page.elsewhere."""
    with watched(chrome, served) as page:
        yield page


class watched:
    """A page in a new context: `with watched(chrome, served, **options) as page`."""

    def __init__(self, chrome, served, **options):
        self.served, self.context = served, chrome.browser.new_context(**options)

    def __enter__(self):
        page, elsewhere, errors = self.context.new_page(), [], []
        page.on("pageerror", lambda error: errors.append(str(error)))

        def decide(route):
            address = route.request.url
            if address.startswith(self.served):
                return route.continue_()
            elsewhere.append(address)
            return route.abort()

        page.route(re.compile("^(?!data:)"), decide)
        page.elsewhere, page.errors = elsewhere, errors
        return page

    def __exit__(self, *error):
        self.context.close()


def pages(html):
    """The paths of all pages, those of the theme's templates left out."""
    found = (path.relative_to(html) for path in html.rglob("*.html"))
    return sorted(path.as_posix() for path in found if path.parts[0] != "_static")


def soup(text):
    return BeautifulSoup(text, "html.parser")


# ---------------------------------------------------------------- what is on it


@marked(needs_site)
def test_every_lesson_and_lab_has_a_page_with_all_its_pictures(html):
    for text, target in build.sources():
        name = f"{target.parent.name}/{target.stem}"
        (executed,) = BUILT.glob(f"executed/{name.replace('/', '-')}-{'?' * 16}.ipynb")
        nb = json.loads(executed.read_text("utf-8"))
        shown = [o for cell in nb["cells"] for o in cell.get("outputs", ())]
        data = [o["data"] for o in shown if "data" in o]
        drawn = "".join("".join(d.get("text/html", "")) for d in data)
        images = soup((html / f"{name}.html").read_text("utf-8")).select("article img")
        words = {image["alt"] for image in images}
        assert {image["alt"] for image in soup(drawn).select("img")} <= words
        plots = sum("image/png" in d and "text/html" not in d for d in data)
        assert len(images) == drawn.count("<img") + plots
        assert all(len(image["alt"]) > 5 for image in images)
        if text.parent.name == "lessons":
            assert not [o for o in shown if o["output_type"] == "error"]


@marked(needs_site)
def test_no_page_has_a_solution(html):
    given = "".join(
        "".join(cell["source"]) + "\n"
        for _, target in build.sources()
        for cell in json.loads(target.read_text("utf-8"))["cells"]
    )
    secret = {
        line
        for path in (HOME / "solutions").glob("*.py")
        for block in SOLUTION.findall(path.read_text("utf-8"))
        for line in (NOTE.sub("", line).strip() for line in block.splitlines())
        if len(line) > 28 and line not in given
    }
    assert len(secret) > 300
    for name in pages(html):
        text = soup((html / name).read_text("utf-8")).get_text()
        assert not [line for line in secret if line in text], name


@marked(needs_site)
def test_every_link_within_the_site_leads_somewhere(html):
    ids = {}
    for name in pages(html):
        page = soup((html / name).read_text("utf-8"))
        targets = [tag["href"] for tag in page.select("article a[href]")]
        ids[name] = {tag["id"] for tag in page.select("[id]")}, targets
    for name, (_, targets) in ids.items():
        for target in targets:
            if re.match(r"\w+:", target):
                continue
            file, _, anchor = target.partition("#")
            folder = posixpath.dirname(name)
            there = posixpath.normpath(posixpath.join(folder, file)) if file else name
            assert there in ids, f"{name}: {target}"
            assert not anchor or anchor in ids[there][0], f"{name}: {target}"


# ---------------------------------------------------------------- in a browser


@marked(needs_browser)
def test_no_page_asks_another_host_for_anything_or_is_wider_than_a_phone(
    html, served, chrome
):
    wide = {}
    with watched(chrome, served, viewport=PHONE) as page:
        for name in pages(html):
            page.goto(f"{served}/{name}", wait_until="load")
            size = page.evaluate("document.documentElement.scrollWidth")
            if size > PHONE["width"]:
                wide[name] = size
        assert (page.elsewhere, page.errors, wide) == ([], [], {})


@marked(needs_browser)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(served, chrome, theme):
    from axe_playwright_python.sync_playwright import Axe

    found = {}
    with watched(chrome, served, color_scheme=theme) as page:
        for name in AUDITED:
            page.goto(f"{served}/{name}", wait_until="networkidle")
            assert page.evaluate("document.documentElement.dataset.theme") == theme
            for one in Axe().run(page).response["violations"]:
                places = [node["html"][:150] for node in one["nodes"]]
                found[name, one["id"]] = len(places), places[:3]
    assert found == {}


@marked(needs_browser)
def test_steppers_go_on_without_a_kernel(page, served):
    for name, words in (("02_memory", "statement 2 of"), ("08_autograd", "step 2 of")):
        page.goto(f"{served}/lessons/{name}.html")
        widget = page.locator(".minigrad-widget").first
        widget.get_by_role("button", name="Next").click()
        assert words in widget.locator("output").first.inner_text()


@marked(needs_browser)
def test_sliders_show_a_picture_of_each_position(page, served):
    page.goto(f"{served}/lessons/03_strides.html")
    widget = page.locator(".mg-explorer")
    picture = page.locator(".cell_output", has=widget).locator("img")
    for label, value, words in (
        ("i", 2, "x[2, 0]"),
        ("j", 3, "x[2, 3]"),
        ("stride of j", 2, "strides (4, 2)"),
        ("offset", 5, "offset 5"),
    ):
        widget.get_by_label(label, exact=True).fill(str(value))
        assert words in picture.get_attribute("alt")
        assert picture.evaluate(
            "image => image.decode().then(() => image.naturalWidth)"
        )
    assert page.elsewhere == []


@marked(needs_browser)
def test_search_finds_a_word_of_a_lesson(page, served):
    page.goto(f"{served}/search.html?q=bank+conflict", wait_until="networkidle")
    page.wait_for_selector("#search-results li a")
    assert page.locator("#search-results li a[href*='lessons/']").count()


@marked(needs_browser)
def test_a_chapter_is_printed_as_a_whole_with_nothing_folded(page, served):
    page.goto(f"{served}/chapters/00_python_to_gpu.html")
    page.evaluate("() => { window.print = () => { window.calls = 1 } }")
    page.get_by_role("button", name="Print this chapter").click()
    page.wait_for_function("window.calls === 1")
    assert page.locator(".printed-page").count() == 4  # three lessons, and the lab
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert not page.locator(".bd-sidebar-primary").is_visible()
    assert page.locator(".printed-page h1").last.is_visible()
    assert page.pdf()[:5] == b"%PDF-"


@marked(needs_browser)
def test_formulas_are_set_and_pages_translated(html, chrome, served, tmp_path):
    """A page of its own, by the site's settings, in Chinese."""
    source = tmp_path / "source"
    words = source / "locale/zh_CN/LC_MESSAGES/index.po"
    words.parent.mkdir(parents=True)
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    said = 'msgid "A tensor has strides."\nmsgstr "张量有步幅。"\n'
    words.write_text(header + said, encoding="utf-8")
    text = "# Math\n\nA tensor has strides.\n\n$$y = x W^T + b$$\n"
    (source / "index.md").write_text(text)
    target = html / "_formulas"
    command = [sys.executable, "-m", "sphinx", "-q", "-c", HOME / "site", "-D"]
    command += ["language=zh_CN", "-D", f"locale_dirs={source / 'locale'}"]
    try:
        subprocess.run([*command, "-E", source, target], check=True)
        with watched(chrome, served) as page:
            page.goto(f"{served}/_formulas/index.html")
            page.wait_for_selector("mjx-container svg")
            assert "张量有步幅。" in page.locator("article").inner_text()
            assert page.locator("html").get_attribute("lang") == "zh-CN"
            assert page.elsewhere == []
    finally:
        shutil.rmtree(target, ignore_errors=True)


# ---------------------------------------------------------------- on GitHub


def github(name):
    return yaml.safe_load((HOME / ".github" / name).read_text("utf-8"))


def test_workflows_call_commands_that_exist():
    targets = set(re.findall(r"^([a-z]+):", (HOME / "Makefile").read_text(), re.M))
    for path in (HOME / ".github/workflows").glob("*.yml"):
        jobs = github(f"workflows/{path.name}")["jobs"].values()
        steps = [step for job in jobs for step in job["steps"]]
        called = " ".join(step.get("run", "") for step in steps)
        assert set(re.findall(r"\bmake ([a-z]+)", called)) <= targets
        for file in re.findall(r"\bbash (\S+)", called):
            assert (HOME / file).exists()


def test_issue_forms_ask_for_something_and_questions_go_to_discussions():
    folder = HOME / ".github/ISSUE_TEMPLATE"
    address = build.settings()["repository"]
    links = github("ISSUE_TEMPLATE/config.yml")["contact_links"]
    assert f"{address}/discussions" in [link["url"] for link in links]
    assert all(link["url"].startswith(address) for link in links)
    forms = [path for path in folder.glob("*.yml") if path.stem != "config"]
    assert len(forms) >= 2
    for path in forms:
        form = yaml.safe_load(path.read_text("utf-8"))
        assert form["name"] and form["description"]
        asked = [part for part in form["body"] if part["type"] != "markdown"]
        assert any(part.get("validations", {}).get("required") for part in asked)
        assert len({part["id"] for part in asked}) == len(asked)
