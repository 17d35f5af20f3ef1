# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Ranks instead of values
#
# A rank model sees the order of the outcomes only. Here a few evaluations of the Forrester
# function are distorted and one is an outlier; a Gaussian process on the values and the rank model
# are asked which points are good. Open as a notebook with `jupytext --to notebook quickstart.py`.
# The environment variable `SMOKE_TEST` shrinks it.

# %%
import os
import warnings

import matplotlib.pyplot as plt
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

from botorch_popbo import PoissonRankModel, RectifiedLowerConfidenceBound

SMOKE_TEST = bool(os.environ.get("SMOKE_TEST"))
warnings.filterwarnings("ignore", "Optimization failed")  # kinks of the network end a line search


def forrester(x: torch.Tensor) -> torch.Tensor:
    """Larger is better."""
    return -((6 * x - 2) ** 2) * torch.sin(12 * x - 4)


train_X = torch.linspace(0, 1, 15, dtype=torch.float64).unsqueeze(-1)
clean_Y = forrester(train_X)
dirty_Y = clean_Y.clone()
dirty_Y[4] = -1e4  # one run went wrong

# %% [markdown]
# ## The same model from distorted values
#
# Any increasing transform leaves the rank model as it was, bit for bit.

# %%
grid = torch.linspace(0, 1, 201, dtype=torch.float64).unsqueeze(-1)
plain = PoissonRankModel(train_X, clean_Y).fit().posterior(grid).mean
exponential = PoissonRankModel(train_X, clean_Y.exp()).fit().posterior(grid).mean
assert torch.equal(plain, exponential)

# %% [markdown]
# ## An outlier

# %%
rank_model = PoissonRankModel(train_X, dirty_Y).fit()
gp = SingleTaskGP(train_X, dirty_Y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(gp.likelihood, gp))

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
with torch.no_grad():
    left.plot(grid, gp.posterior(grid).mean, label="GP on values")
    left.plot(grid, forrester(grid), "k--", label="truth")
    left.set(xlabel="x", ylabel="predicted value", ylim=(-60, 60), title="Gaussian process")
    true_rank = (forrester(grid) < forrester(grid).T).sum(-1, keepdim=True) * 15 / 201
    right.plot(grid, rank_model.posterior(grid).mean, label="rank model")
    right.plot(grid, true_rank, "k--", label="true rank")
    right.set(xlabel="x", ylabel="points that are better, of 15", title="Poisson rank model")
left.legend()
right.legend()

# %% [markdown]
# ## A short search

# %%
bounds = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
X, Y = train_X[::3], clean_Y[::3]
for _ in range(2 if SMOKE_TEST else 15):
    model = PoissonRankModel(X, Y).fit()
    suggestion, _ = optimize_acqf(
        RectifiedLowerConfidenceBound(model), bounds, q=1, num_restarts=4, raw_samples=64
    )
    X, Y = torch.cat([X, suggestion]), torch.cat([Y, forrester(suggestion)])
print(f"best of {len(X)} points: x = {X[Y.argmax()].item():.3f}, value {Y.max().item():.3f}")
