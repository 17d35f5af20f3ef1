"""BoTorch's tutorials on models and how they are fitted, with RankingGP."""

import torch
from botorch.acquisition import qLogExpectedImprovement, qLogNoisyExpectedImprovement
from botorch.acquisition.risk_measures import VaR
from botorch.fit import fit_gpytorch_mll
from botorch.models.kernels import InfiniteWidthBNNKernel
from botorch.models.map_saas import add_saas_prior
from botorch.models.transforms import Warp
from botorch.models.transforms.input import InputPerturbation
from botorch.optim.fit import fit_gpytorch_mll_torch
from gpytorch.kernels import MaternKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import LogNormalPrior
from scipy.stats import kendalltau
from shared import Reached, best, branin, design, improve, main, tutorials_of, unit
from torch import Tensor

from botorch_popbo import RankingGP
from botorch_popbo.data import from_outcomes
from botorch_popbo.models import OrderMarginalLogLikelihood


def saasbo(steps: int = 15) -> Reached:
    """Ten columns, of which two matter: a prior by which few do."""

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        kernel = MaternKernel(nu=2.5, ard_num_dims=10)
        add_saas_prior(kernel, tau=0.1)
        model = RankingGP(X, Y, covar_module=kernel).fit()
        return best(qLogNoisyExpectedImprovement(model, X, prune_baseline=True), dim=10)

    return improve(suggest, steps, X=design(16, 10))


def fit_model_with_torch_optimizer() -> Reached:
    """The evidence is climbed by ADAM, in BoTorch's loop, and in one of our own.

    BoTorch's keeps parameters within their limits. In a bare loop they need transforms.
    """
    X = design(16)
    kernel, noise = MaternKernel(ard_num_dims=2), GaussianLikelihood()
    free = RankingGP(X, branin(X), covar_module=kernel, likelihood=noise)
    mll = OrderMarginalLogLikelihood(free.likelihood, free)
    before, adam = density(mll).item(), torch.optim.Adam(mll.parameters(), lr=0.05)
    for _ in range(40):
        adam.zero_grad()
        (-density(mll)).backward()
        adam.step()
    default = RankingGP(X, branin(X))
    limited = OrderMarginalLogLikelihood(default.likelihood, default)
    start = density(limited).item()
    fit_gpytorch_mll(limited, optimizer=fit_gpytorch_mll_torch)
    assert density(limited).item() > start + 1.0
    return Reached(before + 1.0, density(mll).item())


def density(mll: OrderMarginalLogLikelihood) -> Tensor:
    """What is maximized, as GPyTorch writes it."""
    model = mll.train().model
    value: Tensor = mll(model(*model.train_inputs), model.train_targets)
    return value


def ibnn_bo(steps: int = 15) -> Reached:
    """The kernel of a network of infinite width."""

    def bowl(X: Tensor) -> Tensor:
        return -(X - 0.3).square().sum(-1, keepdim=True)

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        model = RankingGP(X, Y, covar_module=InfiniteWidthBNNKernel(3)).fit()
        return best(qLogNoisyExpectedImprovement(model, X))

    return improve(suggest, steps, outcome=bowl)


def bo_with_warped_gp(steps: int = 15) -> Reached:
    """Each column is warped by what the fit learns."""
    prior = LogNormalPrior(0.0, 0.75**0.5)
    priors = {"concentration0_prior": prior, "concentration1_prior": prior}

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        warp = Warp(d=2, indices=[0, 1], bounds=unit(2), **priors)
        model = RankingGP(X, Y, input_transform=warp).fit()
        return best(qLogNoisyExpectedImprovement(model, X))

    return improve(suggest, steps)


def risk_averse_bo_with_input_perturbations(steps: int = 15) -> Reached:
    """What counts is a bad case around a point, as it cannot be hit."""
    shifts, risk = 0.05 * torch.randn(8, 2).double(), VaR(alpha=0.8, n_w=8)

    def bad_case(X: Tensor) -> Tensor:
        around = (X.unsqueeze(-2) + shifts).clamp(0.0, 1.0)
        return risk(branin(around).reshape(-1, 1)).unsqueeze(-1)

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        nearby = InputPerturbation(shifts, bounds=unit(2))
        model = RankingGP(X, branin(X), input_transform=nearby).fit()
        best_f = risk(model.posterior(X).mean).max()
        return best(qLogExpectedImprovement(model, best_f, objective=risk), q=2)

    return improve(suggest, steps, outcome=bad_case)


def meta_learning_with_rgpe(steps: int = 15) -> Reached:
    """Earlier tasks in other units; one is another function, and is set aside."""
    X = design(24, seed=7)
    sources = [
        from_outcomes(X, 100.0 * branin((X + shift).clamp(0.0, 1.0))) for shift in (0.0, 0.05)
    ]
    sources.append(from_outcomes(X, (9.0 * X).sin().prod(-1, keepdim=True)))

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        return best(qLogNoisyExpectedImprovement(RankingGP(X, Y, sources=sources).fit(), X))

    return improve(suggest, steps, X=design(3))


def multi_fidelity_bo(steps: int = 15) -> Reached:
    """A cheap version of the function, evaluated at many points, is a source."""
    X_cheap = design(32, seed=7)
    cheap = from_outcomes(X_cheap, branin(X_cheap) + 5.0 * (6.0 * X_cheap[:, :1]).sin())

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        return best(qLogNoisyExpectedImprovement(RankingGP(X, Y, sources=[cheap]).fit(), X))

    return improve(suggest, steps, X=design(4))


def relevance_pursuit_robust_regression(steps: int = 15) -> Reached:
    """A tenth of the outcomes are far too good; the model sets them aside by itself."""

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        wrong = torch.arange(len(X)).unsqueeze(-1) % 10 == 3
        model = RankingGP(X, Y.where(~wrong, 100.0)).fit()
        return best(qLogNoisyExpectedImprovement(model, X[~wrong.squeeze(-1)]))

    return improve(suggest, steps, X=design(20))


def batch_mode_cross_validation() -> Reached:
    """Leave out each point, one after another: the order of the predictions."""
    X = design(20)
    Y = branin(X)
    model, found = RankingGP(X, Y), []
    for number in range(len(X)):
        rest = torch.arange(len(X)) != number
        fold = model.with_order(from_outcomes(X[rest], Y[rest])).fit()
        found.append(float(fold.posterior(X[[number]]).mean))
    return Reached(0.3, float(kendalltau(found, Y).statistic))


TUTORIALS = tutorials_of(globals())

if __name__ == "__main__":
    main(TUTORIALS)
