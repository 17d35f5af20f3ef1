# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # A rank model in BoTorch
#
# A Gaussian process predicts how good a point is. A rank model predicts *how many of the evaluated
# points are better*. This notebook compares the two on a function of one variable, and uses both in
# a hand-written loop.

# %%
import os
import warnings
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    qLogExpectedImprovement,
    qLogNoisyExpectedImprovement,
    qUpperConfidenceBound,
)
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from gpytorch.mlls import ExactMarginalLogLikelihood
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    NegatedRank,
    PoissonRankModel,
    RankingGP,
    RectifiedLowerConfidenceBound,
    rank_initial_conditions,
)

SMOKE_TEST = bool(os.environ.get("SMOKE_TEST"))
warnings.filterwarnings("ignore", "Optimization failed")  # a network's kinks end a line search
plt.style.use("botorch_popbo.benchmarks.notebook")


def forrester(x: Tensor) -> Tensor:
    """The Forrester function turned upside down: in BoTorch, larger is better."""
    return -((6 * x - 2) ** 2) * torch.sin(12 * x - 4)


def fit_gp(X: Tensor, Y: Tensor) -> SingleTaskGP:
    """BoTorch's Gaussian process, fitted to the values."""
    gp = SingleTaskGP(X, Y)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(gp.likelihood, gp))
    return gp


def fit_ranks(X: Tensor, Y: Tensor) -> RankingGP:
    """The default without the distances: a Gaussian process conditioned on the order alone."""
    return RankingGP(X, Y, order_only=True).fit()


def fit_paper(X: Tensor, Y: Tensor) -> PoissonRankModel:
    """The network of the paper."""
    return PoissonRankModel.paper(X, Y).fit()


# %% [markdown]
# ## Growing noise
#
# We evaluate fifteen points on [0, 0.8] with normal noise of standard deviation 0, 0.15, 0.3 or
# 0.45. Each model then ranks 100 points of this interval, as in the first figure of the paper.

# %%
X = torch.linspace(0, 0.8, 15, dtype=torch.float64).unsqueeze(-1)
grid = torch.linspace(0, 0.8, 100, dtype=torch.float64).unsqueeze(-1)
DEVIATIONS = (0.0, 0.15, 0.3, 0.45)
MODELS = {
    "Gaussian process": (fit_gp, lambda model: -model.posterior(grid).mean),
    "rank model, order alone": (fit_ranks, lambda model: model.rank_posterior(grid).log_rate),
    "rank model, the paper's": (fit_paper, lambda model: model.rank_posterior(grid).log_rate),
}


def noisy(deviation: float, seed: int) -> Tensor:
    """Outcomes at the fifteen points."""
    generator = torch.Generator().manual_seed(seed)
    return forrester(X) + deviation * torch.randn(X.shape, generator=generator, dtype=X.dtype)


def ranks(badness: Tensor) -> Tensor:
    """The place of each point, 0 for the best."""
    return badness.detach().squeeze(-1).argsort().argsort()


truth = ranks(-forrester(grid))
figure, panels = plt.subplots(1, 3, figsize=(12, 3.8), sharey=True)
for panel, (name, (fit, badness)) in zip(panels, MODELS.items(), strict=True):
    for deviation, color in zip(DEVIATIONS, plt.cm.viridis([0.0, 0.3, 0.6, 0.9]), strict=True):
        predicted = ranks(badness(fit(X, noisy(deviation, seed=0))))
        panel.plot(grid, predicted, "--", color=color, label=f"noise {deviation:g}")
    panel.plot(grid, truth, color="black", label="truth")
    panel.set(xlabel="x", title=name)
panels[0].set_ylabel("rank among 100 points (0 is best)")
figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
plt.show()

# %% [markdown]
# A single draw of the noise proves little. The table shows Kendall's tau between predicted and true
# ranks (1 is perfect), averaged over several draws.

# %%
seeds = range(1 if SMOKE_TEST else 10)
taus = {}
for name, (fit, badness) in MODELS.items():
    for deviation in DEVIATIONS:
        draws = [ranks(badness(fit(X, noisy(deviation, seed)))) for seed in seeds]
        taus[name, deviation] = sum(kendalltau(d, truth).statistic for d in draws) / len(seeds)
print(f"{'noise deviation':<24}" + "".join(f"{deviation:>8g}" for deviation in DEVIATIONS))
for name in MODELS:
    print(f"{name:<24}" + "".join(f"{taus[name, d]:8.3f}" for d in DEVIATIONS))
for deviation in DEVIATIONS:
    print(f"noise {deviation:g}: best is {max(MODELS, key=lambda name: taus[name, deviation])}")

# %% [markdown]
# Exact values contain more information than their order, and the Gaussian process uses this
# information. A rank model gives it up and becomes robust in two ways.
#
# ## What does not harm an order
#
# **A distorted scale.** Any increasing transform of the outcomes gives the same model, bit for
# bit.

# %%
clean = noisy(0.0, seed=0)
plain, distorted = (fit_ranks(X, Y).rank_posterior(grid).mean for Y in (clean, clean.exp()))
assert torch.equal(plain, distorted)

# %% [markdown]
# **An outlier.** One of the fifteen runs goes wrong and reports -1000. However wrong this value is,
# its rank is merely the last one, and the rank model notices that this rank does not fit a smooth
# surface.

# %%
dirty = clean.clone()
dirty[7] = -1000.0
gp, rank_model = fit_gp(X, dirty), fit_ranks(X, dirty)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8))
with torch.no_grad():
    posterior = gp.posterior(grid)
    mean, deviation = posterior.mean.squeeze(-1), posterior.variance.squeeze(-1).sqrt()
    left.plot(grid, mean, color="C1", label="Gaussian process, 90 % interval")
    left.fill_between(
        grid.squeeze(-1), mean - 1.64 * deviation, mean + 1.64 * deviation, color="C1", alpha=0.2
    )
    posterior = rank_model.rank_posterior(grid)
    low, high = posterior.quantile(torch.tensor([0.05, 0.95], dtype=X.dtype)).squeeze(-1)
    right.plot(grid, posterior.mean, color="C0", label="rank model, 90 % interval")
    right.fill_between(grid.squeeze(-1), low, high, color="C0", alpha=0.2)
left.plot(grid, forrester(grid), "k--", label="truth")
right.plot(grid, (forrester(grid) < forrester(X).T).sum(-1), "k--", label="truth")
left.set(xlabel="x", ylabel="value (larger is better)", ylim=(-250, 130))
right.set(xlabel="x", ylabel="better ones of 15 points (0 is best)", ylim=(-0.5, 19))
left.set_title("One of 15 outcomes is -1000 (below the panel)")
right.set_title("The same data, as ranks")
lines = [*left.get_lines(), right.get_lines()[0]]
figure.legend(handles=lines, loc="outside upper center", ncols=3)
plt.show()

# %% [markdown]
# ## Acquisition functions
#
# Which point should be evaluated next? The plot shows three acquisition functions after six
# evaluations. The paper's two functions are *rectified*: a point that is predicted to be bad gets a
# random value, which makes the network explore. `RankingGP` knows where it is uncertain, so it
# needs no random values.

# %%
train_X = torch.tensor([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], dtype=torch.float64).unsqueeze(-1)
train_Y = forrester(train_X)
bounds = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
line = torch.linspace(0, 1, 401, dtype=torch.float64).unsqueeze(-1)
default, paper = fit_ranks(train_X, train_Y), fit_paper(train_X, train_Y)
acquisitions = {
    "paper: ERI [ranks]": ExpectedRankingImprovement(paper),
    "paper: R-LCB [ranks]": RectifiedLowerConfidenceBound.paper(paper),
    "order alone: log expected improvement": LogExpectedUtilityImprovement(default),
}

figure, panels = plt.subplots(4, 1, figsize=(9, 8.5), sharex=True)
panels[0].plot(line, forrester(line), "k--")
panels[0].plot(train_X, train_Y, "ko")
panels[0].set(ylabel="value", title="The function, and six evaluations")
for number, (panel, (name, acquisition)) in enumerate(
    zip(panels[1:], acquisitions.items(), strict=True)
):
    with torch.no_grad():
        value = acquisition(line.unsqueeze(-2))
    panel.plot(line, value, ".", markersize=4, color=f"C{(2, 3, 0)[number]}")
    panel.axvline(line[value.argmax()].item(), color="grey", linestyle=":")
    panel.set(title=name, ylabel="acquisition")
panels[-1].set(xlabel="x   (dotted: the maximum)", ylim=(-15, 0))
plt.show()

# %% [markdown]
# ## A loop by hand
#
# Each step fits a model, maximizes the acquisition function and evaluates the suggested point.
# `rank_initial_conditions` also gives BoTorch's optimizer starting points close to the best
# evaluated points. Without these, the search does not find the last digits of the optimum.

# %%
NUM_STEPS = 1 if SMOKE_TEST else 12


def search(fit: Callable, acquire: Callable[..., AcquisitionFunction]) -> tuple[Tensor, Tensor]:
    """Start from four points; return all points and their values."""
    X = torch.tensor([[0.05], [0.35], [0.65], [0.95]], dtype=torch.float64)
    Y = forrester(X)
    for step in range(NUM_STEPS):
        model = fit(X, Y)
        with manual_seed(step):
            suggestion, _ = optimize_acqf(
                acquire(model, Y),
                bounds,
                q=1,
                num_restarts=4,
                raw_samples=128,
                ic_generator=rank_initial_conditions,
                retry_on_optimization_warning=False,
            )
        X, Y = torch.cat([X, suggestion]), torch.cat([Y, forrester(suggestion)])
    return X, Y


searches = {
    "rank model, order alone": search(fit_ranks, lambda m, Y: LogExpectedUtilityImprovement(m)),
    "Gaussian process": search(fit_gp, lambda m, Y: LogExpectedImprovement(m, best_f=Y.max())),
    "paper: ERI": search(fit_paper, lambda m, Y: ExpectedRankingImprovement(m)),
    "paper: R-LCB": search(fit_paper, lambda m, Y: RectifiedLowerConfidenceBound.paper(m)),
}

# %%
BEST = forrester(torch.linspace(0.75, 0.765, 10_001, dtype=torch.float64)).max().item()


def draw_regret(panel: plt.Axes, results: dict[str, tuple[Tensor, Tensor]]) -> None:
    """The gap between the optimum and the best value so far."""
    for name, (_, Y) in results.items():
        regret = (BEST - Y.squeeze(-1).cummax(0).values).clamp_min(1e-12)
        panel.semilogy(range(4, len(Y) + 1), regret[3:], ".-", label=name)
    panel.set(xlabel="evaluations (4 initial points included)", ylabel="regret in value")


figure, panel = plt.subplots(figsize=(9, 3.8))
draw_regret(panel, searches)
figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=4)
plt.show()

# %% [markdown]
# A smooth function without noise suits a Gaussian process. The notebook `side_by_side` uses harder
# functions and several seeds.
#
# ## BoTorch's own acquisition functions
#
# These functions accept either model:
#
# - The posterior of a `RankingGP` is the joint normal distribution of the utility behind the ranks.
#   Larger is better, so BoTorch's functions work as usual, including batches.
# - A `PoissonRankModel` counts better points, so smaller is better. `NegatedRank()`, a
#   `posterior_transform`, reverses the sign.

# %%
negated = qUpperConfidenceBound(paper, beta=4.0, posterior_transform=NegatedRank())
with torch.no_grad():
    best_utility = default.posterior(default.incumbent.unsqueeze(0)).mean.squeeze()
    q_improvement = qLogExpectedImprovement(default, best_f=best_utility)(line.unsqueeze(-2))
    q_bound = negated(line.unsqueeze(-2))
with manual_seed(0):
    batch, _ = optimize_acqf(
        qLogNoisyExpectedImprovement(default, X_baseline=train_X),
        bounds,
        q=3,
        num_restarts=4,
        raw_samples=64,
    )

figure, (upper, lower) = plt.subplots(2, 1, figsize=(9, 5), sharex=True)
upper.plot(line, q_improvement, color="C0")
upper.set(title="qLogExpectedImprovement of a RankingGP", ylabel="log [utility]", ylim=(-15, 0))
lower.plot(line, q_bound, color="C2")
lower.set(title="qUpperConfidenceBound of the paper's model with NegatedRank", ylabel="- ranks")
for panel in (upper, lower):
    for number, x in enumerate(batch.flatten().tolist()):
        label = "a batch of three by qLogNoisyExpectedImprovement" if number == 0 else None
        panel.axvline(x, color="grey", linestyle=":", label=label)
lower.set_xlabel("x")
figure.legend(*upper.get_legend_handles_labels(), loc="outside upper center")
plt.show()

# %%
regrets = {name: BEST - Y.max().item() for name, (_, Y) in searches.items()}
for name, regret in sorted(regrets.items(), key=lambda item: item[1]):
    print(f"{name:<22} regret {regret:.2g} after {4 + NUM_STEPS} evaluations")
assert all(regret < 5 for regret in regrets.values())
print(
    f"In short: on the noise-free function, the smallest regret is that of the "
    f"{min(regrets, key=regrets.get)}."
)
