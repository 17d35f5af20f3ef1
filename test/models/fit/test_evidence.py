from collections.abc import Callable
from typing import Any

import pytest
import torch
from gpytorch.kernels import Kernel, LinearKernel, MaternKernel, RBFKernel, ScaleKernel
from helpers.gaussian import hyperparameters, ranked, unit_points
from torch import Tensor

from botorch_popbo.data import Order, combine, from_comparisons, from_outcomes
from botorch_popbo.models._fit.evidence import Conditioned, Evidence
from botorch_popbo.models._hyperparameters.kernel import KernelHyperparameters
from botorch_popbo.models._hyperparameters.priors import default_likelihood
from botorch_popbo.models._records.from_order import records_of
from botorch_popbo.models._records.records import Records

X = unit_points(25, 2)
WAVE = (4.0 * X[:, 0]).sin() + 0.2 * X[:, 1]
PRIOR = hyperparameters()


def evidence(records: Records) -> Evidence:
    return Evidence(X[records.item], records, PRIOR)


def log_density(theta: Tensor, records: Records) -> float:
    utilities = evidence(records).condition(theta).utilities
    offset = (theta - PRIOR.loc) / PRIOR.scale
    return float(utilities.log_likelihood - 0.5 * offset.square().sum())


def fitted(records: Records, start: Tensor = PRIOR.loc) -> Tensor:
    return evidence(records).maximize(start)[0].theta


def test_the_result_is_a_maximum() -> None:
    records = ranked(WAVE)
    found = fitted(records)
    value = log_density(found, records)
    assert value > log_density(PRIOR.loc, records)
    for step in torch.cat([0.3 * torch.eye(5), -0.3 * torch.eye(5)]).double():
        assert log_density(found + step, records) < value + 0.01
    for distance in (0.3, 0.075):
        again = fitted(records, found + distance)
        assert log_density(again, records) == pytest.approx(value, abs=0.1)  # flat along a ridge


def test_the_maximum_comes_with_its_value_and_utilities() -> None:
    records = ranked(WAVE)
    found, value = evidence(records).maximize(PRIOR.loc)
    assert value == pytest.approx(log_density(found.theta, records), abs=1e-5)
    again = evidence(records).condition(found.theta)
    first, second = (c.utilities.differences for c in (found, again))
    torch.testing.assert_close(second, first, rtol=0, atol=1e-3)
    assert torch.equal(again.covariance.matrix, found.covariance.matrix)


def test_utilities_to_start_from_need_not_be_in_order() -> None:
    law = evidence(ranked(WAVE))
    best, value = law.maximize(PRIOR.loc)
    known = best.utilities.utilities
    for near in (known, -known, torch.zeros_like(known)):
        again, reached = law.maximize(PRIOR.loc, near=near)
        torch.testing.assert_close(again.theta, best.theta, rtol=0, atol=1e-2)
        assert reached == pytest.approx(value, abs=1e-3)


def test_a_search_ends_where_what_it_has_to_reach_is_out_of_sight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records = ranked(WAVE)
    counted, reached = evidence(records), []
    condition = counted.condition

    def count(*args: Any) -> Conditioned:
        reached.append(condition(*args))
        return reached[-1]

    monkeypatch.setattr(counted, "condition", count)
    full = counted.maximize(PRIOR.loc)[1]
    evaluations = len(reached)
    assert counted.maximize(PRIOR.loc, full - 0.1)[1] == full  # in reach, so nothing changes
    assert len(reached) == 2 * evaluations
    best, value = counted.maximize(PRIOR.loc, full + 1e4)
    assert len(reached) == 2 * evaluations + 1
    assert best is reached[-1]
    assert value == pytest.approx(log_density(PRIOR.loc, records), abs=1e-5)


def test_what_matters_has_a_short_lengthscale() -> None:
    records = ranked((6.0 * X[:, 1]).sin())
    lengthscale = fitted(records).exp()
    assert lengthscale[1] < 0.5 * lengthscale[0]


def test_an_order_without_a_pattern_is_noise() -> None:
    smooth = ranked(-(X - 0.3).square().sum(-1))
    shuffled = ranked(torch.randn(25, generator=torch.Generator().manual_seed(0)).double())
    noise = [fitted(records)[-1].exp() for records in (smooth, shuffled)]
    assert noise[0] < 0.01
    assert noise[1] > 20.0 * noise[0]


@pytest.mark.parametrize("num_records", [1, 2])
def test_few_records_stay_within_the_bounds(num_records: int) -> None:
    found = fitted(ranked(torch.arange(2).double()).subset(torch.arange(num_records)))
    assert found.isfinite().all()
    low, high = PRIOR.limits.T
    assert ((low <= found) & (found <= high)).all()


def test_uncertain_records_are_noisier() -> None:
    score, spread = torch.arange(25).double(), torch.linspace(0.1, 4.0, 25).double()
    exact, vague = (
        records_of(Order.from_scores(X, score, variance))
        for variance in (torch.zeros(25).double(), spread)
    )
    first, second = (evidence(r).condition(PRIOR.loc) for r in (exact, vague))
    added = (second.covariance.matrix - first.covariance.matrix).diagonal()
    torch.testing.assert_close(added, vague.known_variance, rtol=1e-6, atol=1e-9)
    assert torch.equal(second.record_noise, second.noise + vague.known_variance)


KERNELS: dict[str, Kernel] = {
    "scaled_rbf": ScaleKernel(RBFKernel(ard_num_dims=2)),
    "rough": MaternKernel(nu=1.5),
    "one_column": MaternKernel(nu=2.5, active_dims=(0,)),
    "additive": ScaleKernel(RBFKernel(active_dims=(0,))) + LinearKernel(active_dims=(1,)),
}


def assert_gradient(law: Evidence) -> None:
    search = law.hyperparameters
    theta = search.current() + 0.1

    def value(theta: Tensor) -> float:
        return float(law.condition(theta).utilities.log_likelihood)

    conditioned = law.condition(theta)
    expected = []
    for step in 1e-3 * search.scale.diag():
        expected.append((value(theta + step) - value(theta - step)) / (2.0 * float(step.sum())))
    # Whatever was asked for in between.
    search.log_prior(search.standardize(theta + 1.0))
    found = law.gradient(conditioned)
    torch.testing.assert_close(found, torch.tensor(expected).double(), rtol=1e-3, atol=5e-3)


@pytest.mark.parametrize("kernel", [None, *KERNELS.values()], ids=["closed_form", *KERNELS])
def test_the_gradient_is_that_of_the_evidence(kernel: Kernel | None) -> None:
    search = (
        PRIOR
        if kernel is None
        else KernelHyperparameters(kernel.double(), default_likelihood().double())
    )
    assert_gradient(Evidence(X, ranked(WAVE), search))


def comparisons() -> Order:
    generator = torch.Generator().manual_seed(0)
    asked = torch.randint(25, (60, 2), generator=generator)
    asked = asked[asked[:, 0] != asked[:, 1]]
    is_first = (WAVE[asked[:, 0]] > WAVE[asked[:, 1]]).unsqueeze(-1)
    answers = torch.where(is_first, asked, asked.flip(-1))
    answers[::9] = answers[::9].flip(-1)  # to err is human
    return from_comparisons(X, answers)


WHOLE = (4.0 * WAVE).round().unsqueeze(-1)
ORDERS: dict[str, Callable[[], Order]] = {
    "ties": lambda: from_outcomes(X, WHOLE),
    "failures": lambda: from_outcomes(X, WAVE.where(WAVE > -0.2, -torch.inf).unsqueeze(-1)),
    "answers": comparisons,
    "both": lambda: combine(from_outcomes(X[:10], WAVE[:10].unsqueeze(-1)), comparisons()),
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_the_gradient_of_any_order(order: Callable[[], Order]) -> None:
    of_points = order()
    records = records_of(of_points)
    assert_gradient(Evidence(of_points.X[records.item], records, PRIOR))
