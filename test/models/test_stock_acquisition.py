"""All acquisition functions that BoTorch registers, on both models."""

import inspect
from dataclasses import dataclass, field
from typing import Any

import botorch.acquisition.multi_objective as several_outputs
import pytest
import torch
from botorch.acquisition import AcquisitionFunction, qMultiStepLookahead
from botorch.acquisition.active_learning import qNegIntegratedPosteriorVariance
from botorch.acquisition.analytic import (
    ExpectedImprovement,
    LogConstrainedExpectedImprovement,
    LogExpectedImprovement,
    LogNoisyExpectedImprovement,
    LogProbabilityOfFeasibility,
    LogProbabilityOfImprovement,
    NoisyExpectedImprovement,
    PosteriorMean,
    ProbabilityOfImprovement,
    UpperConfidenceBound,
)
from botorch.acquisition.bayesian_active_learning import qBayesianActiveLearningByDisagreement
from botorch.acquisition.input_constructors import (
    ACQF_INPUT_CONSTRUCTOR_REGISTRY,
    get_acqf_input_constructor,
)
from botorch.acquisition.joint_entropy_search import qJointEntropySearch
from botorch.acquisition.knowledge_gradient import (
    qKnowledgeGradient,
    qMultiFidelityKnowledgeGradient,
)
from botorch.acquisition.logei import (
    qLogExpectedImprovement,
    qLogNoisyExpectedImprovement,
    qLogProbabilityOfFeasibility,
)
from botorch.acquisition.max_value_entropy_search import (
    qLowerBoundMaxValueEntropy,
    qMaxValueEntropy,
    qMultiFidelityMaxValueEntropy,
)
from botorch.acquisition.monte_carlo import (
    qExpectedImprovement,
    qLowerConfidenceBound,
    qNoisyExpectedImprovement,
    qProbabilityOfImprovement,
    qSimpleRegret,
    qUpperConfidenceBound,
)
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.preference import (
    AnalyticExpectedUtilityOfBestOption,
    qExpectedUtilityOfBestOption,
)
from botorch.acquisition.utils import prune_inferior_points
from botorch.exceptions import UnsupportedError
from botorch.generation import MaxPosteriorSampling
from botorch.models import ModelList, ModelListGP
from botorch.models.model import Model
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.sampling.get_sampler import get_sampler
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
    PosteriorMean: COUNTS,
    ExpectedImprovement: COUNTS,
    LogExpectedImprovement: COUNTS,
    ProbabilityOfImprovement: COUNTS,
    LogProbabilityOfImprovement: COUNTS,
    LogProbabilityOfFeasibility: FEASIBLE,
    UpperConfidenceBound: BETA,
    qSimpleRegret: COUNTS,
    qExpectedImprovement: COUNTS,
    qLogExpectedImprovement: COUNTS,
    # Of at least so much, in utilities or in ranks.
    qLogProbabilityOfFeasibility: Use(
        {"constraints": [lambda samples: -1.0 - samples[..., 0]]}, on_counts=True
    ),
    qNoisyExpectedImprovement: COUNTS,
    qLogNoisyExpectedImprovement: COUNTS,
    qProbabilityOfImprovement: COUNTS,
    qLowerConfidenceBound: BETA,
    qUpperConfidenceBound: BETA,
    qMaxValueEntropy: Use({"candidate_size": 100}),
    # It asks where the best mean may change, not where all is known to be bad.
    qKnowledgeGradient: Use(
        {"num_fantasies": 32}, good=torch.full((1, 2), 0.25).double(), bad=X[[int(Y.argmin())]]
    ),
    qExpectedUtilityOfBestOption: COUNTS,
    qJointEntropySearch: Use({"num_optima": 4}),
    # It asks where most is learned of all points, which is not in a corner.
    qNegIntegratedPosteriorVariance: Use({"num_mc_points": 32}),
}

_KNOWN_NOISE = "It fantasises at the training points of a SingleTaskGP with known noise."
_FIDELITY = "It needs a column of fidelities, and says which in target_fidelities."
REFUSED: dict[type[AcquisitionFunction], tuple[type[Exception], str]] = {
    NoisyExpectedImprovement: (UnsupportedError, _KNOWN_NOISE),
    LogNoisyExpectedImprovement: (UnsupportedError, _KNOWN_NOISE),
    qBayesianActiveLearningByDisagreement: (RuntimeError, "It needs a fully Bayesian model."),
    qMultiFidelityKnowledgeGradient: (TypeError, _FIDELITY),
    qMultiFidelityMaxValueEntropy: (TypeError, _FIDELITY),
    AnalyticExpectedUtilityOfBestOption: (AttributeError, "It is for a PairwiseGP alone."),
    LogConstrainedExpectedImprovement: (TypeError, "It needs an output for each constraint."),
}


# Of the model or of BoTorch, where a function takes no transform or not this one.
REFUSALS = (UnsupportedError, NotImplementedError, TypeError, ValueError, AttributeError)


@pytest.fixture(scope="module")
def gaussian() -> RankingGP:
    return RankingGP(X, Y).fit()


@pytest.fixture(scope="module")
def network() -> PoissonRankModel:
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
    """Of both points, alone or as one of two options, once inner points are optimised."""
    found = []
    for point in (use.good, use.bad):
        batch = point.to(function.model.train_inputs[0])
        if isinstance(function, qKnowledgeGradient):
            search = {"num_restarts": 2, "raw_samples": 32}
            value = function.evaluate(batch.unsqueeze(0), bounds=BOUNDS.to(batch), **search)
        elif isinstance(function, qExpectedUtilityOfBestOption):
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
    assert registered == set(USES) | set(REFUSED)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("kind", USES)
def test_a_good_point_is_worth_more(kind: type[AcquisitionFunction], dtype: torch.dtype) -> None:
    model = RankingGP(X.to(dtype), Y.to(dtype)).fit()
    use = USES[kind]
    options = {
        name: tuple(v.to(dtype) for v in value) if name == "constraints_tuple" else value
        for name, value in use.options.items()
    }
    with manual_seed(0):
        good, bad = values(build(kind, model, **options), use)
    assert good > bad


@pytest.mark.parametrize("kind", REFUSED)
def test_what_needs_another_model_says_so(
    kind: type[AcquisitionFunction], gaussian: RankingGP, network: PoissonRankModel
) -> None:
    error, _ = REFUSED[kind]
    for model in (gaussian, network):
        with pytest.raises(error):
            values(build(kind, model), Use())


@pytest.mark.parametrize("kind", USES)
def test_counts_are_never_maximised(
    kind: type[AcquisitionFunction], network: PoissonRankModel
) -> None:
    use = USES[kind]
    with (
        manual_seed(0),
        pytest.raises((UnsupportedError, NotImplementedError), match=r"RankingGP|PoissonRankModel"),
    ):
        values(build(kind, network, **use.options), use)


@pytest.mark.parametrize("kind", USES)
def test_negated_counts_are(kind: type[AcquisitionFunction], network: PoissonRankModel) -> None:
    use, transform = USES[kind], NegatedRank()
    with manual_seed(0):
        if use.on_counts:
            good, bad = values(
                build(kind, network, **use.options, posterior_transform=transform), use
            )
            assert good > bad
        else:
            with pytest.raises(REFUSALS):
                values(build(kind, network, **use.options, posterior_transform=transform), use)


def sampler(number: int = 8) -> SobolQMCNormalSampler:
    return SobolQMCNormalSampler(torch.Size([number]), seed=0)


def test_two_steps_of_looking_ahead(gaussian: RankingGP, network: PoissonRankModel) -> None:
    def lookahead(model: Model) -> qMultiStepLookahead:
        return qMultiStepLookahead(model, batch_sizes=[1, 1], samplers=[sampler(3), sampler(2)])

    function = lookahead(gaussian)
    number = function.get_augmented_q_batch_size(1)
    assert function(GOOD.expand(number, 2)) > function(BAD.expand(number, 2))
    with pytest.raises(UnsupportedError, match="RankingGP"):
        lookahead(network)(GOOD.expand(number, 2))


def test_integrated_variances_are_those_of_the_joint_law(gaussian: RankingGP) -> None:
    with manual_seed(0):
        function = build(qNegIntegratedPosteriorVariance, gaussian, num_mc_points=32)
    points = torch.cat([GOOD, function.mc_points.reshape(-1, 2)])
    _, covariance = dense_law(gaussian.predictor, gaussian.encode(points))
    gain = covariance[0, 1:].square() / (covariance[0, 0] + gaussian.noise)
    expected = -(covariance.diagonal()[1:] - gain).mean()
    torch.testing.assert_close(function(GOOD), expected.reshape(1), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("kind", [qMaxValueEntropy, qLogNoisyExpectedImprovement])
def test_what_is_pending_is_worth_less(
    kind: type[AcquisitionFunction], gaussian: RankingGP
) -> None:
    with manual_seed(0):
        function = build(kind, gaussian, **USES[kind].options)
        before = values(function, USES[kind])[0]
        function.set_X_pending(GOOD)
        after = values(function, USES[kind])[0]
    assert after < before


def test_improvement_is_found_near_the_optimum(gaussian: RankingGP) -> None:
    function = LogExpectedImprovement(gaussian, best_f(gaussian))
    with manual_seed(0):
        found, value = optimize_acqf(function, BOUNDS, q=1, num_restarts=4, raw_samples=64)
    assert value.isfinite()
    assert torch.equal(found, found.clamp(0.0, 1.0))
    assert (found - 0.3).abs().max() < 0.25


def test_batches_of_noisy_improvement_are_spread(gaussian: RankingGP) -> None:
    function = qLogNoisyExpectedImprovement(gaussian, X_baseline=X, prune_baseline=True)
    with manual_seed(0):
        found, value = optimize_acqf(
            function, BOUNDS, q=2, num_restarts=2, raw_samples=32, options={"maxiter": 20}
        )
    assert value.isfinite()
    assert torch.equal(found, found.clamp(0.0, 1.0))
    assert (found[0] - found[1]).norm() > 1e-3


def test_inferior_points_are_pruned(gaussian: RankingGP, network: PoissonRankModel) -> None:
    kept = prune_inferior_points(gaussian, X, sampler=sampler(256))
    assert 0 < len(kept) < len(X)
    assert (kept == X[Y.argmax()]).all(-1).any()
    assert not (kept == X[Y.argmin()]).all(-1).any()
    with pytest.raises(UnsupportedError, match="NegatedRank"):
        prune_inferior_points(network, X)


def test_thompson_samples_are_good_points(gaussian: RankingGP, network: PoissonRankModel) -> None:
    choices = unit_points(100, seed=2)
    with manual_seed(0):
        chosen = MaxPosteriorSampling(gaussian, replacement=False)(choices, num_samples=10)
    assert len(chosen.unique(dim=0)) == len(chosen) == 10
    mean = gaussian.posterior(choices).mean
    assert gaussian.posterior(chosen).mean.mean() > mean.mean() + mean.std()
    with pytest.raises(UnsupportedError, match="NegatedRank"):
        MaxPosteriorSampling(network)(choices)


@pytest.mark.parametrize("container", [ModelList, ModelListGP])
def test_two_utilities_have_a_hypervolume(container: type[Model], gaussian: RankingGP) -> None:
    other = RankingGP(X, -(X - 0.7).square().sum(-1, keepdim=True)).fit()
    model = container(gaussian, other)
    few = get_sampler(model.posterior(X), torch.Size([16]), seed=0)
    function = qLogNoisyExpectedHypervolumeImprovement(model, [-1.0, -1.0], X, few)
    between, aside = torch.full((1, 2), 0.5).double(), torch.tensor([[1.0, 0.0]]).double()
    assert function(between) > function(aside)
    before = function(between)
    function.set_X_pending(between)
    assert function(between) < before


def test_constraints_of_other_outputs_count(gaussian: RankingGP) -> None:
    slack = RankingGP(X, 0.2 - X[:, :1]).fit()
    function = LogConstrainedExpectedImprovement(
        ModelList(gaussian, slack), best_f(gaussian), 0, {1: (0.0, None)}
    )
    feasible, violating = torch.tensor([[0.1, 0.3]]).double(), torch.tensor([[0.6, 0.3]]).double()
    assert function(feasible) > function(violating)


def test_entropy_search_keeps_away_from_pending_points(gaussian: RankingGP) -> None:
    pending, points = unit_points(2, seed=3), unit_points(4, seed=4)
    with manual_seed(0):
        alone = qLowerBoundMaxValueEntropy(gaussian, X)
        before = alone(points.unsqueeze(1))
        alone.set_X_pending(pending)
    noise = gaussian.noise.detach() * torch.eye(6)
    covariance = noise + gaussian.posterior(torch.cat([points, pending])).covariance_matrix
    shared = covariance[:4, 4:] @ torch.linalg.solve(covariance[4:, 4:], covariance[4:, :4])
    known = shared.diagonal() / covariance.diagonal()[:4]
    change = alone(points.unsqueeze(1)) - before
    torch.testing.assert_close(change, 0.5 * torch.log1p(-known), rtol=0, atol=1e-5)
