from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.own.table import TableSource, infer
from botorch_popbo.space import Parameter

TEXT = """rate,layers,kernel,gpu,loss
0.0001,1,rbf,a,3.0
0.01,2,poly,a,1.0
0.01,2,poly,a,2.0
1.0,1,rbf,a,
0.1,2,rbf,a,7.5
"""


def source(folder: Path, *columns: str, text: str = TEXT, maximize: bool = False) -> TableSource:
    path = folder / "my results.csv"
    path.write_text(text)
    return TableSource.find(path, "loss", columns, maximize)


def test_columns_are_inferred_and_overridden(tmp_path: Path) -> None:
    space = source(tmp_path, "layers=int").load().space.parameters
    assert space == {
        "rate": Parameter(1e-4, 1.0, None, True),
        "layers": Parameter(1, 2, 1),
        "kernel": Parameter.of_choices(["poly", "rbf"], is_ordered=False),
    }
    told = "\n".join(source(tmp_path).describe())
    for part in ("5 rows, 1 of them failed", "ordered 1, 2", "choice poly, rbf", "gpu: skip"):
        assert part in told


def test_a_point_has_the_outcomes_of_the_nearest_row(tmp_path: Path) -> None:
    problem = source(tmp_path).load()
    near = {"rate": 0.012, "layers": 2, "kernel": "poly"}
    assert problem.score(near) == 1.5
    assert {problem.evaluate(near, seed) for seed in range(20)} == {1.0, 2.0}
    failed = {"rate": 0.9, "layers": 1, "kernel": "rbf"}
    assert problem.evaluate(failed, 0) is None
    assert problem.score(failed) == 7.5
    assert problem.optimal_value == 1.5
    assert source(tmp_path, maximize=True).load().optimal_value == 7.5


def test_what_is_said_of_a_table_is_in_its_name(tmp_path: Path) -> None:
    names = {source(tmp_path).name(()), source(tmp_path, maximize=True).name(())}
    names |= {source(tmp_path, "rate=float").name(()), source(tmp_path, text=TEXT + "\n").name(())}
    assert len(names) == 4
    assert all(name.startswith("my-results@") for name in names)


@pytest.mark.parametrize(
    ("columns", "text", "message"),
    [
        (("rats=log",), TEXT, "did you mean 'rate'"),
        (("rate=logg",), TEXT, "did you mean 'log'"),
        (("kernel=int",), TEXT, "kernel does not hold numbers"),
        (("gpu=choice",), TEXT, "gpu: .*at least two different choices"),
        ((), "seed,loss\n9007199254740993,1\n9007199254740992,2\n", r"seed is beyond 2\^53"),
        ((), TEXT.replace("loss", "los"), "did you mean 'los'"),
        ((), TEXT.replace("3.0", "low"), "line 2: loss is 'low'"),
        ((), TEXT.replace("3.0", "NaN"), "line 2: loss is 'NaN'; leave it empty"),
        ((), TEXT.replace("3.0", "Infinity"), "line 2: loss is inf; leave it empty"),
        ((), TEXT.replace("0.1,2", "1e400,2"), "line 6: column rate is empty or infinite"),
        ((), "rate,loss\n0,5,1\n0,7,2\n", "a name for each column"),
        ((), TEXT.replace("\n", "\n\n").replace("3.0", "low"), "line 3: loss is 'low'"),
    ],
)
def test_what_cannot_be_used_is_named(
    columns: tuple[str, ...], text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        source(tmp_path, *columns, text=text).load()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_none_is_a_choice_and_spaces_do_not_count(separator: str, tmp_path: Path) -> None:
    text = TEXT.replace("poly", "None").replace(",", f"{separator} ")
    if separator != ",":
        text = text.replace(".", ",")
    parameters = source(tmp_path, text=text).load().space.parameters
    assert list(parameters) == ["rate", "layers", "kernel"]
    assert parameters["rate"].low == 1e-4
    assert parameters["kernel"].choices == ("None", "rbf")


def test_large_numbers_keep_their_places(tmp_path: Path) -> None:
    rows = "".join(f"1e{20 + row},{row}\n" for row in range(12))
    problem = source(tmp_path, "carriers=log", text=f"carriers,loss\n{rows}").load()
    assert problem.space.parameters["carriers"] == Parameter(1e20, 1e31, None, True)
    assert [problem.score({"carriers": 10.0**power}) for power in (20, 25, 31)] == [0.0, 5.0, 11.0]


def test_only_what_is_more_even_by_its_logarithms_is_logarithmic() -> None:
    uniform = np.random.default_rng(0).uniform(1e-3, 1.0, 200)
    assert infer(pd.Series(uniform)) == "float"
    assert infer(pd.Series(np.arange(1, 201))) == "int"
    assert infer(pd.Series(10.0 ** (3.0 * uniform))) == "log"
    assert infer(pd.Series([2**i for i in range(12)])) == "log"


def test_a_date_is_no_choice_unless_it_is_said_to_be(tmp_path: Path) -> None:
    text = TEXT.replace("gpu", "day").replace(",a,3", ",2026-11-25,3")
    text = text.replace(",a,", ",2026-11-26 08:15,")
    assert "day" not in source(tmp_path, text=text).load().space.parameters
    assert "day" in source(tmp_path, "day=choice", text=text).load().space.parameters
