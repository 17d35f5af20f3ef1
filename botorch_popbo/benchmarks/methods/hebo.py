"""HEBO, whose requirements contradict this package's."""

from functools import partial
from pathlib import Path

from botorch_popbo.benchmarks.methods import hebo_server
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.elsewhere import Elsewhere

_SCRIPT = Path(hebo_server.__file__)

METHODS = (
    Method(
        "hebo",
        "HEBO's Gaussian process with warped outcomes, in another environment",
        "hebo",
        partial(Elsewhere, _SCRIPT, "pip install 'HEBO==0.3.6'", False),
        "HEBO",
    ),
)
