"""All acquisition functions that BoTorch registers, on both models."""

import inspect
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import botorch.acquisition.multi_objective as several_outputs
import pytest
import torch
from botorch import acquisition as stock
from botorch.acquisition import AcquisitionFunction, analytic, joint_entropy_search, logei
from botorch.acquisition.input_constructors import (
    ACQF_INPUT_CONSTRUCTOR_REGISTRY,
    get_acqf_input_constructor,
)
from botorch.exceptions import UnsupportedError
from botorch.generation import MaxPosteriorSampling
from botorch.models import ModelList
from botorch.models.model import Model
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.datasets import SupervisedDataset
from botorch.utils.sampling import manual_seed
from helpers.gaussian import dense_law, unit_points
from torch import Tensor

from botorch_popbo import NegatedRank, PoissonRankModel, RankingGP

# BoTorch warns of single precision.
pytestmark = pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.InputDataWarning")

X = unit_points(15)
Y = -(X - 0.3).square().sum(-1, keepdim=True)
BOUNDS = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
GOOD, BAD = torch.tensor([[0.3, 0.3]]).double(), torch.tensor([[1.0, 1.0]]).double()
POSITIVE = (torch.tensor([[-1.0]]).double(), torch.tensor([[0.0]]).double())


@dataclass(frozen=True)
class Use:
    """How a function is built, and two points of which it must prefer the first.

    Attributes:
        options: Of the input constructor.
        on_counts: Whether it takes negated rank counts; else it is refused for want of a
            ``posterior_transform``, of fantasies or of sample paths.
        good: A point.
        bad: A worse one.
    """

    options: dict[str, Any] = field(default_factory=dict)
    on_counts: bool = False
    good: Tensor = GOOD
    bad: Tensor = BAD


COUNTS = Use(on_counts=True)
BETA = Use({"beta": 0.5}, on_counts=True)
FEASIBLE = Use({"constraints_tuple": POSITIVE})
USES: dict[type[AcquisitionFunction], Use] = {
    stock.PosteriorMean: COUNTS,
    stock.ExpectedImprovement: COUNTS,
    stock.LogExpectedImprovement: COUNTS,
    stock.ProbabilityOfImprovement: COUNTS,
    analytic.LogProbabilityOfImprovement: COUNTS,
    analytic.LogProbabilityOfFeasibility: FEASIBLE,
    stock.UpperConfidenceBound: BETA,
    stock.qSimpleRegret: COUNTS,
    stock.qExpectedImprovement: COUNTS,
    stock.qLogExpectedImprovement: COUNTS,
    # Of at least so much, in utilities or in ranks.
    logei.qLogProbabilityOfFeasibility: Use(
        {"constraints": [lambda samples: -1.0 - samples[..., 0]]}, on_counts=True
    ),
    stock.qNoisyExpectedImprovement: COUNTS,
    stock.qLogNoisyExpectedImprovement: COUNTS,
    stock.qProbabilityOfImprovement: COUNTS,
    stock.qLowerConfidenceBound: BETA,
    stock.qUpperConfidenceBound: BETA,
    stock.qMaxValueEntropy: Use({"candidate_size": 100}),
    # It asks where the best mean may change, not where all is known to be bad.
    stock.qKnowledgeGradient: Use(
        {"num_fantasies": 32}, good=torch.full((1, 2), 0.25).double(), bad=X[[int(Y.argmin())]]
    ),
    stock.qExpectedUtilityOfBestOption: COUNTS,
    joint_entropy_search.qJointEntropySearch: Use({"num_optima": 4}),
    # It asks where most is learned of all points, which is not where most is known.
    stock.qNegIntegratedPosteriorVariance: Use({"num_mc_points": 32}, good=BAD, bad=GOOD),
}

# They need a model of another kind, or of several outputs.
OTHERS = {
    stock.NoisyExpectedImprovement,
    stock.LogNoisyExpectedImprovement,
    stock.qBayesianActiveLearningByDisagreement,
    stock.qMultiFidelityKnowledgeGradient,
    stock.qMultiFidelityMaxValueEntropy,
    stock.AnalyticExpectedUtilityOfBestOption,  # of choices: test_gpytorch.py
    analytic.LogConstrainedExpectedImprovement,
}


# Of the model or of BoTorch, where a function takes no transform or not this one.
REFUSALS = (UnsupportedError, NotImplementedError, TypeError, ValueError, AttributeError)


@cache
def gaussian(dtype: torch.dtype = torch.float64) -> RankingGP:
    """Shared: do not change it."""
    return RankingGP(X.to(dtype), Y.to(dtype)).fit()


@cache
def network() -> PoissonRankModel:
    """Shared: do not change it."""
    return PoissonRankModel.paper(X, Y).fit()


def build(kind: type[AcquisitionFunction], model: Model, **options: Any) -> AcquisitionFunction:
    """By BoTorch's input constructor, as Ax does."""
    X = model.train_inputs[0]
    data = SupervisedDataset(X, Y.to(X), feature_names=["a", "b"], outcome_names=["y"])
    if "best_f" in inspect.signature(kind).parameters:
        options["best_f"] = best_f(model)
    construct = get_acqf_input_constructor(kind)
    # A certain rate leaves no hope of more than the best, but of more than the worst.
    baseline = X if isinstance(model, RankingGP) else X[[int(Y.argmin())]]
    common = {"training_data": data, "X_baseline": baseline, "bounds": BOUNDS.T.tolist()}
    return kind(**construct(model=model, **common, **options))


def best_f(model: Model) -> float:
    """The best utility, or the worst negated count."""
    if isinstance(model, PoissonRankModel):
        return -float(len(X))
    return float(model.posterior(model.train_inputs[0]).mean.max())


def values(function: AcquisitionFunction, use: Use) -> tuple[float, float]:
    """Of both points, alone or as one of two options, once inner points are optimized."""
    found = []
    for point in (use.good, use.bad):
        batch = point.to(function.model.train_inputs[0])
        if isinstance(function, stock.qKnowledgeGradient):
            search = {"num_restarts": 2, "raw_samples": 32}
            value = function.evaluate(batch.unsqueeze(0), bounds=BOUNDS.to(batch), **search)
        elif isinstance(function, stock.qExpectedUtilityOfBestOption):
            value = function(torch.cat([batch, BAD.to(batch) * 0.9]))
        else:
            value = function(batch)
        found.append(value.item())
    return found[0], found[1]


def test_every_registered_function_of_one_output_is_in_the_table() -> None:
    several = several_outputs.__name__
    registered = {
        kind
        for kind in ACQF_INPUT_CONSTRUCTOR_REGISTRY
        if kind.__module__.startswith("botorch.") and not kind.__module__.startswith(several)
    }
    assert registered == set(USES) | OTHERS


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("kind", USES)
def test_a_good_point_is_worth_more(kind: type[AcquisitionFunction], dtype: torch.dtype) -> None:
    options = {
        name: tuple(v.to(dtype) for v in value) if name == "constraints_tuple" else value
        for name, value in USES[kind].options.items()
    }
    with manual_seed(0):
        good, bad = values(build(kind, gaussian(dtype), **options), USES[kind])
    assert good > bad


@pytest.mark.parametrize("kind", USES)
def test_counts_are_never_maximised_but_negated_ones_are(kind: type[AcquisitionFunction]) -> None:
    use = USES[kind]

    def of_counts(**options: Any) -> tuple[float, float]:
        with manual_seed(0):
            return values(build(kind, network(), **use.options, **options), use)

    with pytest.raises(
        (UnsupportedError, NotImplementedError), match=r"RankingGP|PoissonRankModel"
    ):
        of_counts()
    if use.on_counts:
        good, bad = of_counts(posterior_transform=NegatedRank())
        assert good > bad
    else:
        with pytest.raises(REFUSALS):
            of_counts(posterior_transform=NegatedRank())


def test_integrated_variances_are_those_of_the_joint_law() -> None:
    model = gaussian()
    with manual_seed(0):
        function = build(stock.qNegIntegratedPosteriorVariance, model, num_mc_points=32)
    points = torch.cat([GOOD, function.mc_points.reshape(-1, 2)])
    _, covariance = dense_law(model.predictor, model.encode(points))
    gain = covariance[0, 1:].square() / (covariance[0, 0] + model.noise)
    expected = -(covariance.diagonal()[1:] - gain).mean()
    torch.testing.assert_close(function(GOOD), expected.reshape(1), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("kind", [stock.qMaxValueEntropy, stock.qLogNoisyExpectedImprovement])
def test_what_is_pending_is_worth_less(kind: type[AcquisitionFunction]) -> None:
    with manual_seed(0):
        function = build(kind, gaussian(), **USES[kind].options)
        before = values(function, USES[kind])[0]
        function.set_X_pending(GOOD)
        assert values(function, USES[kind])[0] < before


def test_what_is_not_registered_works_as_well() -> None:
    model = gaussian()
    samplers = [SobolQMCNormalSampler(torch.Size([number]), seed=0) for number in (3, 2)]
    lookahead = stock.qMultiStepLookahead(model, batch_sizes=[1, 1], samplers=samplers)
    number = lookahead.get_augmented_q_batch_size(1)
    assert lookahead(GOOD.expand(number, 2)) > lookahead(BAD.expand(number, 2))
    choices = unit_points(100, seed=2)
    with manual_seed(0):
        chosen = MaxPosteriorSampling(model, replacement=False)(choices, num_samples=10)
    mean = model.posterior(choices).mean
    assert model.posterior(chosen).mean.mean() > mean.mean() + mean.std()
    models, bounds = ModelList(model, RankingGP(X, 0.2 - X[:, :1]).fit()), {1: (0.0, None)}
    constrained = analytic.LogConstrainedExpectedImprovement(models, best_f(model), 0, bounds)
    feasible, violating = torch.tensor([[[0.1, 0.3]], [[0.6, 0.3]]]).double()
    assert constrained(feasible) > constrained(violating)
