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
# # A study in Optuna: pruning and two objectives
#
# A small network completes handwritten digits: it sees the upper half of an image and predicts the
# lower half. With a high learning rate, its weights explode. Some training runs then end with an
# error of $10^{200}$, and others with an exception. `PoPBOSampler` needs no special setting for
# either. Optuna continues after an exception that is named in `catch=`, and the sampler ranks the
# trial below every success.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np
import optuna
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPRegressor

from botorch_popbo.optuna import PoPBOSampler

TRIALS, EPOCHS = (12, 2) if os.environ.get("SMOKE_TEST") else (30, 15)
optuna.logging.set_verbosity(optuna.logging.ERROR)
plt.style.use("botorch_popbo.benchmarks.notebook")

# %% [markdown]
# ## The task

# %%
train, test = train_test_split(load_digits().data[:800] / 16, random_state=0)


def learn(trial):
    """Train a network, and yield its error on held-out images after each epoch."""
    network = MLPRegressor(
        hidden_layer_sizes=trial.suggest_int("width", 8, 128, log=True),
        activation=trial.suggest_categorical("activation", ["relu", "tanh"]),
        solver="sgd",
        learning_rate_init=trial.suggest_float("rate", 1e-4, 10.0, log=True),
        momentum=trial.suggest_float("momentum", 0.0, 0.99),
        alpha=trial.suggest_float("decay", 1e-6, 10.0, log=True),
        batch_size=trial.suggest_int("batch", 8, 256, log=True),
        random_state=0,
    )
    for _ in range(EPOCHS):
        with np.errstate(all="ignore"):  # ignores overflows
            network.partial_fit(train[:, :32], train[:, 32:])  # ValueError: infinite weights
            yield np.square(network.predict(test[:, :32]) - test[:, 32:]).mean()


# %% [markdown]
# ## Pruning
#
# A pruner stops a training run that is behind. `PoPBOSampler` learns from an estimate of the final
# error of each pruned trial.


# %%
def pruned(trial):
    """The error after the last epoch, unless a pruner stops the training."""
    for epoch, value in enumerate(learn(trial)):
        trial.report(value, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return value


pruner = optuna.pruners.SuccessiveHalvingPruner(min_resource=2, reduction_factor=3)
study = optuna.create_study(sampler=PoPBOSampler(seed=0), pruner=pruner)
study.optimize(pruned, TRIALS, catch=ValueError)

# %%
figure, panel = plt.subplots(figsize=(6, 3.4))
for trial in study.trials:
    curve = pd.Series(trial.intermediate_values, dtype=float)
    is_whole = trial.state == optuna.trial.TrialState.COMPLETE
    panel.plot(curve, color="C0" if is_whole else "lightgrey", alpha=0.8)
panel.set(title="whole trainings, and pruned ones in grey", xlabel="epoch", ylim=(0.03, 0.2))
plt.show()

# %% [markdown]
# ## Two objectives
#
# We also want a small network. The objective returns two values, and `directions` has two entries.


# %%
def both(trial):
    """The error after the last epoch, and the number of weights."""
    *_, error = learn(trial)
    return error, 65 * trial.params["width"] + 32


front = optuna.create_study(directions=["minimize", "minimize"], sampler=PoPBOSampler(seed=0))
front.optimize(both, TRIALS, catch=ValueError)

# %%
done = [trial for trial in front.trials if trial.values]
figure, panel = plt.subplots(figsize=(6, 3.4))
panel.plot(*zip(*[t.values for t in done], strict=True), "o", color="lightgrey", label="others")
panel.plot(*zip(*[t.values for t in front.best_trials], strict=True), "o", label="best trade-offs")
panel.set(xlabel="error", ylabel="weights", xlim=(0.03, 0.15), yscale="log")
panel.legend()
plt.show()

# %%
share = sum(len(trial.intermediate_values) for trial in study.trials) / (TRIALS * EPOCHS)
weights = [trial.values[1] for trial in front.best_trials]
print(
    f"In short: with pruning, the best error is {study.best_value:.4f} after {share:.0%} of the "
    f"epochs; with two objectives, there are {len(weights)} trade-offs, from {min(weights):.0f} to "
    f"{max(weights):.0f} weights."
)
