"""What a search relies on, whatever the data look like. That no NaN comes out is in ``fuzz.py``."""

import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from helpers.gaussian import unit_points
from torch.autograd.functional import hessian

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RankingGP,
    RectifiedLowerConfidenceBound,
)


@pytest.mark.parametrize(
    "acquisition",
    [LogExpectedUtilityImprovement, ExpectedRankingImprovement, RectifiedLowerConfidenceBound],
)
def test_outcomes_in_another_unit_suggest_alike(acquisition: type[AcquisitionFunction]) -> None:
    X = torch.rand(15, 2, generator=torch.Generator().manual_seed(3)).double()
    f = -(X - 0.4).square().sum(-1, keepdim=True)
    test_X = torch.rand(30, 1, 2, generator=torch.Generator().manual_seed(4)).double()
    expected, *others = (
        acquisition(RankingGP(X, outcomes).fit())(test_X)
        for outcomes in (f, 1e200 * f, 1e-200 * f, 3.0 * f - 7.0)
    )
    for values in others:
        torch.testing.assert_close(values, expected, rtol=1e-3, atol=1e-3)


def test_an_acquisition_function_moves_as_a_whole() -> None:
    X = torch.rand(12, 2, generator=torch.Generator().manual_seed(1)).double()
    f, slack = -(X - 0.4).square().sum(-1, keepdim=True), X[:, :1] - 0.2
    models = [RankingGP(X, outcomes).fit() for outcomes in (f, slack)]
    function = LogExpectedUtilityImprovement(models[0], slack_models=models[1:])
    test_X = torch.rand(5, 1, 2, generator=torch.Generator().manual_seed(2)).double()
    before = function(test_X)
    function.to(torch.float32)
    # Slack models are submodules, too.
    tensors = [*function.parameters(), *function.buffers(), *(m.known_X for m in models)]
    assert {values.dtype for values in tensors if values.is_floating_point()} == {torch.float32}
    after = function(test_X.float())
    assert after.dtype == torch.float32
    torch.testing.assert_close(after.double(), before, rtol=1e-2, atol=1e-2)
    function.set_X_pending(test_X[0].float())
    function.set_X_pending(None)
    torch.testing.assert_close(function(test_X.float()), after, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("is_predicted", [False, True])
def test_no_hessian_is_one_of_zeros(is_predicted: bool) -> None:
    X = unit_points(8)
    model = RankingGP(X, X.sum(-1, keepdim=True)).fit()
    acquisition = LogExpectedUtilityImprovement(model)
    with pytest.raises(NotImplementedError, match="second derivative"):
        hessian(lambda x: (model(x).mean if is_predicted else acquisition(x)).sum(), X[:1] / 2)
    with torch.no_grad():
        assert acquisition(unit_points(1, seed=1)).isfinite()
