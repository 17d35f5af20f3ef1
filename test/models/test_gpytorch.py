"""The Gaussian process as a model of GPyTorch and BoTorch, after the tests of PairwiseGP."""

import math
from typing import Any

import pytest
import torch
from botorch.acquisition.objective import LearnedObjective
from botorch.acquisition.preference import (
    AnalyticExpectedUtilityOfBestOption,
    qExpectedUtilityOfBestOption,
)
from botorch.acquisition.risk_measures import VaR
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, PairwiseGP
from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood, PairwiseProbitLikelihood
from botorch.models.transforms.input import (
    ChainedInputTransform,
    InputPerturbation,
    InputTransform,
    Normalize,
    Warp,
)
from botorch.models.transforms.outcome import Standardize
from botorch.optim import optimize_acqf
from botorch.optim.fit import fit_gpytorch_mll_scipy, fit_gpytorch_mll_torch
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.kernels import RBFKernel, ScaleKernel
from gpytorch.means import LinearMean
from gpytorch.mlls import ExactMarginalLogLikelihood, SumMarginalLogLikelihood
from gpytorch.models import GP
from gpytorch.priors import LogNormalPrior
from helpers.gaussian import unit_points
from helpers.utility import SMOOTH, TEST_X, X, with_an_outlier
from torch import Tensor

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.data import combine, from_comparisons, from_outcomes
from botorch_popbo.models import OrderMarginalLogLikelihood
from botorch_popbo.settings import ModelSettings

# BoTorch warns of single precision, and where its optimizers end by their number of steps.
pytestmark = pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.BotorchWarning")

BOUNDS = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
FEW, Y = X[:12], SMOOTH[:12].unsqueeze(-1)
PAIRS = torch.cartesian_prod(torch.arange(6), torch.arange(6, 12))
CHOICES = torch.where(Y[PAIRS[:, :1], 0] > Y[PAIRS[:, 1:], 0], PAIRS, PAIRS.flip(-1))
CHOICES[::7] = CHOICES[::7].flip(-1)  # to err is human
PERTURBED = InputPerturbation(torch.tensor([[0.0, 0.0], [0.1, 0.0], [0.0, 0.2]]).double())


def warp() -> Warp:
    prior = LogNormalPrior(0.0, 0.75)
    priors: dict[str, Any] = {"concentration0_prior": prior, "concentration1_prior": prior}
    return Warp(d=2, indices=[0, 1], bounds=BOUNDS, **priors)


def density(model: RankingGP) -> Tensor:
    mll = OrderMarginalLogLikelihood(model.likelihood, model.train())
    value: Tensor = mll(model(*model.train_inputs), model.train_targets)
    return value


def mean(model: Any, points: Tensor = TEST_X) -> Tensor:
    found: Tensor = model.posterior(points).mean.detach().squeeze(-1)
    return found


MODELS: dict[str, dict[str, Any]] = {
    "default": {},
    "trend": {"mean_module": LinearMean(2)},
    "warp": {
        "input_transform": ChainedInputTransform(box=Normalize(2, bounds=BOUNDS), warp=warp())
    },
    "answers": {"train_Y": CHOICES},
    "probit": {"train_Y": CHOICES, "likelihood": PairwiseProbitLikelihood()},
    "logit": {"train_Y": CHOICES, "likelihood": PairwiseLogitLikelihood()},
}


@pytest.mark.parametrize("options", MODELS.values(), ids=MODELS)
def test_the_gradient_of_the_density_is_that_of_its_differences(options: dict[str, Any]) -> None:
    model = RankingGP(FEW, **{"train_Y": Y} | options).double()
    parameters = [p for p in model.parameters() if p.requires_grad]
    found = torch.autograd.grad(density(model), parameters)
    for parameter, slope in zip(parameters, found, strict=True):
        flat, step = (
            parameter.data.view(-1),
            1e-4 * float(parameter.data.abs().max().clamp_min(0.1)),
        )
        if parameter is getattr(model.likelihood, "raw_noise", None):
            step = 1e-2 * float(parameter)
        at, values = float(flat[0]), []
        for moved in (at + step, at - step):
            flat[0] = moved
            values.append(float(density(model).detach()))
        flat[0] = at
        expected = torch.tensor((values[0] - values[1]) / (2.0 * step)).double()
        torch.testing.assert_close(slope.view(-1)[0], expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(
    "data",
    [{"train_X": FEW[:8], "train_Y": Y[:8]}, {"train_X": FEW, "train_Y": CHOICES}],
    ids=["outcomes", "answers"],
)
def test_botorchs_fitting_ends_where_fit_does(data: dict[str, Tensor]) -> None:
    settings = ModelSettings(least_gain=1e-7, max_iterations=1000)
    ours, theirs = (RankingGP(**data, settings=settings) for _ in range(2))
    assert isinstance(ours, GP)
    ours.fit(outliers=False, directions=False)
    mll = OrderMarginalLogLikelihood(theirs.likelihood, theirs)
    to_the_end = {"options": {"ftol": 1e-12, "gtol": 1e-8, "maxls": 50}}
    assert fit_gpytorch_mll(mll, optimizer_kwargs=to_the_end) is mll
    assert not theirs.training
    gap = density(ours) - density(theirs)
    assert abs(float(gap.detach())) < 0.01
    torch.testing.assert_close(mean(ours), mean(theirs), rtol=0.1, atol=0.1)


@pytest.mark.parametrize("optimizer", [fit_gpytorch_mll_scipy, fit_gpytorch_mll_torch])
def test_any_of_botorchs_optimizers_stays_within_limits(
    optimizer: Any, tkwargs: dict[str, Any]
) -> None:
    model = RankingGP(FEW.to(**tkwargs), Y.to(**tkwargs))
    before = float(density(model).detach())
    is_torch = optimizer is fit_gpytorch_mll_torch
    options = {"step_limit": 20} if is_torch else {"options": {"maxiter": 10}}
    mll = SumMarginalLogLikelihood(model.likelihood, ModelListGP(model))
    mll.mlls[0] = OrderMarginalLogLikelihood(model.likelihood, model)
    fit_gpytorch_mll(mll, optimizer=optimizer, optimizer_kwargs=options)
    assert float(density(model).detach()) > before + 0.1
    for _, parameter, constraint in model.named_parameters_and_constraints():
        assert (parameter >= constraint.lower_bound.to(parameter) - 1e-6).all()
        assert (parameter <= constraint.upper_bound.to(parameter) + 1e-6).all()


def test_a_likelihood_of_outcomes_is_refused() -> None:
    model = RankingGP(FEW, Y)
    with pytest.raises(RuntimeError, match="can only operate on Gaussian random variables"):
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    with pytest.raises(UnsupportedError, match="outcome_transform=None"):
        RankingGP(FEW, Y, outcome_transform=Standardize(m=1))  # type: ignore[arg-type]
    with pytest.raises(BotorchTensorDimensionError, match=r"several data sets.* a model of each"):
        RankingGP(FEW.expand(2, 12, 2), Y.expand(2, 12, 1))
    function = LogExpectedUtilityImprovement(model.fit())
    with pytest.raises(UnsupportedError, match="sequential=True"):
        optimize_acqf(function, BOUNDS, q=2, num_restarts=1, raw_samples=4)


def test_each_further_step_of_a_fit_can_be_left_out() -> None:
    model = RankingGP(X, with_an_outlier().unsqueeze(-1), input_transform=None)
    assert not model.fit(outliers=False).is_outlier.any()
    assert model.fit().is_outlier.any()
    ridge = unit_points(30)
    turned, straight = (RankingGP(ridge, (6.0 * ridge.sum(-1, True)).sin()) for _ in range(2))
    axes = torch.eye(2).double()
    assert not turned.fit().covar_module.rotation.double().equal(axes)
    assert straight.fit(directions=False).covar_module.rotation.double().equal(axes)


def test_a_prior_mean_enters_what_one_comparison_says() -> None:
    trend, kernel = LinearMean(2, bias=False).double(), RBFKernel().double()
    trend.weights.data.copy_(torch.tensor([[-2.0], [1.0]]))
    two = X[:2]
    model = RankingGP(
        order=from_outcomes(two, -trend(two).detach()),
        mean_module=trend,
        covar_module=kernel,
        input_transform=None,
        order_only=True,
    )
    model.likelihood.noise = 1e-6
    apart = (trend(two)[0] - trend(two)[1]).detach()
    sign = -apart.sign()  # against the trend
    variance = (2.0 - 2.0 * kernel(two).to_dense()[0, 1]).detach()
    score = float(sign * apart / variance.sqrt())
    hazard = (
        math.exp(-0.5 * score**2) / math.sqrt(2.0 * math.pi) / (0.5 * math.erfc(-score / 2**0.5))
    )
    found = mean(model, two)
    expected = apart + sign * variance.sqrt() * hazard
    torch.testing.assert_close(found[0] - found[1], expected, rtol=1e-4, atol=1e-4)
    # Far from all points nothing is known but the trend.
    far = 100.0 + TEST_X
    torch.testing.assert_close(mean(model, far), trend(far).detach())
    moments = model.differences_from(far[0]).moments(far)
    torch.testing.assert_close(moments[0].detach(), (trend(far) - trend(far)[0]).detach())
    fantasies = model.condition_on_observations(far[:1], torch.zeros(1, 1).double())
    torch.testing.assert_close(mean(fantasies, two), found)


def test_choices_are_taken_as_pairwise_gp_takes_them(tkwargs: dict[str, Any]) -> None:
    points = FEW.to(**tkwargs)
    model = RankingGP(points, CHOICES).fit()
    theirs = PairwiseGP(points, CHOICES)
    for kind in (model, theirs):
        assert kind.datapoints.shape == (12, 2)
        assert kind.utility.shape == (12,)
        assert kind.train_inputs[0].equal(points)
        assert kind.train_targets.equal(CHOICES)
    rows = torch.cdist(model.datapoints, points).argmin(-1)[model.comparisons]
    assert sorted(rows.tolist()) == sorted(CHOICES.tolist())
    expected = RankingGP(order=from_comparisons(points, CHOICES)).fit()
    torch.testing.assert_close(model.utility, expected.utility)
    bounds = BOUNDS.to(**tkwargs)
    for function in (
        AnalyticExpectedUtilityOfBestOption(model),
        qExpectedUtilityOfBestOption(model),
    ):
        pair, value = optimize_acqf(function, bounds, q=2, num_restarts=1, raw_samples=8)
        assert pair.shape == (2, 2)
        assert value > model.utility.mean()
    samples = torch.rand(4, 5, 2, **tkwargs)
    assert LearnedObjective(model, sample_shape=torch.Size([3]))(samples).shape == (12, 5)


@pytest.mark.parametrize("targets", [CHOICES, Y], ids=["answers", "outcomes"])
def test_a_prior_learns_from_data_that_come_later(targets: Tensor, tkwargs: dict[str, Any]) -> None:
    points = FEW.to(**tkwargs)
    targets = targets if targets is CHOICES else targets.to(**tkwargs)
    expected, kernel = RankingGP(points, targets).eval(), ScaleKernel(RBFKernel())
    model, own = RankingGP(None, None).to(**tkwargs), RankingGP(covar_module=kernel)
    posterior = model.posterior(TEST_X.to(**tkwargs))
    assert posterior.mean.dtype == tkwargs["dtype"]
    assert posterior.mean.abs().max() == 0.0
    torch.testing.assert_close(posterior.variance, torch.ones(6, 1, **tkwargs), rtol=0, atol=1e-4)
    for each in (model, own):
        each.set_train_data(points, targets)
        assert each.train_targets.shape == expected.train_targets.shape
    torch.testing.assert_close(mean(model), mean(expected))
    assert own.covar_module is kernel
    # Hyperparameters stay, in the modules that an optimizer may know.
    fitted = model.fit().covar_module
    lengthscale = fitted.lengthscale.clone()
    model.set_train_data(points[:8], Y[:8].to(**tkwargs))
    assert model.covar_module is fitted
    assert fitted.lengthscale.equal(lengthscale)
    assert len(model.known_X) == 8
    with pytest.raises(InputDataError, match="Call set_train_data first"):
        RankingGP().fit()
    beside = RankingGP(points, Y.to(**tkwargs), sources=[expected.order])
    with pytest.raises(UnsupportedError, match="does not keep its sources"):
        beside.set_train_data(points, targets)


def test_further_comparisons_are_conditioned_on() -> None:
    model = RankingGP(FEW, CHOICES[:20], input_transform=None).fit()
    more = model.condition_on_observations(FEW, CHOICES[20:])
    all_at_once = RankingGP(FEW, CHOICES, input_transform=None)
    all_at_once.load_state_dict(model.state_dict(), strict=False)
    torch.testing.assert_close(mean(more), mean(all_at_once.eval()), rtol=1e-4, atol=1e-4)
    assert len(model.comparisons) == 20
    assert len(RankingGP().condition_on_observations(FEW, CHOICES).comparisons) == len(CHOICES)
    # What is known for certain stays so.
    measured = RankingGP(FEW, Y).condition_on_observations(FEW[:2], torch.tensor([[0, 1]]))
    assert measured.order.num_tasks == 2


@pytest.mark.parametrize("likelihood", [PairwiseProbitLikelihood(), PairwiseLogitLikelihood()])
def test_answers_have_the_likelihoods_of_botorch(likelihood: Any) -> None:
    kernel = ScaleKernel(RBFKernel()).double()
    kernel.outputscale, kernel.base_kernel.lengthscale = 0.3, 0.5
    options = {"likelihood": likelihood, "covar_module": kernel}
    ours = RankingGP(FEW, CHOICES, **options, input_transform=None)
    found, expected = (mean(m) for m in (ours, PairwiseGP(FEW, CHOICES, **options).eval()))
    # Where answers say little the approximation of Laplace is good.
    difference = (found - found.mean()) - (expected - expected.mean())
    assert difference.abs().max() < 0.02 * (expected.max() - expected.min())
    for order in (
        from_outcomes(FEW, Y),
        combine(from_outcomes(FEW, Y), from_comparisons(FEW, CHOICES)),
    ):
        with pytest.raises(UnsupportedError, match="For answers alone"):
            RankingGP(order=order, likelihood=likelihood)
    free = RankingGP(FEW, CHOICES, likelihood=likelihood).fit()
    assert free.rank_posterior(TEST_X).mean.isfinite().all()
    sampler = SobolQMCNormalSampler(torch.Size([2]), seed=0)
    assert free.fantasize(TEST_X[:1], sampler).posterior(TEST_X).mean.shape == (2, 6, 1)


def test_a_fixed_noise_of_answers_is_a_scale_of_the_utility() -> None:
    ours = RankingGP(FEW, CHOICES).fit()
    fixed = RankingGP(FEW, CHOICES, likelihood=PairwiseProbitLikelihood())
    fixed.covar_module.base_kernel.load_state_dict(ours.covar_module.state_dict())
    fixed.covar_module.outputscale = 1.0 / float(ours.noise)
    expected = mean(ours) / float(ours.noise.sqrt())
    torch.testing.assert_close(mean(fixed), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("in_a_chain", [False, True])
def test_a_warp_of_the_inputs_is_learned(in_a_chain: bool) -> None:
    utility = -(X.pow(0.2) - 0.7).square().sum(-1, keepdim=True)
    transform: InputTransform = warp()
    if in_a_chain:
        transform = ChainedInputTransform(box=Normalize(2, bounds=BOUNDS), warp=transform)
    learned = RankingGP(X, utility, input_transform=transform).fit()
    fixed = RankingGP(X, utility, input_transform=None).fit()
    assert learned.log_likelihood() > fixed.log_likelihood() + 3.0
    [learned_warp] = [part for part in learned.input_transform.modules() if isinstance(part, Warp)]
    assert (learned_warp.concentration1 < 0.7).all()
    torch.testing.assert_close(mean(learned, X).argsort(), utility.squeeze(-1).argsort())
    ranks = learned.rank_posterior(X.unsqueeze(-2)).mean.flatten()
    assert ranks.argmin() == utility.argmax()


@pytest.mark.parametrize("transform", [PERTURBED, ChainedInputTransform(a=PERTURBED, b=warp())])
def test_perturbed_points_count_in_the_posterior_alone(transform: InputTransform) -> None:
    rest = None if transform is PERTURBED else warp()
    model = RankingGP(FEW, Y, input_transform=transform).fit()
    plain = RankingGP(FEW, Y, input_transform=rest).fit()
    near = (TEST_X.unsqueeze(1) + PERTURBED.perturbation_set).flatten(0, 1)
    torch.testing.assert_close(mean(model), mean(plain, near))
    assert model.rank_posterior(TEST_X).mean.shape == (6, 1)
    assert VaR(alpha=0.5, n_w=3)(model.posterior(TEST_X).mean.squeeze(-1).unsqueeze(-1)).shape == (
        6,
    )
    torch.testing.assert_close(model.expected_utility(TEST_X), plain.expected_utility(TEST_X))
    with pytest.raises(UnsupportedError, match="cannot be conditioned"):
        model.condition_on_observations(TEST_X, torch.zeros(6, 1).double())
