import os

import pytest
from helpers.optimizer_contract import TABLE, OptimizerContract

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import hebo
from botorch_popbo.benchmarks.settings import Setting

(METHOD,) = hebo.METHODS


def test_without_an_interpreter_a_message_says_how_to_make_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("POPBO_PYTHON_HEBO", raising=False)
    with pytest.raises(UsageError, match=r"pip install 'HEBO.*export POPBO_PYTHON_HEBO="):
        METHOD.start(TABLE, Setting("table", "hebo", 3, 0))


@pytest.mark.skipif(
    "POPBO_PYTHON_HEBO" not in os.environ,
    reason="POPBO_PYTHON_HEBO does not name an interpreter that has HEBO",
)
@pytest.mark.parametrize("method", [METHOD], ids=["hebo"])
class TestHebo(OptimizerContract):
    pass
