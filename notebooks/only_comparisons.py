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
# # Only comparisons
#
# Nobody can give a cup of coffee an exact score, but most people can say which of two cups tastes
# better. In this notebook, the judge never gives a number. We try three kinds of feedback: answers
# about pairs, shortlists, and sorted galleries. The judge is simulated, so that we know its
# favourite. Its taste varies from one tasting to the next.

# %%
import os
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
from botorch.models.transforms.input import Normalize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from torch import Tensor

from botorch_popbo import (
    LogExpectedUtilityImprovement,
    Order,
    PreferenceSearch,
    RankingGP,
    rank_initial_conditions,
)
from botorch_popbo.data import from_ordering, from_top_k

SMOKE_TEST = bool(os.environ.get("SMOKE_TEST"))
NUM_SEEDS, NUM_QUESTIONS, NUM_ROUNDS = (2, 5, 2) if SMOKE_TEST else (6, 30, 6)
plt.style.use("botorch_popbo.benchmarks.notebook")

# %% [markdown]
# ## A judge
#
# A cup has two parameters: the amount of sugar and the temperature of the water. The judge has a
# favourite, and also likes a quite different cup. No method sees how much the judge likes a cup.

# %%
BOUNDS = torch.tensor([[0.0, 80.0], [10.0, 100.0]], dtype=torch.float64)  # g, degrees Celsius


def liking(cups: Tensor) -> Tensor:
    """How much the judge likes cups ``... x 2``; the favourite scores 1."""
    unit = (cups - BOUNDS[0]) / (BOUNDS[1] - BOUNDS[0])
    favourite = (unit - torch.tensor([0.7, 0.35])) / torch.tensor([0.25, 0.2])
    other = (unit - torch.tensor([0.2, 0.8])) / 0.2
    bumps = [(-0.5 * bump.square().sum(dim=-1)).exp() for bump in (favourite, other)]
    return bumps[0] + 0.6 * bumps[1]


class Judge:
    """Tastes cups; the same cup tastes slightly different every time."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def order(self, cups: Tensor) -> Tensor:
        """The cups ``n x 2`` from the best to the worst, as indices."""
        mood = 0.1 * torch.randn(len(cups), generator=self.generator, dtype=cups.dtype)
        return (liking(cups) + mood).argsort(descending=True)


axes = [torch.linspace(low, high, 201, dtype=torch.float64) for low, high in BOUNDS.T.tolist()]
table = torch.stack(torch.meshgrid(*axes, indexing="xy"), dim=-1)
BEST = liking(table).max().item()

# %% [markdown]
# ## One or the other?
#
# `PreferenceSearch` asks, and the judge answers. The first six questions form a tournament: the
# winner meets the next cup of an evenly spread design. After that, the cup that the model considers
# best meets a cup near it.


# %%
def ask_pairs(seed: int) -> tuple[list[float], PreferenceSearch]:
    """How much less the judge likes the best cup than the favourite, after each answer."""
    judge, search, regrets = Judge(seed), PreferenceSearch(BOUNDS, seed=seed), []
    for _ in range(NUM_QUESTIONS):
        pair = search.ask()
        search.tell(pair, winner=int(judge.order(pair)[0]))
        regrets.append(BEST - liking(search.best.x).item())
    return regrets, search


def tournament(seed: int) -> list[float]:
    """No model at all: the winner meets the next random cup."""
    cups, judge, regrets = (
        draw_sobol_samples(BOUNDS, NUM_QUESTIONS + 1, 1, seed=seed),
        Judge(seed),
        [],
    )
    champion = cups[0, 0]
    for challenger in cups[1:, 0]:
        pair = torch.stack([champion, challenger])
        champion = pair[judge.order(pair)[0]]
        regrets.append(BEST - liking(champion).item())
    return regrets


_, search = ask_pairs(seed=0)

figure, panel = plt.subplots(figsize=(8, 4.6))
contours = panel.contourf(*axes, liking(table), levels=12, cmap="Greys", alpha=0.7)
figure.colorbar(contours, label="liking (hidden)")
asked = panel.scatter(*search.X.T, c=torch.arange(len(search.X)) // 2, cmap="viridis", s=36)
figure.colorbar(asked, label="question")
panel.plot(*search.best.x, "*", color="C1", markersize=18, label="held to be the best")
panel.set(xlabel="sugar [g]", ylabel="water temperature [°C]")
panel.grid(visible=False)
figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center")
plt.show()

# %% [markdown]
# ### Is it worth it?
#
# The rival is a tournament without a model, in which the winner always meets a random cup.

# %%
seeds = range(NUM_SEEDS)
pairs = {
    "PreferenceSearch": torch.tensor([ask_pairs(seed)[0] for seed in seeds]),
    "random tournament": torch.tensor([tournament(seed) for seed in seeds]),
}


def draw(panel: plt.Axes, x: range, curves: dict[str, Tensor], colors: tuple[str, ...]) -> None:
    """Means over the seeds, and bands of one standard error."""
    for color, (name, values) in zip(colors, curves.items(), strict=True):
        mean, error = values.mean(dim=0), values.std(dim=0) / len(values) ** 0.5
        panel.plot(x, mean, color=color, label=name)
        panel.fill_between(x, mean - error, mean + error, color=color, alpha=0.2, linewidth=0)
    panel.set_ylim(bottom=0)
    panel.set_ylabel("regret in liking (favourite: 0)")


figure, panel = plt.subplots(figsize=(8, 3.8))
draw(panel, range(1, NUM_QUESTIONS + 1), pairs, ("C0", "grey"))
panel.set_xlabel("answers")
figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=2)
plt.show()
winner = min(pairs, key=lambda name: pairs[name][:, -1].mean())
print(f"after {NUM_QUESTIONS} answers, the better one is: {winner}")

# %% [markdown]
# An answer about two cups is one bit of information. A tournament spends it on a cup anywhere in
# the space, and the model spends it on a cup near its best one.
#
# ## Richer answers
#
# A judge who gets six new cups in every round can say more:
#
# - **a shortlist**: the better half of all cups so far, in order; the others remain unsorted
#   (`from_top_k`);
# - **a sorted gallery**: all cups so far, in order (`from_ordering`).
#
# Both functions return an `Order`, which contains only listed items. The unsorted cups of a
# shortlist were only compared with the sorted ones. The model suggests the next six cups one after
# another, and treats the earlier ones as pending (`X_pending`).


# %%
def shortlist(cups: Tensor, order: Tensor) -> Order:
    return from_top_k(cups, top=order[: len(order) // 2], rest=order[len(order) // 2 :])


def six_cups(feedback: Order, seed: int) -> Tensor:
    """The next six cups, ``6 x 2``."""
    transform = Normalize(d=2, bounds=BOUNDS)
    model = RankingGP(order=feedback, input_transform=transform).fit()
    chosen = BOUNDS.new_zeros(0, 2)
    with manual_seed(seed):
        for _ in range(6):
            cup, _ = optimize_acqf(
                LogExpectedUtilityImprovement(model, X_pending=chosen),
                BOUNDS,
                q=1,
                num_restarts=4,
                raw_samples=128,
                ic_generator=rank_initial_conditions,
                retry_on_optimization_warning=False,
            )
            chosen = torch.cat([chosen, cup])
    return chosen


def gallery(feedback: Callable[[Tensor, Tensor], Order] | None, seed: int) -> list[float]:
    """How much less the judge likes its first choice than the favourite, after each round."""
    design = draw_sobol_samples(BOUNDS, 6 * NUM_ROUNDS, 1, seed=seed).squeeze(1)
    judge, cups, regrets = Judge(seed), design[:6], []
    for number in range(1, NUM_ROUNDS + 1):
        order = judge.order(cups)
        regrets.append(BEST - liking(cups[order[0]]).item())
        if number < NUM_ROUNDS:
            new = design[6 * number : 6 * number + 6]
            if feedback is not None:
                new = six_cups(feedback(cups, order), seed=100 * seed + number)
            cups = torch.cat([cups, new])
    return regrets


lists = {
    name: torch.tensor([gallery(feedback, seed) for seed in seeds])
    for name, feedback in {
        "sorted gallery": from_ordering,
        "shortlist": shortlist,
        "random cups": None,
    }.items()
}

# %%
figure, panel = plt.subplots(figsize=(8, 3.8))
draw(panel, range(6, 6 * NUM_ROUNDS + 1, 6), lists, ("C0", "C2", "grey"))
panel.set_xlabel("cups tasted")
figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=3)
plt.show()

# %%
print("regret in liking at the end, mean ± standard error over the seeds")
everything = pairs | lists
for name, values in everything.items():
    end = values[:, -1]
    print(f"{name:<20}{end.mean():.3f} ± {end.std() / NUM_SEEDS**0.5:.3f}")

# %%
best = min(everything, key=lambda name: everything[name][:, -1].mean())
print(f"In short: the mean regret at the end is smallest with this kind of feedback: {best}.")
