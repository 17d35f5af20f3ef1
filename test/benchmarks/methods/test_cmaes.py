from pathlib import Path

import pytest
from helpers.peers import MIXED

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.settings import Setting

METHOD = METHODS["cmaes"]


def test_choices_without_an_order_are_refused_before_any_work(tables: Path) -> None:
    with pytest.raises(UsageError, match="cmaes needs parameters in order, which kernel of mixed"):
        METHOD.start(MIXED, Setting("mixed", "cmaes", 3, 0))
    with pytest.raises(UsageError, match="edge0, edge1"):
        METHOD.start(PROBLEMS["nasbench201"].load(tables), Setting("nasbench201", "cmaes", 3, 0))
