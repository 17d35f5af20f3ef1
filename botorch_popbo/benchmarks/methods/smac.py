"""SMAC3: a random forest with local search and random points in between.

In a process of its own, since what it suggests depends on the seed of Python's hashes.
"""

from functools import partial
from pathlib import Path

from botorch_popbo.benchmarks.methods import smac_server
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.elsewhere import Elsewhere
from botorch_popbo.benchmarks.methods.replay import INSTALL

_SCRIPT = Path(smac_server.__file__)

METHODS = (
    Method(
        "smac3",
        "SMAC3's random forest, log expected improvement",
        "smac3",
        partial(Elsewhere, _SCRIPT, INSTALL, True),
        "smac",
    ),
)
