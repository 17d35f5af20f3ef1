"""What one does with a model in BoTorch, by BoTorch's own means; others are in the files beside."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import pytest
import torch
from botorch.acquisition import (
    ExpectedImprovement,
    LogExpectedImprovement,
    PosteriorMean,
    get_acquisition_function,
    qLogExpectedImprovement,
    qLogNoisyExpectedImprovement,
    qLowerBoundMaxValueEntropy,
    qMultiFidelityKnowledgeGradient,
)
from botorch.acquisition.cost_aware import InverseCostWeightedUtility
from botorch.acquisition.fixed_feature import FixedFeatureAcquisitionFunction
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.objective import (
    ExpectationPosteriorTransform,
    GenericMCObjective,
    LinearMCObjective,
    ScalarizedPosteriorTransform,
)
from botorch.acquisition.penalized import L2Penalty, PenalizedAcquisitionFunction
from botorch.acquisition.predictive_entropy_search import qPredictiveEntropySearch
from botorch.acquisition.prior_guided import PriorGuidedAcquisitionFunction
from botorch.acquisition.proximal import ProximalAcquisitionFunction
from botorch.acquisition.thompson_sampling import PathwiseThompsonSampling
from botorch.acquisition.utils import get_optimal_samples, prune_inferior_points
from botorch.cross_validation import batch_cross_validation, efficient_loo_cv, gen_loo_cv_folds
from botorch.exceptions import BotorchTensorDimensionError, UnsupportedError
from botorch.fit import fit_gpytorch_mll
from botorch.generation.sampling import ConstrainedMaxPosteriorSampling
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.deterministic import GenericDeterministicModel
from botorch.models.gpytorch import GPyTorchModel
from botorch.models.kernels import InfiniteWidthBNNKernel
from botorch.models.kernels.categorical import CategoricalKernel
from botorch.models.map_saas import add_saas_prior
from botorch.models.transforms import ChainedInputTransform, Normalize, Round
from botorch.models.transforms.input import AffineInputTransform
from botorch.models.utils.gpytorch_modules import get_covar_module_with_dim_scaled_prior
from botorch.optim import optimize_acqf, optimize_acqf_mixed_alternating
from botorch.optim.optimize import optimize_acqf_list
from botorch.sampling import SobolQMCNormalSampler
from botorch.sampling.pathwise.posterior_samplers import get_matheron_path_model
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from botorch.utils.sampling import manual_seed
from gpytorch import kernels
from gpytorch.distributions import MultivariateNormal
from gpytorch.mlls import ExactMarginalLogLikelihood
from gpytorch.models import GP
from helpers.gaussian import unit_points
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    RankingGP,
    RectifiedLowerConfidenceBound,
)

X, BOUNDS = unit_points(25), torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
Y = -(X - 0.3).square().sum(-1, keepdim=True)
HALF = 0.5 - X[:, :1]
SEARCH: dict[str, Any] = {"num_restarts": 2, "raw_samples": 32}
found = partial(optimize_acqf, bounds=BOUNDS, q=1, **SEARCH)


@pytest.fixture(autouse=True)
def _seeded_and_in_double() -> Iterator[None]:
    """As a script of BoTorch begins."""
    torch.set_default_dtype(torch.double)
    with manual_seed(0):
        yield
    torch.set_default_dtype(torch.float32)


@cache
def shared(outcome: str = "goal") -> RankingGP:
    """Fitted to one of the outcomes; do not change it."""
    return RankingGP(X, {"goal": Y, "slack": HALF}[outcome]).fit()


def best_f() -> float:
    return float(shared().posterior(X).mean.max())


def goal(samples: Tensor, X: Tensor | None = None) -> Tensor:
    return samples[..., 0]


def path() -> Tensor:
    """The best point of a draw of the utility."""
    return found(PosteriorMean(get_matheron_path_model(shared())))[0]


def region() -> Tensor:
    """Within a box about the best point, as long as the lengthscales (TuRBO)."""
    kernel = kernels.ScaleKernel(kernels.MaternKernel(ard_num_dims=2))
    model = RankingGP(X, Y, covar_module=kernel).fit()
    weights = model.covar_module.base_kernel.lengthscale.squeeze().detach()
    half = 0.2 * weights / weights.prod().sqrt()
    box = torch.stack([X[Y.argmax()] - half, X[Y.argmax()] + half]).clamp(0.0, 1.0)
    return optimize_acqf(qLogExpectedImprovement(model, best_f()), box, q=2, **SEARCH)[0]


def constrained(*models: Any) -> Tensor:
    """The best where another model is positive."""
    both = ModelListGP(*models)
    options = {"objective": GenericMCObjective(goal), "constraints": [lambda Z: -Z[..., 1]]}
    return found(qLogNoisyExpectedImprovement(both, X, **options))[0]


def of_values() -> SingleTaskGP:
    """A model of the slack itself."""
    model = SingleTaskGP(X, HALF)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def front() -> Tensor:
    """Between the best points of two outcomes."""
    models = ModelListGP(shared(), RankingGP(X, -X.sum(-1, keepdim=True)).fit())
    means = models.posterior(X).mean.detach()
    function = qLogNoisyExpectedHypervolumeImprovement(
        models, infer_reference_point(means), X, prune_baseline=True
    )
    return optimize_acqf(function, BOUNDS, q=2, sequential=True, **SEARCH)[0]


def per_cost() -> Tensor:
    """What is learned for what it costs."""
    cost = GenericDeterministicModel(lambda X: 1.0 + (X - 0.3).abs().sum(-1, keepdim=True))
    utility = InverseCostWeightedUtility(cost)
    options = {"current_value": torch.tensor(best_f()), "cost_aware_utility": utility}
    return found(qMultiFidelityKnowledgeGradient(shared(), num_fantasies=4, **options))[0]


def improvement() -> LogExpectedUtilityImprovement:
    return LogExpectedUtilityImprovement(shared())


def fixed_feature() -> Tensor:
    """The second column, where the first is given."""
    function = FixedFeatureAcquisitionFunction(improvement(), 2, [0], [0.25])
    free = optimize_acqf(function, BOUNDS[:, 1:], q=1, **SEARCH)[0]
    return torch.cat([torch.full_like(free, 0.25), free], dim=-1)


class NearZero(torch.nn.Module):
    """What an expert believes."""

    def forward(self, X: Tensor) -> Tensor:
        return torch.exp(-X.square().sum(-1))


SEARCHES: dict[str, Callable[[], Tensor]] = {
    "alternating": lambda: optimize_acqf_mixed_alternating(
        improvement(), BOUNDS, discrete_dims={1: [0.0, 0.25, 1.0]}, q=1, **SEARCH
    )[0],
    "constrained": lambda: constrained(shared(), shared("slack")),
    "constrained by a SingleTaskGP": lambda: constrained(shared(), of_values()),
    "constrained Thompson": lambda: ConstrainedMaxPosteriorSampling(
        shared(), ModelListGP(shared("slack"), shared("slack")), replacement=False
    )(unit_points(200, seed=1), num_samples=2),
    "factory": lambda: found(
        get_acquisition_function("qLogNEI", shared(), LinearMCObjective(torch.ones(1)), X)
    )[0],
    "fixed feature": fixed_feature,
    "front": front,
    "GIBBON": lambda: optimize_acqf(
        qLowerBoundMaxValueEntropy(shared(), unit_points(200, seed=1)),
        BOUNDS,
        q=2,
        sequential=True,
        **SEARCH,
    )[0],
    "joint batch": lambda: optimize_acqf(
        qLogNoisyExpectedImprovement(shared(), X), BOUNDS, q=3, **SEARCH
    )[0],
    "linear constraint": lambda: found(
        improvement(),
        inequality_constraints=[(torch.tensor([0, 1]), torch.tensor([-1.0, -1.0]), -0.6)],
    )[0],
    "nonlinear constraint": lambda: found(
        improvement(),
        nonlinear_inequality_constraints=[(lambda x: 0.2 - x.square().sum(), True)],
        batch_initial_conditions=torch.full((2, 1, 2), 0.2),
    )[0],
    "list of functions": lambda: optimize_acqf_list(
        [improvement(), ExpectedRankingImprovement(shared())], BOUNDS, **SEARCH
    )[0],
    "path": path,
    "path by Thompson": lambda: found(PathwiseThompsonSampling(shared()))[0],
    "penalized": lambda: found(
        PenalizedAcquisitionFunction(improvement(), L2Penalty(torch.full((2,), 0.3)), 0.1)
    )[0],
    "per cost": per_cost,
    "prior-guided": lambda: found(
        PriorGuidedAcquisitionFunction(improvement(), NearZero(), log=True)
    )[0],
    "proximal": lambda: found(
        ProximalAcquisitionFunction(
            ExpectedImprovement(RankingGP(X, Y, input_transform=None).fit(), best_f()),
            torch.full((2,), 10.0),
        )
    )[0],
    "pruned baseline": lambda: prune_inferior_points(shared(), X),
    "region": region,
    "sequential batch": lambda: optimize_acqf(
        improvement(), BOUNDS, q=2, sequential=True, **SEARCH
    )[0],
}


@pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.BadInitialCandidatesWarning")
@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_a_search_goes_where_the_optimum_is(search: Callable[[], Tensor]) -> None:
    points = search()
    assert ((points >= 0.0) & (points <= 1.0)).all()
    # Of a batch the nearest one; a point anywhere is .43 away on average.
    assert (points - 0.3).norm(dim=-1).min() < 0.3


LOOPS: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "LogEI": lambda X, Y: (
        (m := RankingGP(X, Y).fit()) and LogExpectedImprovement(m, m.posterior(X).mean.max())
    ),
    "qLogNEI": lambda X, Y: qLogNoisyExpectedImprovement(RankingGP(X, Y).fit(), X),
    "LogEUI": lambda X, Y: LogExpectedUtilityImprovement(RankingGP(X, Y).fit()),
    "ERI": lambda X, Y: ExpectedRankingImprovement(RankingGP(X, Y).fit()),
    "R-LCB": lambda X, Y: RectifiedLowerConfidenceBound(RankingGP(X, Y).fit()),
}


@pytest.mark.parametrize("function", LOOPS.values(), ids=LOOPS)
def test_a_loop_improves_on_its_design(function: Callable[[Tensor, Tensor], Any]) -> None:
    X_, Y_ = X[9:18], Y[9:18]
    for _ in range(6):
        X_ = torch.cat([X_, found(function(X_, Y_))[0]])
        Y_ = -(X_ - 0.3).square().sum(-1, keepdim=True)
    assert Y_[9:].max() > Y_[:9].max()


class Deep(kernels.Kernel):
    """A kernel of learned features."""

    def __init__(self) -> None:
        super().__init__()
        layers = torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)
        self.features, self.base = torch.nn.Sequential(*layers), kernels.RBFKernel()

    def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, **_: Any) -> Any:
        return self.base.forward(self.features(x1), self.features(x2), diag=diag)


def sparse() -> kernels.Kernel:
    """Few columns matter (SAAS)."""
    kernel = kernels.MaternKernel(ard_num_dims=2)
    add_saas_prior(kernel, tau=0.1)
    return kernel


def cylindrical() -> dict[str, Any]:
    """It wants points of the unit ball."""
    ball = AffineInputTransform(2, coefficient=torch.ones(2), offset=torch.full((2,), 0.5))
    return {
        "covar_module": kernels.CylindricalKernel(3, kernels.MaternKernel()),
        "input_transform": ball,
    }


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "cylindrical": cylindrical,
    "deep": lambda: {"covar_module": Deep()},
    "infinite width": lambda: {"covar_module": InfiniteWidthBNNKernel(3)},
    "linear": lambda: {
        "covar_module": kernels.ScaleKernel(kernels.LinearKernel() + kernels.RBFKernel())
    },
    "periodic": lambda: {"covar_module": kernels.PeriodicKernel()},
    "polynomial": lambda: {"covar_module": kernels.PolynomialKernel(2)},
    "rational quadratic": lambda: {"covar_module": kernels.RQKernel(ard_num_dims=2)},
    "sparse": lambda: {"covar_module": sparse()},
    "the default of SingleTaskGP": lambda: {
        "covar_module": get_covar_module_with_dim_scaled_prior(2)
    },
    "no outcome transform": lambda: {"outcome_transform": None},
    "rounded": lambda: {
        "input_transform": ChainedInputTransform(
            round=Round(transform_on_train=True, approximate=False), unit=Normalize(2)
        )
    },
}


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_a_model_with_parts_of_the_users_own_knows_the_best(
    parts: Callable[[], dict[str, Any]],
) -> None:
    scaled = 10.0 * X if "Round" in repr(given := parts()) else X
    mean = RankingGP(scaled, Y, **given).fit().posterior(scaled).mean
    best = Y.flatten().topk(2).indices
    assert mean.argmax() in best


def test_a_kernel_may_have_a_factor_for_categories() -> None:
    mixed = torch.cat([X[:, :1], torch.arange(len(X)).remainder(3).unsqueeze(-1)], dim=-1)
    outcomes = mixed[:, 1:] - (mixed[:, :1] - 0.3).square()
    numeric = kernels.MaternKernel(ard_num_dims=1, active_dims=(0,))
    kernel = numeric * CategoricalKernel(ard_num_dims=1, active_dims=(1,))
    model = RankingGP(
        mixed, outcomes, covar_module=kernel, input_transform=Normalize(2, indices=[0])
    ).fit()
    assert model.posterior(mixed).mean.argmax() == outcomes.argmax()


def test_what_is_known_tells_least_of_where_the_optimum_is() -> None:
    optima, _ = get_optimal_samples(shared(), BOUNDS, num_optima=4, **SEARCH)
    known, new = (
        qPredictiveEntropySearch(shared(), optima)(points.unsqueeze(1))
        for points in (X, unit_points(50, seed=1))
    )
    assert known.median() < new.median()


def test_transforms_of_the_posterior_are_linear() -> None:
    points = unit_points(6, seed=1)
    plain = shared().posterior(points)
    scaled = shared().posterior(
        points, posterior_transform=ScalarizedPosteriorTransform(torch.tensor([2.0]), 1.0)
    )
    torch.testing.assert_close(scaled.mean, 2.0 * plain.mean + 1.0)
    torch.testing.assert_close(scaled.variance, 4.0 * plain.variance)
    averaged = shared().posterior(points, posterior_transform=ExpectationPosteriorTransform(3))
    torch.testing.assert_close(averaged.mean, plain.mean.reshape(2, 3, 1).mean(1))


def test_fantasies_are_fantasised_from() -> None:
    sampler = SobolQMCNormalSampler(torch.Size([5]), seed=0)
    once = shared().fantasize(unit_points(3, seed=1), sampler)
    twice = once.fantasize(unit_points(5, seed=2).unsqueeze(1), sampler)
    new = unit_points(4, seed=3)
    left = [float(m.posterior(new).variance.mean()) for m in (shared(), once, twice)]
    assert left[0] > left[1] > left[2]


def test_it_is_a_gaussian_process_to_gpytorch_and_to_botorch() -> None:
    assert isinstance(shared(), GP)
    # Its outcomes are an order: what is written for those of a GPyTorchModel would go astray.
    assert not isinstance(shared(), GPyTorchModel)
    assert isinstance(shared()(X), MultivariateNormal)
    noise = shared().posterior(X, observation_noise=True).variance - shared().posterior(X).variance
    torch.testing.assert_close(noise, shared().noise.detach().expand(len(X), 1))


def test_a_column_without_influence_has_no_sensitivity() -> None:
    sobol = pytest.importorskip("ax.utils.sensitivity.sobol_measures")
    model = RankingGP(X, -(X[:, :1] - 0.3).square()).fit()
    first = sobol.SobolSensitivityGPMean(model, BOUNDS, num_mc_samples=64).first_order_indices()
    assert first[0] > 0.9 > 0.1 > first[1]


@pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.InputDataWarning")
@pytest.mark.parametrize("model", [RankingGP, PoissonRankModel.paper])
def test_single_precision_does_not_mind_the_default(model: Callable[..., Any]) -> None:
    function = ExpectedRankingImprovement(model(X.float(), Y.float()).fit())
    point, _ = optimize_acqf(function, BOUNDS.float(), q=1, **SEARCH)
    assert point.dtype == torch.float32


REFUSALS: dict[str, tuple[Callable[[], Any], Any, str]] = {
    "several outcomes": (
        lambda: RankingGP(X, torch.cat([Y, -Y], dim=-1)),
        BotorchTensorDimensionError,
        "from_objectives|ModelListGP",
    ),
    "efficient cross-validation": (
        lambda: efficient_loo_cv(shared()),
        UnsupportedError,
        "fit a model to the order of the others",
    ),
    "batch cross-validation": (
        lambda: batch_cross_validation(
            RankingGP, ExactMarginalLogLikelihood, gen_loo_cv_folds(X, Y)
        ),
        BotorchTensorDimensionError,
        "a model of each",
    ),
    "a network in a list of Gaussian processes": (
        lambda: ModelListGP(PoissonRankModel(X, Y)),
        ValueError,
        "models that have a likelihood",
    ),
    "fantasies of a network": (
        lambda: (
            PoissonRankModel.paper(X, Y)
            .fit()
            .fantasize(X[:1], SobolQMCNormalSampler(torch.Size([2])))
        ),
        UnsupportedError,
        "use RankingGP",
    ),
}


@pytest.mark.parametrize(("attempt", "error", "words"), REFUSALS.values(), ids=REFUSALS)
def test_what_does_not_work_names_the_way(
    attempt: Callable[[], Any], error: Any, words: str
) -> None:
    with pytest.raises(error, match=words):
        attempt()
