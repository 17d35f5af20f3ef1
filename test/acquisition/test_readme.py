"""The README's loop with other acquisition functions."""

import re
from pathlib import Path

import pytest
from botorch.acquisition import LogExpectedImprovement, qLogNoisyExpectedImprovement
from botorch.utils.sampling import manual_seed

README = (Path(__file__).parents[2] / "README.md").read_text()
CODE = next(
    code
    for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    if "optimize_acqf" in code
)
OURS = "LogExpectedUtilityImprovement(model)"


@pytest.mark.parametrize(
    "function",
    [
        OURS,
        "LogExpectedImprovement(model, best_f=model.posterior(train_X).mean.max())",
        "qLogNoisyExpectedImprovement(model, X_baseline=train_X)",
    ],
)
def test_botorchs_functions_need_no_other_line_changed(function: str) -> None:
    assert CODE.count(OURS) == 1
    names = {
        "LogExpectedImprovement": LogExpectedImprovement,
        "qLogNoisyExpectedImprovement": qLogNoisyExpectedImprovement,
    }
    with manual_seed(0):
        exec(CODE.replace(OURS, function), names)
    assert names["candidate"].shape == (1, 2)
    distance = [(X - 0.3).norm(dim=-1).min() for X in (names["candidate"], names["train_X"])]
    assert distance[0] < distance[1]
