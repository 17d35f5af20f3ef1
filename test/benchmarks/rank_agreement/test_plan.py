from pathlib import Path

import pytest
from botorch_popbo.benchmarks.options import make_parser
from botorch_popbo.benchmarks.rank_agreement.models import MODELS
from botorch_popbo.benchmarks.rank_agreement.plan import plan
from botorch_popbo.benchmarks.rank_agreement.study import Study

from botorch_popbo.benchmarks.errors import UsageError


def planned(*arguments: str) -> Study:
    return plan(make_parser().parse_args(["compare", "--campaign", *arguments]))


def test_the_shipped_campaign_is_the_papers() -> None:
    study = planned("paper-forrester")
    assert study.deviations == tuple(i / 20 for i in range(10))
    assert study.noises == ("gaussian", "outliers")
    assert study.models == tuple(MODELS)
    assert study.seeds == 20
    assert study.design == "uniform"
    assert planned("paper-forrester-even").design == "even"


def test_what_a_file_does_not_say_is_the_papers_too(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('experiment = "rank-agreement"\njobs = 2\n')
    found, shipped = planned(str(path), "--jobs", "1"), planned("paper-forrester", "--jobs", "1")
    assert found == shipped
    assert planned(str(path)).jobs == 2


def test_smoke_is_the_ends_unless_it_is_told_otherwise() -> None:
    study = planned("paper-forrester", "--smoke")
    assert (study.deviations, study.seeds) == ((0.0, 0.45), 2)
    assert planned("paper-forrester", "--smoke", "--seeds", "3").seeds == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('noise = ["cauchy"]', "there is no noise 'cauchy'; known: gaussian, outliers"),
        ('design = "sobol"', "there is no design 'sobol'; known: uniform, even"),
    ],
)
def test_an_unknown_name_in_a_file_is_told(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "odd.toml"
    path.write_text(f'experiment = "rank-agreement"\n{text}')
    with pytest.raises(UsageError, match=f"odd.toml: {message}"):
        planned(str(path))
