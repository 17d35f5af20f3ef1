"""Formulas as MathML, which browsers draw without a script and without a network."""

from docutils.nodes import SkipNode, math, math_block
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer, ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}


def _inline(self: HTML5Translator, node: math) -> None:
    self.body.append(tex2mathml(node.astext()))
    raise SkipNode


def _block(self: HTML5Translator, node: math_block) -> None:
    self.body.append(tex2mathml(node.astext(), as_block=True))
    raise SkipNode
