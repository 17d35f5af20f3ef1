import math
from pathlib import Path
from typing import Any

import pytest
import torch
from botorch.exceptions import InputDataError

from botorch_popbo import read_trials

SPACE: dict[str, Any] = {"rate": (0.01, 1.0, "log"), "kernel": ["rbf", "poly"]}
RATE: dict[str, Any] = {"rate": (0.0, 1.0)}
STEPS: dict[str, Any] = {"rate": {"range": [0, 1], "step": 0.25}}
WIDE: dict[str, Any] = {"rate": (0.01, 1.0, "log"), "width": (1, 5), "size": [200, 300]}
ROWS = "rate,kernel,loss\n0.1,rbf,2.0\n0.01,poly,1.0\n0.5,rbf,\n"
INF = math.inf


@pytest.mark.parametrize(
    ("text", "space", "points", "outcomes"),
    [
        (
            ROWS,
            SPACE,
            [[math.log(0.1), 0], [math.log(0.01), 1], [math.log(0.5), 0]],
            [-2, -1, -INF],
        ),
        ("rate,loss\n0.25,1\n0.75,2\n", STEPS, [[0.25], [0.75]], [-1, -2]),
        ("rate,loss\n1,2,\n3,4,\n", RATE, [[1], [3]], [-2, -4]),  # separators at the ends
        (
            "\ufeffsize; bias ;loss\n200,0;TRUE; 2\n300;false;NaN\n200;true;NA\n300;FALSE;inf\n;;",
            {"size": [200, 300], "bias": [True, False]},
            [[0, 0], [1, 1], [0, 0], [1, 1]],
            [-2, -INF, -INF, -INF],
        ),
    ],
    ids=["comma", "steps", "ends", "spreadsheet"],
)
def test_points_and_outcomes(
    tmp_path: Path, text: str, space: Any, points: list[list[float]], outcomes: list[float]
) -> None:
    (path := tmp_path / "past.csv").write_text(text, encoding="utf-8")
    X, Y = read_trials(path, space, "loss")
    assert X.equal(torch.tensor(points, dtype=torch.double))
    assert Y.squeeze(-1).tolist() == outcomes
    if "inf" not in text:
        assert read_trials(str(path), space, "loss", maximize=True)[1][0] == -outcomes[0]


@pytest.mark.parametrize(
    ("text", "space", "fault"),
    [
        (ROWS, SPACE | {"kernel": ["rbf", "sgd"]}, "line 3: kernel is poly, not one of rbf, sgd"),
        (ROWS, SPACE | {"kernel": "rbf"}, "line 3: kernel is poly, but the space says rbf"),
        (
            ROWS.replace("loss", "los"),
            SPACE,
            "line 2 has 'los', which is not a .* is named \"loss\"",
        ),
        ("rate,kernel\n0.1,rbf\n", SPACE, "has no column 'loss'"),
        ("rate,width,size,loss\n0.1,2.5,200,1\n", WIDE, "line 2: width is 2.5, not a whole number"),
        ("rate,width,size,loss\n0.1,2,200,1\n\n0.1\n", WIDE, "line 4: width is nan, not a whole"),
        ("rate,width,size,loss\n0,2,200,1\n", WIDE, "rate is 0, not above zero"),
        ("rate,width,size,loss\n0.1,2,250,1\n", WIDE, "size is 250, not one of 200, 300"),
        ("rate,width,size,loss\n0.1,2,200,bad\n", WIDE, "loss is bad, not a number"),
        ("rate,width,size,loss\n0.1,2,200,-inf\n", WIDE, "loss is -inf, infinitely good"),
        (
            "rate,width,size,loss\n0.1,2,200,1\n0,1,2,200,1\n",
            WIDE,
            "line 3 has 5 values, more",
        ),
        ("rate,loss\n0.3,1\n", STEPS, r"rate is 0\.3, not in steps of 0\.25"),
        ("rate,loss\n0,1,2\n1,3,4\n", RATE, "with a name for each column"),
        ("", RATE, "with a name for each column"),
        ("rate,loss\n0.1,\xe9\n", RATE, "must be UTF-8"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, text: str, space: Any, fault: str
) -> None:
    (path := tmp_path / "past.csv").write_text(text, encoding="latin-1")
    with pytest.raises(InputDataError, match=fault):
        read_trials(path, space, "loss")
