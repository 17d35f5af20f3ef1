import math

import pytest
import torch
from helpers.gaussian import covariance, unit_points
from helpers.relations import relate
from linear_operator.utils.warnings import NumericalWarning
from torch import Tensor

from botorch_popbo.likelihoods import answers as module
from botorch_popbo.likelihoods.answers import JudgedUtilities, judged_utilities
from botorch_popbo.likelihoods.order import order_utilities
from botorch_popbo.likelihoods.relations import Relations

ANSWERS = {
    "cycle": relate(answers=[(0, 1, 2.0), (1, 2, 1.0), (2, 0, 1.0), (3, 4, 0.5), (4, 3, 0.5)]),
    "chain": relate(answers=[(i, i + 1, 1.0) for i in range(7)]),
    "every_pair": relate(answers=[(i, j, 1.5) for i in range(8) for j in range(i + 1, 8)]),
    "apart": relate(answers=[(0, 1, 3.0), (1, 0, 1.0), (5, 6, 1.0), (7, 6, 1.0), (5, 7, 1.0)]),
}
EACH = pytest.mark.parametrize("relations", ANSWERS.values(), ids=ANSWERS)
NOISE = pytest.mark.parametrize("noise", [1e-3, 0.05, 2.0])


def prior() -> Tensor:
    X = unit_points(8)
    return covariance(X, torch.tensor([0.4, 0.7]).to(X), 1e-4)


def judged(relations: Relations, noise: float, matrix: Tensor | None = None) -> JudgedUtilities:
    variance = torch.tensor(noise, dtype=torch.double)
    return judged_utilities(prior() if matrix is None else matrix, relations, variance)


@EACH
@NOISE
def test_it_is_what_the_likelihood_of_any_order_says(relations: Relations, noise: float) -> None:
    found = judged(relations, noise)
    expected = order_utilities(prior(), relations, torch.zeros(8).double(), noise)
    for name in ("utilities", "weights", "log_likelihood", "by_log_noise"):
        value = getattr(expected, name)
        torch.testing.assert_close(getattr(found, name), value, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found.gradient(), expected.gradient(), rtol=1e-4, atol=1e-4)
    for name in ("root", "ordered_root"):
        ours, theirs = (prior() @ getattr(utilities, name) for utilities in (found, expected))
        torch.testing.assert_close(ours @ ours.T, theirs @ theirs.T, rtol=1e-5, atol=1e-6)


@EACH
def test_derivatives_match_finite_differences(relations: Relations) -> None:
    matrix, found = prior(), judged(relations, 0.05)
    direction = covariance(unit_points(8, seed=3), torch.ones(2).double(), 0.1)
    step = 1e-4
    ahead, behind = (
        judged(relations, 0.05, matrix + sign * step * direction).log_likelihood
        for sign in (1.0, -1.0)
    )
    slope = (found.gradient() * direction).sum()
    torch.testing.assert_close(slope, (ahead - behind) / (2.0 * step), rtol=1e-4, atol=1e-5)
    ahead, behind = (
        judged(relations, 0.05 * math.exp(sign * step)).log_likelihood for sign in (1.0, -1.0)
    )
    change = (ahead - behind) / (2.0 * step)
    torch.testing.assert_close(found.by_log_noise, change, rtol=1e-4, atol=1e-5)


def test_a_mode_that_is_not_found_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_ITERATIONS", 1)
    with pytest.warns(NumericalWarning, match="not found in 1 steps"):
        found = judged(ANSWERS["every_pair"], 1e-3)
    assert found.log_likelihood.isfinite()
