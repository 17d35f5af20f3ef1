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
# # Half the bill: folds and epochs
#
# We tune an estimator by five-fold cross-validation, and a network by its loss after 27 epochs.
# After the first fold or epoch, it is often clear that the rest would be wasted. If the function
# yields a value after each part, `minimize` can stop the evaluation there, and the model learns
# from an estimate of its final value. We look at which evaluations were stopped, and compare the
# search with one that always makes whole evaluations.

# %%
import os
import warnings
from collections.abc import Callable, Iterator

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from torch import nn

from botorch_popbo import minimize
from botorch_popbo.minimization import Result

NUM_SEEDS, NUM_WHOLE = (1, 5) if os.environ.get("SMOKE_TEST") else (5, 25)
warnings.simplefilter("ignore", ConvergenceWarning)
plt.style.use("botorch_popbo.benchmarks.notebook")

# %% [markdown]
# ## Two functions that yield
#
# The first function trains scikit-learn's support vector machine and yields the log loss of each of
# five folds:

# %%
X, y = load_breast_cancer(return_X_y=True)
X, y = X[:250], y[:250]


def folds(C: float, gamma: float, coef0: float) -> Iterator[float]:
    """The log loss of each fold."""
    for fit, test in KFold(5, shuffle=True, random_state=0).split(X):
        machine = SVC(kernel="poly", C=C, gamma=gamma, coef0=coef0, random_state=0)
        model = make_pipeline(StandardScaler(), machine).fit(X[fit], y[fit])
        score = model.decision_function(X[test])
        yield log_loss(y[test], 1 / (1 + np.exp(-np.clip(score, -30, 30))))


# %% [markdown]
# The second function trains a PyTorch network and yields its validation loss after each of 27
# epochs:

# %%
images, labels = load_digits(return_X_y=True)
images = torch.tensor(images / 16).float()
train_x, valid_x, train_y, valid_y = train_test_split(
    images, torch.tensor(labels), train_size=500, random_state=0
)


def epochs(rate: float, momentum: float, width: int, batch: int, dropout: float) -> Iterator[float]:
    """The loss on the validation images after each epoch."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = nn.Sequential(
            nn.Linear(64, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, 10)
        )
    optimizer = torch.optim.SGD(network.parameters(), lr=rate, momentum=momentum)
    loss, generator = nn.CrossEntropyLoss(), torch.Generator().manual_seed(0)
    for epoch in range(27):
        network.train()
        with torch.random.fork_rng():
            torch.manual_seed(epoch)
            for rows in torch.randperm(len(train_x), generator=generator).split(batch):
                optimizer.zero_grad()
                loss(network(train_x[rows]), train_y[rows]).backward()
                optimizer.step()
        network.eval()
        with torch.no_grad():
            yield min(loss(network(valid_x), valid_y).nan_to_num(10.0).item(), 10.0)


TASKS = {
    "five folds": (
        folds,
        {"C": (1e-3, 1e3, "log"), "gamma": (1e-4, 10.0, "log"), "coef0": (0.0, 1.0)},
        "mean",
        5,
    ),
    "27 epochs": (
        epochs,
        {
            "rate": (1e-4, 3.0, "log"),
            "momentum": (0.0, 0.99),
            "width": (4, 128, "log"),
            "batch": (8, 128, "log"),
            "dropout": (0.0, 0.8),
        },
        "last",
        27,
    ),
}

# %% [markdown]
# ## In parts and as a whole
#
# Both searches may use the same number of parts. The second search only sees the value of each
# whole evaluation.


# %%
def whole(function: Callable[..., Iterator[float]], summary: str) -> Callable[..., float]:
    """The same function, evaluated as a whole."""

    def value(**point: float) -> float:
        parts = [*function(**point)]
        return float(np.mean(parts)) if summary == "mean" else parts[-1]

    return value


def in_parts(task: str, seed: int) -> Result:
    """A search that stops evaluations."""
    function, space, summary, number = TASKS[task]
    return minimize(
        function,
        space,
        budget=NUM_WHOLE * number,
        parts=summary,
        seed=seed,
        progress=False,
    )


def all_whole(task: str, seed: int) -> Result:
    """A search that does not."""
    function, space, summary, _ = TASKS[task]
    return minimize(whole(function, summary), space, n_trials=NUM_WHOLE, seed=seed, progress=False)


stopped = {task: [in_parts(task, seed) for seed in range(NUM_SEEDS)] for task in TASKS}
complete = {task: [all_whole(task, seed) for seed in range(NUM_SEEDS)] for task in TASKS}

# %% [markdown]
# ## Which evaluations were stopped
#
# Each bar shows how many parts an evaluation of the first search took. Dark bars are whole
# evaluations. A ring marks each evaluation that was the best so far when it ended.

# %%
figure, panels = plt.subplots(1, 2, figsize=(12, 4.2))
for panel, (task, results) in zip(panels, stopped.items(), strict=True):
    best = np.inf
    for place, evaluation in enumerate(results[0].history, 1):
        is_whole = evaluation.status == "completed"
        panel.bar(place, len(evaluation.parts), color="C0" if is_whole else "0.75")
        if is_whole and evaluation.value < best:
            best = evaluation.value
            panel.plot(place, len(evaluation.parts), "o", mfc="none", color="C1")
    panel.set_title(task)
    panel.set_xlabel("evaluation")
    panel.set_ylabel("parts")
plt.show()

# %% [markdown]
# ## What it saved
#
# The plot shows the best loss of a whole evaluation as a function of the cost (median over the
# seeds). Early on, the search in parts needs half the cost. Late in a search, new points are close
# to the best one, so they have a fair chance of beating it, and most are evaluated as a whole. Then
# there is little left to save.


# %%
def trace(result: Result, number: int) -> np.ndarray:
    """The best whole evaluation after each part."""
    best, found = np.inf, []
    for evaluation in result.history:
        spent = len(evaluation.parts) or number
        found += [best] * (spent - 1)
        if evaluation.status == "completed":
            best = min(best, evaluation.value)
        found.append(best)
    return np.array(found[: NUM_WHOLE * number])


figure, panels = plt.subplots(1, 2, figsize=(12, 4.2))
lines = []
for panel, task in zip(panels, TASKS, strict=True):
    number = TASKS[task][3]
    spent = np.arange(1, NUM_WHOLE * number + 1) / number
    medians = {}
    for title, results in {"in parts": stopped[task], "whole": complete[task]}.items():
        medians[title] = np.median([trace(result, number) for result in results], axis=0)
        panel.plot(spent, medians[title], label=title)
    for cost in (10, NUM_WHOLE):
        level = medians["whole"][min(cost, NUM_WHOLE) * number - 1]
        reached = medians["in parts"] <= level
        cost_in_parts = spent[reached.argmax()]
        when = f"reached at a cost of {cost_in_parts:.1f}" if reached.any() else "not reached"
        lines.append(f"the loss after {cost} whole evaluations ({task}) is {when}")
    panel.set_title(task)
    panel.set_xlabel("cost, in whole evaluations")
    panel.set_ylabel("best loss")
    panel.set_yscale("log")
    panel.legend()
plt.show()

# %%
print(f"In short: in parts, {'; '.join(lines)}.")
