import pytest
import torch
from helpers.gaussian import hyperparameters, ranked
from helpers.outliers import SMOOTH, WORST_FIRST, X, with_outliers

from botorch_popbo.models._fit.outliers import RobustFit, fit_robustly

PRIOR = hyperparameters()


def fit(outcomes: torch.Tensor) -> RobustFit:
    return fit_robustly(X[: len(outcomes)], ranked(outcomes), PRIOR, PRIOR.loc)


def test_clean_data_are_all_used() -> None:
    assert fit(SMOOTH).is_used.all()


def test_noise_is_not_a_set_of_outliers() -> None:
    noise = 0.05 * torch.randn(40, generator=torch.Generator().manual_seed(0)).double()
    assert fit(SMOOTH + noise).is_used.float().mean() > 0.9


@pytest.mark.parametrize("records", [(6,), (6, 10), (4, 12, 20)])
def test_planted_outliers_are_set_aside(records: tuple[int, ...]) -> None:
    robust = fit(with_outliers(*records))
    assert not robust.is_used[WORST_FIRST[list(records)]].any()
    assert robust.is_used.sum() >= 40 - len(records) - 2
    # What is left is as smooth as without them.
    noise, clean = (f.conditioned.theta[-1] for f in (robust, fit(SMOOTH)))
    assert noise < clean + 3.0


def test_few_records_have_no_outliers() -> None:
    outcomes = SMOOTH[:7].clone()
    outcomes[outcomes.argmin()] = 1.0
    assert fit(outcomes).is_used.all()


def test_most_records_are_always_used() -> None:
    shuffled = torch.randn(40, generator=torch.Generator().manual_seed(1)).double()
    assert fit(shuffled).is_used.sum() >= 24
