"""What both models do alike."""

import warnings
from collections.abc import Callable

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from botorch.exceptions.warnings import InputDataWarning
from helpers.models import EACH, law
from helpers.toy import toy_data

from botorch_popbo import RankModel
from botorch_popbo.data import from_comparisons, from_outcomes


@EACH
def test_data_are_given_once(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(5)
    for data in ({"order": from_outcomes(X, Y)}, {"train_Y": None}):
        with pytest.raises(InputDataError, match=r"Pass train_X and train_Y, or .*order.*combine"):
            make(**{"train_X": X, "train_Y": Y} | data)
    with pytest.raises(InputDataError, match="Pass train_X and train_Y"):
        make(order=from_outcomes(X, Y), train_Yvar=Y)


@EACH
def test_bad_data_are_refused(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(8)
    with pytest.raises(InputDataError, match="Y holds NaN"):
        make(X, Y * torch.nan)
    with pytest.raises(InputDataError, match="two distinct points"):
        make(X[[0, 0]], Y[[0, 1]])
    with pytest.raises(BotorchTensorDimensionError, match="N x 1"):
        make(X, Y.expand(8, 2))


@EACH
def test_equal_outcomes_warn_and_are_survived(make: Callable[..., RankModel]) -> None:
    X, Y = toy_data(15)
    none, tie = torch.zeros(0, 2, dtype=torch.long), torch.tensor([[0, 1]])
    with pytest.warns(InputDataWarning, match="All outcomes are equal"):
        make(order=from_comparisons(toy_data(2)[0], none, tie))
    with pytest.warns(InputDataWarning, match="All outcomes are equal.*Check the metric"):
        model = make(X, torch.full_like(Y, 3.0))
    assert law(model.fit()).isfinite().all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(X, Y).fit()
