from pathlib import Path

import pytest
from botorch_popbo.benchmarks.rank_agreement.results import (
    Result,
    append_result,
    read_results,
    select,
    write_csv,
)
from botorch_popbo.benchmarks.rank_agreement.study import Setting, Study

from botorch_popbo.benchmarks.errors import RecordError

SETTING = Setting("uniform", "outliers", 0.15, "gp", 3)
RESULT = Result(SETTING, 1 / 3, (2, 0, 1))


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    append_result(path, RESULT)
    assert read_results(path) == {SETTING: RESULT}
    assert read_results(tmp_path / "none") == {}


@pytest.mark.parametrize("line", ["nonsense", "{}", "[1]", '{"noise": "gaussian"}'])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "results.jsonl"
    append_result(path, RESULT)
    with path.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(RecordError, match=r"results.jsonl, line 2: not a result"):
        read_results(path)


def test_a_row_for_each_result_of_the_study_in_its_order(study: Study, tmp_path: Path) -> None:
    found = {s: Result(s, 0.1234567 + s.seed, (0,)) for s in reversed(list(study.settings()))}
    found[SETTING] = RESULT
    del found[Setting("uniform", "gaussian", 0.3, "gp", 0)]
    write_csv(select(study, found), tmp_path / "results.csv")
    assert (tmp_path / "results.csv").read_text().splitlines() == [
        "design,noise,deviation,model,seed,tau",
        "uniform,gaussian,0.0,gp,0,0.123457",
        "uniform,gaussian,0.0,gp,1,1.12346",
        "uniform,gaussian,0.0,popbo-default,0,0.123457",
        "uniform,gaussian,0.0,popbo-default,1,1.12346",
        "uniform,gaussian,0.3,gp,1,1.12346",
        "uniform,gaussian,0.3,popbo-default,0,0.123457",
        "uniform,gaussian,0.3,popbo-default,1,1.12346",
    ]
