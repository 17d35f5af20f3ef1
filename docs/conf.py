"""Sphinx configuration."""

import sys
from pathlib import Path

from botorch_popbo.version import __version__

project = "botorch_popbo"
author = "The botorch_popbo contributors"
copyright = "2026, the botorch_popbo contributors"
release = __version__

sys.path.append(str(Path(__file__).parent))
extensions = [
    "mathml",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
templates_path = ["_templates"]
autosummary_ignore_module_all = False
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "description"
autodoc_typehints_format = "short"
napoleon_google_docstring = True
napoleon_use_ivar = True
# Docstrings inherited from torch's Module refer to pages of torch's own documentation.
suppress_warnings = ["ref.python"]
html_theme = "furo"
html_title = f"botorch_popbo {release}"
exclude_patterns = ["examples", "results/journal", "_build", "_templates"]
