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
# # Side by side
#
# This notebook runs the same loop with a rank model and with a Gaussian process: on a smooth
# function, on a noisy one, on one with outliers, and on a real tuning task. The runs are few and
# short, so that the notebook finishes within minutes. Their results may differ from those of the
# longer runs in [the results](../results.md).
#
# `popbo compare` uses the same code. It starts all methods from the same points, survives
# interruptions, and runs replications in parallel.

# %%
import logging

logging.disable(logging.INFO)  # Ax reports every trial

# %%
import os
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from ax.api.client import Client

from botorch_popbo.ax import (
    fit_model,
    gp_generation_strategy,
    parameter_configs,
    popbo_generation_strategy,
)
from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.points import uniform_point
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report import Summary, figures, table
from botorch_popbo.benchmarks.run.execution import run_campaign

SMOKE_TEST = bool(os.environ.get("SMOKE_TEST"))
RESULTS = Path(tempfile.mkdtemp())
plt.style.use("botorch_popbo.benchmarks.notebook")


def compare(
    problems: dict[str, int], methods: tuple[str, ...], trials: int, seeds: int
) -> list[Summary]:
    """Run every method on every problem, given the size of each problem's initial design."""
    campaign = Optimization(
        initial=dict.fromkeys(problems, 4) if SMOKE_TEST else problems,
        methods=methods,
        trials=1 if SMOKE_TEST else trials,
        seeds=1 if SMOKE_TEST else seeds,
        jobs=1 if SMOKE_TEST else 2,
        output=RESULTS,
    )
    failures = run_campaign(campaign)
    assert not failures, failures
    return campaign.summaries()


# %% [markdown]
# ## Three functions
#
# - **smooth**: Branin, two variables, exact values;
# - **noisy**: Hartmann-6, six variables, normal noise with standard deviation 0.1 (the function's
#   range is 3.3);
# - **outliers**: Branin, where one outcome in ten is off by ten times the function's range.
#
# `popbo` is the default rank model, and `botorch-gp` is BoTorch's `SingleTaskGP` with log expected
# improvement.

# %%
functions = compare(
    {"branin": 8, "hartmann6-gaussian": 12, "branin-outliers": 8},
    methods=("popbo", "botorch-gp", "random"),
    trials=30,
    seeds=10,
)

# %% [markdown]
# ## A real task
#
# We tune six parameters of scikit-learn's gradient boosting by cross-validation on the diabetes
# data. This task was not used to choose the default. The rival is Optuna's Gaussian process,
# because some parameters are choices.

# %%
tasks = compare(
    {"tuning-boosting-diabetes": 12},
    methods=("popbo", "optuna-gp", "random"),
    trials=30,
    seeds=10,
)

# %% [markdown]
# ## Curves
#
# The curves show how good each method's recommended point is. With noise, this need not be the best
# evaluated point. Random search recommends the point with the best outcome.

# %%
STYLE = {"popbo": "C0", "botorch-gp": "C1", "optuna-gp": "C1", "random": "grey"}
LABEL = {"C0": "rank model", "C1": "Gaussian process", "grey": "random search"}


def draw(panel: plt.Axes, summary: Summary) -> None:
    """Means over the seeds, and bands of one standard error."""
    axis = figures.scale(summary)
    for curve in summary.curves:
        color = STYLE[curve.method]
        line, low, high = figures.band(curve, axis)
        x = figures.evaluations(summary)
        panel.plot(x, line, color=color, drawstyle="steps-post", label=LABEL[color])
        panel.fill_between(x, low, high, color=color, alpha=0.2, linewidth=0, step="post")
    panel.set(
        title=summary.problem.name,
        xlabel=figures.evaluations_label(summary),
        ylabel=summary.quantity,
        yscale="log" if axis.is_log else "linear",
    )


summaries = [*functions, *tasks]
figure, panels = plt.subplots(2, 2, figsize=(11, 7.5))
for panel, summary in zip(panels.flat, summaries, strict=True):
    draw(panel, summary)
figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
plt.show()

# %% [markdown]
# ## The table
#
# The table shows the final result of each method (mean ± standard error over the seeds). A verdict
# names a winner only if the difference is significant.

# %%
report = table(summaries)
print(report)

# %% [markdown]
# ## Where the Gaussian process wins: values
#
# A rank model predicts a point's place in the order. To predict a *value*, it interpolates between
# the outcomes on either side, so it never predicts a value beyond the outcomes that it has seen.
# Both models now see the same forty random points of Branin and predict two hundred others.


# %%
problem = PROBLEMS["branin"].load(None)
seen, unseen = (
    [uniform_point(problem.space, problem.name, seed=seed, trial=i) for i in range(number)]
    for seed, number in ((0, 40), (1, 200))
)


def predictions(strategy) -> np.ndarray:
    """Values of the unseen points, predicted from the seen ones."""
    client = Client()
    client.configure_experiment(parameters=parameter_configs(problem.space))
    client.configure_optimization(objective="-value")
    client.set_generation_strategy(strategy)
    for point in seen:
        index = client.attach_trial(parameters=point)
        client.complete_trial(index, raw_data={"value": problem.score(point)})
    client.get_next_trials(max_trials=1)
    fit_model(client)
    return np.array([means["value"][0] for means in client.predict(unseen)])


truth = np.array([problem.score(point) for point in unseen])
predicted = {
    "C0": predictions(popbo_generation_strategy(num_initial_trials=len(seen), seed=0)),
    "C1": predictions(gp_generation_strategy(num_initial_trials=len(seen), seed=0)),
}

figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), sharex=True, sharey=True)
errors = {}
for panel, (color, values) in zip(panels, predicted.items(), strict=True):
    errors[color] = np.sqrt(np.mean((values - truth) ** 2))
    panel.plot(truth, values, "o", color=color, alpha=0.5, markersize=4)
    panel.plot([0, 310], [0, 310], "k--", linewidth=1)
    panel.set_title(f"{LABEL[color]}: error {errors[color]:.2f}")
    panel.set_xlabel("Branin's value")
panels[0].set_ylabel("predicted value")
plt.show()

# %% [markdown]
# (The error is the root mean squared error.) If you need predictions of the value, use the Gaussian
# process.

# %%
verdicts = [line for line in report.splitlines() if line.startswith("verdict on ")]
smaller = LABEL[min(errors, key=errors.get)]
print(f"In short: {'. '.join(verdicts)}. Smaller error of predicted values: {smaller}.")
