"""Sphinx's settings: `python site/build.py` runs it."""

import sys
from pathlib import Path

from docutils import nodes

sys.path[:0] = [str(Path(__file__).parents[1])]

from grading.notebooks import build  # noqa: E402
from minigrad import __version__  # noqa: E402

address = build.settings()

project = "minigrad"
author = "The minigrad authors"
copyright = f"{author}; text and pictures CC BY 4.0, code BSD 3-Clause"
version = release = __version__
language = "en"

extensions = ["myst_nb", "sphinx_copybutton"]
nitpicky = True

# Notebooks come with their outputs.
nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js = {}
nb_code_prompt_show = "Show the set-up cell"
nb_code_prompt_hide = "Hide the set-up cell"
nb_mime_priority_overrides = [("html", "text/markdown", 5)]
myst_enable_extensions = ["dollarmath", "fieldlist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]
copybutton_exclude = ".linenos, .gp, .go"

# sphinx-intl makes site/locale/LANGUAGE/LC_MESSAGES, with a file for each page.
locale_dirs = ["locale"]
gettext_compact = False
gettext_additional_targets = ["raw"]

html_theme = "sphinx_book_theme"
html_title = "minigrad"
html_favicon = "static/favicon.svg"
html_static_path = ["static", "../build/site/static"]
html_css_files = ["site.css", "widgets.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_copy_source = False
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {"options": {"enableMenu": False}, "svg": {"fontCache": "global"}}
html_theme_options = {
    "repository_url": address["repository"],
    "repository_branch": address["tag"],
    "path_to_docs": "",
    "use_repository_button": True,
    "use_issues_button": True,
    "use_download_button": False,
    "launch_buttons": {"colab_url": "https://colab.research.google.com"},
    "home_page_in_toc": True,
    "show_navbar_depth": 1,
    "show_toc_level": 2,
    "navbar_persistent": [],
}
html_context = {"default_mode": "auto"}
toc_object_entries_show_parents = "hide"


def without_empty_heads(app, tree):
    """A table whose columns have no names has no head."""
    for head in [*tree.findall(nodes.thead)]:
        if not head.astext().strip():
            head.parent.remove(head)


def setup(app):
    app.connect("doctree-read", without_empty_heads)
