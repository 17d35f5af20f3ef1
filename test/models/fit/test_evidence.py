from collections.abc import Callable

import pytest
import torch
from gpytorch.kernels import Kernel, LinearKernel, MaternKernel, RBFKernel, ScaleKernel
from helpers.gaussian import hyperparameters, ranked, unit_points
from torch import Tensor

from botorch_popbo.data import Order, combine, from_comparisons, from_outcomes
from botorch_popbo.models._fit.evidence import Evidence, Sample
from botorch_popbo.models._fit.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models._fit.priors import TaskCorrelation, default_kernel, default_likelihood
from botorch_popbo.models._observations.from_order import observations_of
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.settings import ModelSettings

X = unit_points(25, 2)
WAVE = (4.0 * X[:, 0]).sin() + 0.2 * X[:, 1]
PRIOR = hyperparameters()
START = torch.zeros(5, dtype=torch.float64)  # the medians
SETTINGS = ModelSettings()


def evidence(records: Observations) -> Evidence:
    return Evidence(Sample(X[records.item], records, PRIOR))


def log_density(coordinates: Tensor, records: Observations) -> float:
    utilities = evidence(records).condition(coordinates).utilities
    return float(utilities.log_likelihood - 0.5 * coordinates.square().sum())


def fitted(records: Observations, start: Tensor = START) -> Tensor:
    return evidence(records).maximize(start)[0].coordinates


def test_the_result_is_a_maximum() -> None:
    records = ranked(WAVE)
    found = fitted(records)
    value = log_density(found, records)
    assert value > log_density(START, records)
    for step in torch.cat([0.4 * torch.eye(5), -0.4 * torch.eye(5)]).double():
        assert log_density(found + step, records) < value + 0.01
    for distance in (0.3, 0.075):
        again = fitted(records, found + distance)
        assert log_density(again, records) == pytest.approx(value, abs=0.1)  # flat along a ridge


KERNELS: dict[str, Kernel] = {
    "scaled_rbf": ScaleKernel(RBFKernel(ard_num_dims=2)),
    "rough": MaternKernel(nu=1.5),
    "one_column": MaternKernel(nu=2.5, active_dims=(0,)),
    "additive": ScaleKernel(RBFKernel(active_dims=(0,))) + LinearKernel(active_dims=(1,)),
}


def assert_gradient(law: Evidence) -> None:
    at = law.hyperparameters.start + 0.1

    def value(coordinates: Tensor) -> float:
        return law.value_and_gradient(coordinates)[1]

    found = law.value_and_gradient(at)[2]
    steps = 1e-3 * torch.eye(len(at)).double()
    expected = [(value(at + step) - value(at - step)) / 2e-3 for step in steps]
    torch.testing.assert_close(found, torch.tensor(expected).double(), rtol=1e-3, atol=5e-3)


def search(kernel: Kernel, tasks: TaskCorrelation | None = None) -> Hyperparameters:
    return Hyperparameters(Modules(kernel, default_likelihood(SETTINGS), tasks).double())


@pytest.mark.parametrize(
    "kernel", [default_kernel(2), *KERNELS.values()], ids=["default", *KERNELS]
)
def test_the_gradient_is_that_of_the_posterior_density(kernel: Kernel) -> None:
    assert_gradient(Evidence(Sample(X, ranked(WAVE), search(kernel))))


@pytest.mark.parametrize("kernel", [default_kernel(2), KERNELS["scaled_rbf"]])
def test_the_gradient_of_three_tasks(kernel: Kernel) -> None:
    source = torch.tensor([0, 1, 2, 2, 1]).repeat(5)
    tasks = [from_outcomes(X[s == source], WAVE[s == source, None]) for s in range(3)]
    first, *others = (observations_of(task) for task in tasks)
    records = first
    for number, other in enumerate(others, 1):
        records = records.join(other, number, 10 * number)
    points = torch.cat([t.X[r.item] for t, r in zip(tasks, (first, *others), strict=True)])
    law = Evidence(Sample(points, records, search(kernel, TaskCorrelation(2, SETTINGS))))
    assert_gradient(law)
    modules = law.hyperparameters.assign(law.hyperparameters.start)
    between = modules.correlation[records.source][:, records.source]
    expected = modules.kernel(points).to_dense() * between
    found = law.condition(law.hyperparameters.start).covariance
    apart = ~torch.eye(25, dtype=torch.bool)
    torch.testing.assert_close(found[apart], expected[apart])


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
    records = observations_of(of_points)
    assert_gradient(Evidence(Sample(of_points.X[records.item], records, PRIOR)))
