"""How Sphinx builds the site: ``nox -s site``."""

from __future__ import annotations

import re
import sys
import urllib.request
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE / "generate")]

import reference  # noqa: E402 - the path comes first

import gpuarray  # noqa: E402

project = "gpuarray"
author = "The gpuarray developers"
copyright = f"2026, {author}"
version = release = gpuarray.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "generate"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

autodoc_typehints = "none"  # numpydoc's sections say what parameters are
autodoc_member_order = "groupwise"
# `_own_sections` moves them before numpydoc shows them; it looks at docstrings for signatures, too.
warnings.filterwarnings("ignore", message="Unknown section Differences From")
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

_INVENTORIES = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
    "scipy": "https://docs.scipy.org/doc/scipy",
}


def _reachable(url: str) -> bool:
    """Whether an inventory can be fetched: a machine without a network builds without its links."""
    try:
        with urllib.request.urlopen(f"{url}/objects.inv", timeout=10):
            return True
    except OSError:
        return False


intersphinx_mapping = {name: (url, None) for name, url in _INVENTORIES.items() if _reachable(url)}

#: The programs run when the site is built, on the emulated device.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "gallery.Order",  # by its name: Sphinx pickles the settings
    "backreferences_dir": "gallery/backreferences",  # what the reference's pages show
    "doc_module": ("gpuarray",),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "notebook_extensions": set(),  # the programs read the arguments of the command line
}

html_theme = "pydata_sphinx_theme"
html_title = "gpuarray"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
}

#: The page of a name leads back to its namespace by its first line. The sidebar of the others would
#: list a thousand names there, which is most of the site's size and of its time.
html_sidebars = {"reference/gpuarray.*": []}

#: Sections of our docstrings that numpydoc does not know become notes.
_OWN_SECTION = re.compile(r"Differences from (NumPy|CuPy|SciPy)")


def _own_sections(app, what, name, obj, options, lines):
    """Move sections on what differs from other libraries into the notes."""
    taken: list[str] = []
    at = 0
    while at + 1 < len(lines):
        if _OWN_SECTION.fullmatch(lines[at]) and re.fullmatch("-{3,}", lines[at + 1]):
            end = at + 2
            while end < len(lines) and not (
                end + 1 < len(lines) and re.fullmatch("-{3,}", lines[end + 1])
            ):
                end += 1
            taken += ["", f"**{lines[at]}.**", "", *lines[at + 2 : end]]
            del lines[at:end]
        else:
            at += 1
    if not taken:
        return
    for at, line in enumerate(lines[:-1]):
        if line == "Notes" and re.fullmatch("-{3,}", lines[at + 1]):
            lines[at + 2 : at + 2] = [*taken[1:], ""]
            return
    order = ("References", "Examples")
    for at, line in enumerate(lines[:-1]):
        if line in order and re.fullmatch("-{3,}", lines[at + 1]):
            lines[at:at] = ["Notes", "-----", *taken[1:], ""]
            return
    lines += ["", "Notes", "-----", *taken[1:]]


def setup(app):
    reference.write(HERE / "reference")
    app.connect("autodoc-process-docstring", _own_sections, priority=400)
