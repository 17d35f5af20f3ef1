import math
from pathlib import Path
from typing import Any

import pytest
from botorch.exceptions import InputDataError

from botorch_popbo import read_trials

SPACE: dict[str, Any] = {"rate": (0.01, 1.0, "log"), "kernel": ["rbf", "poly"]}
RATE = {"rate": (0.0, 1.0)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "past.csv"
    path.write_text("rate,kernel,loss\n0.1,rbf,2.0\n0.01,poly,1.0\n0.5,rbf,\n")
    return path


def test_training_data(path: Path) -> None:
    X, Y = read_trials(path, SPACE, "loss")
    assert X.tolist() == [[math.log(0.1), 0.0], [math.log(0.01), 1.0], [math.log(0.5), 0.0]]
    assert Y.tolist() == [[-2.0], [-1.0], [-math.inf]]
    assert read_trials(path, SPACE, "loss", maximize=True)[1].tolist()[0] == [2.0]
    with pytest.raises(InputDataError, match="line 2 has 'loss', which is no parameter"):
        read_trials(path, SPACE, "los")
    with pytest.raises(InputDataError, match="line 3: kernel is poly, not one of rbf, sgd"):
        read_trials(path, {"kernel": ["rbf", "sgd"]}, "loss")
    with pytest.raises(InputDataError, match="line 3: kernel is poly, but the space says rbf"):
        read_trials(path, {"rate": (0.01, 1.0, "log"), "kernel": "rbf"}, "loss")


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ("0.1,2.5,200,1\n", "line 2: width is 2.5, no whole number"),
        ("0.1,2,200,1\n\n0.1\n", "line 4: width is nan, no whole number"),
        ("0,2,200,1\n", "rate is 0, not above zero"),
        ("0.1,2,250,1\n", "size is 250, not one of 200, 300"),
        ("0.1,2,200,bad\n", "loss is bad, could not convert"),
        ("0.1,2,200,-inf\n", "loss is -inf, infinitely good"),
        ("0.1,2,200,1\n0,1,2,200,1\n", "points in numbers: .*line 3, saw 5"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(path: Path, rows: str, fault: str) -> None:
    path.write_text("rate,width,size,loss\n" + rows)
    space = {"rate": (0.01, 1.0, "log"), "width": (1, 5), "size": [200, 300]}
    with pytest.raises(InputDataError, match=fault):
        read_trials(path, space, "loss")


def test_steps_need_not_be_whole_numbers(path: Path) -> None:
    space = {"rate": {"range": [0, 1], "step": 0.25}}
    path.write_text("rate,loss\n0.25,1\n0.75,2\n")
    assert read_trials(path, space, "loss")[0].tolist() == [[0.25], [0.75]]
    path.write_text("rate,loss\n0.3,1\n")
    with pytest.raises(InputDataError, match=r"rate is 0\.3, not in steps of 0\.25"):
        read_trials(path, space, "loss")
    path.write_text("rate,loss\n3,1\n")
    with pytest.raises(InputDataError, match="rate is 3, not in steps of 2"):
        read_trials(path, {"rate": {"range": [0, 10], "step": 2}}, "loss")


def test_what_spreadsheets_write(path: Path) -> None:
    text = "size; bias ;loss\n200,0;TRUE; 2\n300;false;NaN\n200;true;NA\n300;FALSE;inf\n;;\n\n"
    path.write_text(text, encoding="utf-8-sig")
    X, Y = read_trials(path, {"size": [200, 300], "bias": [True, False]}, "loss")
    assert X.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
    assert Y.tolist() == [[-2.0], [-math.inf], [-math.inf], [-math.inf]]


def test_a_first_value_is_never_taken_for_the_name_of_its_row(path: Path) -> None:
    path.write_text("rate,loss\n1,2,\n3,4,\n")  # separators at the ends
    assert read_trials(path, RATE, "loss")[0].tolist() == [[1.0], [3.0]]
    path.write_text("rate,loss\n0,1,2\n1,3,4\n")
    with pytest.raises(InputDataError, match="cannot be read as a CSV file"):
        read_trials(path, RATE, "loss")


def test_what_is_no_table_is_named(path: Path) -> None:
    path.write_bytes(b"rate,loss\n0.1,\xe9\n")
    with pytest.raises(InputDataError, match="in UTF-8"):
        read_trials(path, RATE, "loss")
    path.write_text("")
    with pytest.raises(InputDataError, match="cannot be read as a CSV file"):
        read_trials(path, RATE, "loss")
