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
# # A service loop in Ax
#
# We tune a scikit-learn network with Ax's `Client`: Ax suggests parameters, we train the network,
# and Ax learns from the loss. Some training runs fail. Halfway, we stop the process and resume it
# from a file. At the end, we look at what the model has learned. Only one line differs from plain
# Ax: the generation strategy.

# %%
import logging

logging.disable(logging.INFO)  # Ax reports every trial

# %%
import math
import os
import tempfile
import textwrap
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from ax.adapter.registry import Generators
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.ax import (
    RANK_TRANSFORM_CONFIGS,
    RANK_TRANSFORMS,
    RankAcquisition,
    RankSurrogate,
    best_point,
    popbo_generation_strategy,
)
from botorch_popbo.ax.analyses import popbo_analyses

SMOKE_TEST = bool(os.environ.get("SMOKE_TEST"))
NUM_TRIALS, NUM_INITIAL = (7, 3) if SMOKE_TEST else (36, 10)
warnings.simplefilter("ignore", ConvergenceWarning)  # twenty epochs are the budget
plt.style.use("botorch_popbo.benchmarks.notebook")

# %% [markdown]
# ## The task
#
# The network learns scikit-learn's digits by stochastic gradient descent. The range of learning
# rates is too wide on purpose. A network that ends up worse than guessing has diverged or has not
# begun to learn. Its loss is meaningless, so `loss` raises an error instead of returning it.
# scikit-learn does the same if weights become infinite.

# %%
PARAMETERS = [
    RangeParameterConfig(
        name="learning_rate", bounds=(1e-4, 100.0), parameter_type="float", scaling="log"
    ),
    RangeParameterConfig(name="momentum", bounds=(0.0, 0.99), parameter_type="float"),
    RangeParameterConfig(
        name="weight_decay", bounds=(1e-6, 10.0), parameter_type="float", scaling="log"
    ),
    RangeParameterConfig(name="width", bounds=(4, 128), parameter_type="int", scaling="log"),
    ChoiceParameterConfig(
        name="batch_size", values=[16, 32, 64, 128], parameter_type="int", is_ordered=True
    ),
]
EXAMPLES, LABELS = load_digits(return_X_y=True)
GUESSING = math.log(10)  # the cross-entropy of ten equally likely digits


def loss(parameters: dict) -> float:
    """Cross-entropy of held-out digits, in nats; mean of three folds."""
    network = MLPClassifier(
        hidden_layer_sizes=(parameters["width"],),
        solver="sgd",
        batch_size=parameters["batch_size"],
        learning_rate_init=parameters["learning_rate"],
        momentum=parameters["momentum"],
        alpha=parameters["weight_decay"],
        max_iter=20,
        random_state=0,
    )
    model = make_pipeline(StandardScaler(), network)
    with np.errstate(all="ignore"):  # ignores overflows before the error
        scores = cross_val_score(model, EXAMPLES, LABELS, cv=3, scoring="neg_log_loss")
    mean = -float(scores.mean())
    if not mean < GUESSING:
        raise ValueError(f"a cross-entropy of {mean:.1f} is worse than guessing")
    return mean


# %% [markdown]
# ## The loop
#
# A failed run is informative. `mark_trial_failed` ranks it below every success, so the search
# learns to avoid that region. (A Gaussian process needs a number, so Ax's own model ignores failed
# runs.)


# %%
def evaluate(client: Client, index: int, parameters: dict) -> None:
    """Train the network and report the outcome."""
    try:
        outcome = loss(parameters)
    except ValueError as reason:
        client.mark_trial_failed(index, failed_reason=str(reason))
    else:
        client.complete_trial(index, raw_data={"loss": outcome})


def run(client: Client, num_trials: int) -> None:
    """Evaluate ``num_trials`` suggestions."""
    for _ in range(num_trials):
        for index, parameters in client.get_next_trials(max_trials=1).items():
            evaluate(client, index, parameters)


client = Client()
client.configure_experiment(parameters=PARAMETERS)
client.configure_optimization(objective="-loss")
client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=NUM_INITIAL, seed=0))
run(client, NUM_TRIALS // 2)

# %% [markdown]
# ## Stop and resume
#
# The loaded client makes the same suggestion as the saved one.

# %%
file = Path(tempfile.mkdtemp()) / "experiment.json"
client.save_to_json_file(str(file))
[expected] = client.get_next_trials(max_trials=1).values()

client = Client.load_from_json_file(str(file))  # in another process, days later
[(index, suggestion)] = client.get_next_trials(max_trials=1).items()
for name, value in suggestion.items():  # Ax stores outcomes with ten decimals
    assert math.isclose(value, expected[name], rel_tol=1e-3)
evaluate(client, index, suggestion)
run(client, NUM_TRIALS - NUM_TRIALS // 2 - 1)

# %%
summary = client.summarize()
failed = summary["trial_status"] == "FAILED"
best = best_point(client)  # what the model recommends
mean, _ = client.predict([best.parameters])[0]["loss"]
print(f"{failed.sum()} of {len(summary)} training runs failed")
print(f"best arm (trial {best.trial_index}): {best.parameters}")
print(f"the model expects a loss of {mean:.3f} nats")

# %% [markdown]
# ## What happened
#
# Crosses mark failed training runs. The left panel shows them at the loss of guessing.

# %%
losses = summary["loss"]
initial = summary["trial_index"] < NUM_INITIAL

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.2))
trials = summary["trial_index"] + 1
left.plot(trials, losses.cummin().ffill(), color="C0", drawstyle="steps-post", label="best so far")
left.plot(trials[~failed], losses[~failed], "o", color="C0", alpha=0.5, label="trained")
left.plot(trials[failed], [GUESSING] * failed.sum(), "x", color="C1", label="failed")
left.axvline(NUM_INITIAL + 0.5, color="grey", linestyle=":")
left.set(xlabel="trial (dotted: end of the initial design)", yscale="log")
left.set_ylabel("cross-entropy [nats]")
left.set_yticks([0.2, 0.5, 1.0, 2.0], ["0.2", "0.5", "1", "2"])
left.minorticks_off()
for name, chosen in {"initial design": initial, "suggested by the model": ~initial}.items():
    color = "grey" if name == "initial design" else "C0"
    done, lost = summary[chosen & ~failed], summary[chosen & failed]
    right.plot(done["learning_rate"], done["momentum"], "o", color=color, alpha=0.6, label=name)
    right.plot(lost["learning_rate"], lost["momentum"], "x", color=color, markersize=8)
right.set(xlabel="learning rate", ylabel="momentum", xscale="log", xlim=(7e-5, 150))
for panel in (left, right):
    panel.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
plt.show()

# %% [markdown]
# ## What the model has learned
#
# `popbo_analyses` returns Ax's own cards and two cards about ranks. A notebook displays the cards
# here, and you can explore them with the mouse.

# %% tags=["interactive"]
cards = client.compute_analyses(analyses=popbo_analyses())

# %% [markdown]
# `card.df` contains the numbers of a card. Here, we plot them again without interaction. Can the
# model predict the rank of a training run that it has not seen? Each point was predicted by a model
# fitted without it; bars are 90% intervals.

# %%
_, calibration, *_ = cards
print(textwrap.fill(calibration.subtitle, 95))

figure, panel = plt.subplots(figsize=(6, 4.2))
data = calibration.df
bars = [data["predicted"] - data["lower_90"], data["upper_90"] - data["predicted"]]
panel.errorbar(data["observed"], data["predicted"], yerr=bars, fmt="o", color="C0", alpha=0.6)
panel.axline((0, 0), slope=1, color="black", linestyle="--", linewidth=1)
panel.set(xlabel="better points, observed", ylabel="better points, predicted")
plt.show()

# %% [markdown]
# ## The same strategy by hand
#
# `popbo_generation_strategy` is built from Ax's own classes. If you write a `GeneratorSpec` by
# hand, add three things to the rank model: a surrogate that predicts in the unit of the metric, an
# acquisition class that passes on seeds and constraints, and transforms that know in which
# direction to optimize. The new strategy continues with the existing trials.

# %%
spec = GeneratorSpec(
    generator_enum=Generators.BOTORCH_MODULAR,
    generator_kwargs={
        "surrogate": RankSurrogate(
            SurrogateSpec(model_configs=[ModelConfig(botorch_model_class=RankingGP)])
        ),
        "acquisition_class": RankAcquisition,
        "botorch_acqf_class": LogExpectedUtilityImprovement,
        "transforms": RANK_TRANSFORMS,
        "transform_configs": RANK_TRANSFORM_CONFIGS,
    },
)
node = GenerationNode(name="ranks", generator_specs=[spec], should_deduplicate=True)
client.set_generation_strategy(GenerationStrategy(nodes=[node]))
print(client.get_next_trials(max_trials=1))

# %%
lowest = losses.min()
print(
    f"In short: the lowest loss is {lowest:.3f} nats after {len(summary)} training runs, of which "
    f"{failed.sum()} failed: {failed[initial].sum()} of {initial.sum()} in the initial design, "
    f"{failed[~initial].sum()} of {(~initial).sum()} later."
)
