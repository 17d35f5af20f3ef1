import pytest
import torch
from gpytorch.kernels import Kernel, RBFKernel, ScaleKernel
from helpers.gaussian import unit_points
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.data import from_outcomes
from botorch_popbo.models._fit.evidence import Evidence
from botorch_popbo.models._hyperparameters.correlation import (
    LOGIT_DEVIATION,
    LOGIT_LOC,
    TARGET_LOGIT_DEVIATION,
    TARGET_LOGIT_LOC,
    CorrelatedHyperparameters,
    correlation,
    prior_logits,
)
from botorch_popbo.models._hyperparameters.make import make_hyperparameters
from botorch_popbo.models._hyperparameters.priors import default_kernel, default_likelihood
from botorch_popbo.models._records.from_order import records_of
from botorch_popbo.models._records.records import Records

X = unit_points(14)
SOURCE = torch.tensor([0] * 5 + [1] * 4 + [2] * 5)
LOGITS = torch.tensor([1.7, 0.3, -1.2], dtype=torch.float64)
KERNELS = [default_kernel(2), ScaleKernel(RBFKernel(ard_num_dims=2))]


def hyperparameters(kernel: Kernel) -> CorrelatedHyperparameters:
    target = make_hyperparameters(kernel.double(), default_likelihood().double(), 2)
    return CorrelatedHyperparameters(target, Parameter(LOGITS.clone()))


def records_of_three_tasks() -> Records:
    values = X.sin().sum(-1, keepdim=True)
    tasks = [records_of(from_outcomes(X[s == SOURCE], values[s == SOURCE])) for s in range(3)]
    records, first_item = tasks[0], 5
    for number, task in enumerate(tasks[1:], 1):
        records = records.join(task, number, first_item)
        first_item += task.num_points
    return records


@pytest.mark.parametrize("kernel", KERNELS)
def test_utilities_are_those_of_a_one_factor_model(kernel: Kernel) -> None:
    search = hyperparameters(kernel)
    theta = search.current()
    found = search.covariance_function(X, SOURCE).covariance(theta[:-1], torch.tensor(0.01)).matrix
    loading = LOGITS.sigmoid()
    between = torch.outer(loading, loading).fill_diagonal_(1.0)
    prior = search.kernel(theta)(X).to_dense()
    expected = prior * between[SOURCE][:, SOURCE] + 0.01 * torch.eye(14)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-6)
    assert float(torch.linalg.eigvalsh(between).min()) > 0.0
    torch.testing.assert_close(search.correlation(theta), between)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_gradient_of_the_evidence_is_that_of_finite_differences(kernel: Kernel) -> None:
    search, records = hyperparameters(kernel), records_of_three_tasks()
    points = torch.cat([X[s == SOURCE][records.item[records.source == s] % 5] for s in range(3)])
    evidence = Evidence(points, records, search)
    theta = search.current()

    def value(values: Tensor) -> Tensor:
        return evidence.condition(values).utilities.log_likelihood

    found = evidence.gradient(evidence.condition(theta))
    steps = 1e-5 * torch.eye(len(theta)).double()
    expected = torch.stack([(value(theta + s) - value(theta - s)) / 2e-5 for s in steps])
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
    assert bool((found[-4:-1].abs() > 1e-2).all())  # all loadings matter


def test_the_prior_is_normal_in_the_logits() -> None:
    search = hyperparameters(default_kernel(2))
    standardized = search.standardize(search.current())
    of_target = (LOGITS[0] - TARGET_LOGIT_LOC) / TARGET_LOGIT_DEVIATION
    logits = torch.stack([of_target, *((LOGITS[1:] - LOGIT_LOC) / LOGIT_DEVIATION)])
    torch.testing.assert_close(standardized[-4:-1], logits)
    value, gradient = search.log_prior(standardized)
    torch.testing.assert_close(value, -0.5 * standardized.square().sum())
    torch.testing.assert_close(gradient, -standardized)


def test_values_are_assigned_to_their_owners() -> None:
    kernel, likelihood = default_kernel(2).double(), default_likelihood().double()
    logits = Parameter(torch.zeros(3))  # in single precision
    search = CorrelatedHyperparameters(make_hyperparameters(kernel, likelihood, 2), logits)
    theta = torch.tensor([-0.5, 0.25, -1.0, -1.5, 2.0, 1.5, -2.5, -5.0], dtype=torch.float64)
    search.assign(theta)
    torch.testing.assert_close(search.current(), theta)
    assert logits.tolist() == [2.0, 1.5, -2.5]
    torch.testing.assert_close(kernel.lengthscale.squeeze(0).log(), theta[:2])
    torch.testing.assert_close(likelihood.noise.log(), theta[-1:])


def test_a_target_differs_from_its_sources_however_many_agree() -> None:
    between = correlation(prior_logits(50))
    explained = between[0, 1:] @ torch.linalg.solve(between[1:, 1:], between[1:, 0])
    assert 0.5 < float(explained) <= float(torch.tensor(TARGET_LOGIT_LOC).sigmoid().square())
