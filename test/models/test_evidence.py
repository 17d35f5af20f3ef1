"""The evidence as a function of what is fitted, and its maximum."""

from collections.abc import Callable

import pytest
import torch
from gpytorch.kernels import Kernel, LinearKernel, RBFKernel, ScaleKernel
from gpytorch.priors import GammaPrior, LogNormalPrior
from helpers.gaussian import ranked, unit_points
from torch import Tensor

from botorch_popbo.data import Order, combine, from_comparisons, from_outcomes
from botorch_popbo.models.evidence import Evidence, Sample
from botorch_popbo.models.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models.priors import TaskCorrelation, Warp, default_kernel, default_likelihood
from botorch_popbo.models.records import Records
from botorch_popbo.settings import ModelSettings

X = unit_points(16, 2)
WAVE = (4.0 * X[:, 0]).sin() + 0.2 * X[:, 1]
SETTINGS = ModelSettings()
KERNELS: dict[str, Callable[[], Kernel]] = {
    "default": lambda: default_kernel(2),
    "categorical": lambda: default_kernel(2, is_categorical=True),
    "scaled_rbf": lambda: ScaleKernel(
        RBFKernel(ard_num_dims=2, lengthscale_prior=GammaPrior(3.0, 6.0)),
        outputscale_prior=LogNormalPrior(0.0, 1.0),
    ),
    "additive": lambda: ScaleKernel(RBFKernel(active_dims=(0,))) + LinearKernel(active_dims=(1,)),
    "fixed": lambda: default_kernel(2).requires_grad_(False),
}


def search(kernel: Kernel, **parts: TaskCorrelation | Warp) -> Hyperparameters:
    return Hyperparameters(Modules(kernel, default_likelihood(SETTINGS), **parts).double())


def asked() -> Order:
    generator = torch.Generator().manual_seed(0)
    pairs = torch.randint(16, (40, 2), generator=generator)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    is_first = (WAVE[pairs[:, 0]] > WAVE[pairs[:, 1]]).unsqueeze(-1)
    answers = torch.where(is_first, pairs, pairs.flip(-1))
    answers[::9] = answers[::9].flip(-1)  # to err is human
    return from_comparisons(X, answers, pairs[:5])


ORDERS: dict[str, Callable[[], Order]] = {
    "outcomes": lambda: from_outcomes(X, WAVE),
    "ties": lambda: from_outcomes(X, (4.0 * WAVE).round()),
    "failures": lambda: from_outcomes(X, WAVE.where(WAVE > -0.2, -torch.inf)),
    "uncertain": lambda: from_outcomes(X, WAVE, torch.full_like(WAVE, 0.01)),
    "answers": asked,
    "both": lambda: combine(from_outcomes(X[:9], WAVE[:9]), asked()),
}


def with_sources() -> Sample:
    source = torch.tensor([0, 1, 2, 2]).repeat(4)
    tasks = [from_outcomes(X[s == source], WAVE[s == source]) for s in range(3)]
    records = Records.from_order(tasks[0])
    for number, task in enumerate(tasks[1:], 1):
        records = records.join(Records.from_order(task), number, records.num_points * number)
    points = torch.cat([task.X for task in tasks])
    found = search(default_kernel(2), tasks=TaskCorrelation(2, SETTINGS), warp=Warp(SETTINGS))
    return Sample(points, records, found)


def of_order(make: Callable[[], Order]) -> Sample:
    order = make()
    records = Records.from_order(order)
    return Sample(order.X[records.item], records, search(default_kernel(2), warp=Warp(SETTINGS)))


SAMPLES: dict[str, Callable[[], Sample]] = {
    **{name: lambda make=make: of_order(make) for name, make in ORDERS.items()},
    **{
        name: lambda make=make: Sample(X, ranked(WAVE), search(make()))
        for name, make in KERNELS.items()
    },
    "sources": with_sources,
}


@pytest.mark.parametrize("make", SAMPLES.values(), ids=SAMPLES)
def test_the_gradient_is_that_of_the_posterior_density(make: Callable[[], Sample]) -> None:
    evidence = Evidence(make())
    at = evidence.hyperparameters.start + 0.1

    def value(coordinates: Tensor) -> float:
        return evidence.value_and_gradient(coordinates)[1]

    found = evidence.value_and_gradient(at)[2]
    steps = 1e-3 * torch.eye(len(at)).double()
    expected = [(value(at + step) - value(at - step)) / 2e-3 for step in steps]
    torch.testing.assert_close(found, torch.tensor(expected).double(), rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("name", ["outcomes", "answers"])
def test_the_result_is_a_maximum_within_its_limits(name: str) -> None:
    sample = of_order(ORDERS[name])
    evidence, search = Evidence(sample), sample.hyperparameters
    start = evidence.value_and_gradient(search.start)[1]
    conditioned, value = evidence.maximize(search.start)
    found, (low, high) = conditioned.coordinates, search.limits
    assert value > start
    assert bool(((low <= found) & (found <= high)).all())
    for step in 0.4 * torch.eye(len(found)).double():
        for moved in (found + step, found - step):
            assert evidence.value_and_gradient(moved.clamp(low, high))[1] < value + 0.1
    again = evidence.maximize((found + 0.3).clamp(low, high))[1]
    assert again == pytest.approx(value, abs=0.5)  # flat along a ridge


@pytest.mark.parametrize("make", KERNELS.values(), ids=KERNELS)
def test_the_prior_is_that_of_the_modules(make: Callable[[], Kernel]) -> None:
    found = search(make(), tasks=TaskCorrelation(2, SETTINGS), warp=Warp(SETTINGS))
    differences = []
    for at in (found.start, found.start + 0.2, found.start - 0.3):
        modules, expected = found.assign(at), torch.zeros(()).double()
        for _, owner, prior, get, _ in modules.named_priors():
            values = get(owner).detach()
            expected = expected + prior.log_prob(values).sum()
            if isinstance(prior, LogNormalPrior):  # taken as the normal one of the logarithm
                expected = expected + values.log().sum()
        differences.append(found.log_prior(at)[0] - expected)
    torch.testing.assert_close(differences[1:], 2 * differences[:1], rtol=0, atol=1e-5)


def test_a_target_differs_from_its_sources_however_many_agree() -> None:
    between = TaskCorrelation(50, SETTINGS).matrix.detach()
    assert float(torch.linalg.eigvalsh(between).min()) > 0.0
    explained = between[0, 1:] @ torch.linalg.solve(between[1:, 1:], between[1:, 0])
    assert 0.5 < float(explained) < 0.65
