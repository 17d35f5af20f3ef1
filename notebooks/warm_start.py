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
# # A warm start from cheap results
#
# We tune a network. Training it on all data is expensive. Training it on a tenth of the data is
# cheap, but the error is larger. The two kinds of errors cannot be mixed in one list of values, but
# each kind can be *ranked separately*. One model can then learn from several rankings: the
# expensive results are its target, and the others are its sources. It also learns how strongly each
# source correlates with the target.
#
# A source may also be worthless. This notebook shows how much a good source helps, and how much a
# bad one costs.

# %%
import logging

logging.disable(logging.INFO)  # Ax reports every trial

# %%
import os
import warnings
from collections.abc import Callable
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from botorch.models.transforms.input import Normalize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from scipy.stats import kendalltau
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from botorch_popbo import (
    LogExpectedUtilityImprovement,
    Order,
    RankingGP,
    rank_initial_conditions,
)
from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.data import from_outcomes

SMOKE_TEST = bool(os.environ.get("SMOKE_TEST"))
NUM_SEEDS, NUM_CHEAP, NUM_FULL = (2, 6, 4) if SMOKE_TEST else (8, 30, 20)
warnings.simplefilter("ignore", ConvergenceWarning)  # ten epochs are the budget
plt.style.use("botorch_popbo.benchmarks.notebook")

# %% [markdown]
# ## The task
#
# The network has one hidden layer and is trained on scikit-learn's digits for ten epochs. A point
# of the unit cube stands for its learning rate (1e-4 to 1), weight decay (1e-6 to 100) and width (2
# to 128), all on logarithmic scales, and its momentum (0 to 0.999). The seed chooses the split of
# the data.

# %%
BOUNDS = torch.tensor([[0.0] * 4, [1.0] * 4], dtype=torch.float64)


def error(point: Tensor, seed: int, fraction: float = 1.0, load=load_digits) -> float:
    """The share of misclassified test examples, in percent."""
    rate, decay, width, momentum = point.tolist()
    examples, labels = load(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        examples, labels, train_size=0.5, stratify=labels, random_state=seed
    )
    size = int(fraction * len(train_x))
    network = MLPClassifier(
        hidden_layer_sizes=(round(2 * 64**width),),
        learning_rate_init=10 ** (4 * rate - 4),
        alpha=10 ** (8 * decay - 6),
        beta_1=0.999 * momentum,
        batch_size=32,
        max_iter=10,
        random_state=seed,
    )
    model = make_pipeline(StandardScaler(), network).fit(train_x[:size], train_y[:size])
    return 100 * float(np.mean(model.predict(test_x) != test_y))


# %% [markdown]
# ## Three cheap sources
#
# - a **tenth** of the training set,
# - an **old task**: the same network on another data set, breast cancer, tuned some time ago,
# - and a **worthless** source: the results of the first source in random order.
#
# How much do the sources say about the full task? Each dot is a configuration from a Sobol design.


# %%
def cheap_errors(source: str, points: Tensor, seed: int) -> Tensor:
    """The source's errors at the points, ``NUM_CHEAP x 1``; smaller is better."""
    measure = {
        "a tenth of the data": partial(error, fraction=0.1),
        "an old task": partial(error, load=load_breast_cancer),
        "worthless": partial(error, fraction=0.1),
    }[source]
    errors = torch.tensor([[measure(x, seed)] for x in points], dtype=torch.float64)
    if source == "worthless":
        errors = errors[torch.randperm(len(errors), generator=torch.Generator().manual_seed(seed))]
    return errors


def design(seed: int) -> Tensor:
    """The points that are evaluated cheaply."""
    return draw_sobol_samples(BOUNDS, n=NUM_CHEAP, q=1, seed=seed).squeeze(1)


SOURCES = ("a tenth of the data", "an old task", "worthless")
full = [error(x, seed=0) for x in design(0)]
tau = {}
figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), sharey=True)
for panel, source in zip(panels, SOURCES, strict=True):
    cheap = cheap_errors(source, design(0), seed=0).squeeze(-1)
    tau[source] = kendalltau(cheap, full).statistic
    panel.plot(cheap, full, "o", color="C0", alpha=0.6)
    panel.set_title(f"{source}: Kendall's tau {tau[source]:.2f}")
    panel.set_xlabel("cheap error [%]")
panels[0].set_ylabel("error of the full training [%]")
plt.show()

# %% [markdown]
# ## The search
#
# The model takes the cheap results as a source: `RankingGP(X, Y, sources=[from_outcomes(...)])`.
# One expensive result is enough to begin with. We evaluate it at the point that the cheap results
# recommend.


# %%
def suggest(X: Tensor, errors: list[float], sources: list[Order], seed: int) -> Tensor:
    """The next point, ``1 x 4``."""
    Y = -torch.tensor(errors, dtype=X.dtype).unsqueeze(-1)  # larger is better
    model = RankingGP(X, Y, sources=sources, input_transform=Normalize(d=4, bounds=BOUNDS)).fit()
    correlations.append(model.correlation.tolist())
    with manual_seed(seed):
        suggestion, _ = optimize_acqf(
            LogExpectedUtilityImprovement(model),
            BOUNDS,
            q=1,
            num_restarts=4,
            raw_samples=256,
            ic_generator=rank_initial_conditions,
            retry_on_optimization_warning=False,
        )
    return suggestion


def search(X: Tensor, sources: list[Order], seed: int) -> Tensor:
    """Errors of full training runs at the given points, then at the model's suggestions."""
    errors: list[float] = []
    for trial in range(NUM_FULL):
        if trial >= len(X):
            X = torch.cat([X, suggest(X, errors, sources, seed=100 * seed + trial)])
        errors.append(error(X[trial], seed))
    return torch.tensor(errors)


def cold_start(seed: int) -> Tensor:
    """Begins with four Sobol points."""
    return search(design(seed)[:4], [], seed)


def warm_start(source: str, seed: int) -> Tensor:
    """Begins with the point that the cheap results recommend."""
    cheap_X = design(seed)
    cheap = from_outcomes(cheap_X, -cheap_errors(source, cheap_X, seed))
    model = RankingGP(order=cheap, input_transform=Normalize(d=4, bounds=BOUNDS)).fit()
    return search(model.incumbent.unsqueeze(0), [cheap], seed)


def lowest(start: Callable[[int], Tensor]) -> Tensor:
    """The lowest error so far, ``NUM_SEEDS x NUM_FULL``."""
    errors = torch.stack([start(seed) for seed in range(NUM_SEEDS)])
    return errors.cummin(dim=1).values


correlations: list[list[float]] = []
cold = lowest(cold_start)
warm, listened = {}, {}
for source in SOURCES:
    correlations.clear()
    warm[source] = lowest(partial(warm_start, source))
    last = np.array(correlations).reshape(NUM_SEEDS, -1)[:, -1]
    listened[source] = (int((last > 0).sum()), float(last.mean()))

# %% [markdown]
# ## What a source gains or costs
#
# Cheap training runs are not free: thirty runs on a tenth of the data cost as much as three full
# ones, so their curves begin later. The old task has already been paid for. Bands are standard
# errors over the seeds.

# %%
COST = {"a tenth of the data": 0.1 * NUM_CHEAP, "worthless": 0.1 * NUM_CHEAP}
COLORS = {"cold start": "C1", "a tenth of the data": "C0", "an old task": "C2", "worthless": "C4"}


def draw(panel: plt.Axes, curves: dict[str, Tensor]) -> None:
    """Means over the seeds, and bands of one standard error."""
    for name, values in curves.items():
        spent = COST.get(name, 0.0) + np.arange(1, NUM_FULL + 1)
        mean, deviation = values.mean(dim=0), values.std(dim=0) / NUM_SEEDS**0.5
        color = COLORS[name]
        panel.plot(spent, mean, color=color, drawstyle="steps-post", label=name)
        band = {"color": color, "alpha": 0.2, "linewidth": 0, "step": "post"}
        panel.fill_between(spent, mean - deviation, mean + deviation, **band)
    panel.set(xlabel="cost [full trainings]", ylabel="lowest error so far [%]", yscale="log")
    panel.set_yticks([2, 3, 5, 10, 20, 50], ["2", "3", "5", "10", "20", "50"])
    panel.minorticks_off()


figure, panel = plt.subplots(figsize=(8, 4))
draw(panel, {"cold start": cold} | warm)
figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=4)
plt.show()

# %% [markdown]
# Does the model use the good sources, and does it detect the worthless one? A correlation of zero
# means that the source was set aside, so that the model ignores it.

# %%
for source, (used, mean) in listened.items():
    print(f"{source:<20} used at the end by {used}/{NUM_SEEDS}, mean correlation {mean:.2f}")

# %%
counts = sorted({1, NUM_FULL // 4, NUM_FULL // 2, NUM_FULL})
rows = {"cold start": cold} | warm
print(f"{'lowest error [%] after':<34}" + "".join(f"{count:>15}" for count in counts))
for name, values in rows.items():
    columns = (values[:, count - 1] for count in counts)
    cells = (f"{c.mean():.2f} ± {c.std() / NUM_SEEDS**0.5:.2f}" for c in columns)
    print(f"{name:<34}" + "".join(f"{cell:>15}" for cell in cells))

# %% [markdown]
# The columns count only full training runs. A cheap source helps most during the first few.
#
# ## The same in Ax
#
# The table that `client.summarize()` returns for an earlier experiment can be a source for a new
# one. Here, we build a table like it, with a column for each parameter and metric. The first
# suggestion is the best point of the first source.

# %%
NAMES = ["rate", "decay", "width", "momentum"]
X = design(0)
earlier = pd.DataFrame(X.numpy(), columns=NAMES)
earlier["error"] = cheap_errors("a tenth of the data", X, seed=0).numpy()

client = Client()
client.configure_experiment(
    parameters=[
        RangeParameterConfig(name=n, bounds=(0.0, 1.0), parameter_type="float") for n in NAMES
    ]
)
client.configure_optimization(objective="-error")
client.set_generation_strategy(popbo_generation_strategy(sources=[earlier], seed=0))
for _ in range(5):
    for trial, parameters in client.get_next_trials(max_trials=1).items():
        point = torch.tensor([parameters[name] for name in NAMES])
        client.complete_trial(trial, raw_data={"error": error(point, seed=0)})
print(client.summarize()[["generation_node", "error"]].to_string())


# %%
def better_than_cold(count: int) -> str:
    """The sources that are ahead by more than the standard error of the difference."""
    ahead = []
    for source, values in warm.items():
        rivals = torch.stack([cold[:, count - 1], values[:, count - 1]])
        gain = rivals[0].mean() - rivals[1].mean()
        error = (rivals.var(dim=1).sum() / NUM_SEEDS).sqrt()
        if gain > error:
            ahead.append(source)
    return ", ".join(ahead) or "none"


print(
    f"In short: ahead of the cold start by more than a standard error after {counts[1]} full "
    f"trainings: {better_than_cold(counts[1])}; after {NUM_FULL}: {better_than_cold(NUM_FULL)}."
)
