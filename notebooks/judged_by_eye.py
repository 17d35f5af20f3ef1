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
# # Judged by eye
#
# A picture of a sunset has a sky, a sun, haze and hills. Nobody can give such a picture an exact
# score, but everybody can say which of two pictures looks better. `popbo prefer FILE --page` asks
# this question on a web page ([guide](../preferences.md)). Here, the same search asks a simulated
# judge, so that we know which picture is the best.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np
import torch

from botorch_popbo import PreferenceSearch

SMOKE_TEST = bool(os.environ.get("SMOKE_TEST"))
NUM_SEEDS, NUM_QUESTIONS = (2, 4) if SMOKE_TEST else (4, 24)
plt.style.use("botorch_popbo.benchmarks.notebook")

SPACE = {
    "sky": (0.0, 1.0),  # its hue, from violet to orange
    "sun": (0.0, 1.0),  # how high it stands
    "haze": (0.5, 30.0, "log"),
    "hills": ["none", "round", "sharp"],
}


def render(sky: float, sun: float, haze: float, hills: str) -> np.ndarray:
    """A picture, height x width x colour."""
    y, x = np.mgrid[1:0:90j, 0:1.5:135j]
    low, high = np.array([1.0, 0.75, 0.45]), np.array([0.25 + 0.6 * sky, 0.3, 0.75 - 0.5 * sky])
    picture = low + (high - low) * y[..., None] ** 0.6
    distance = np.hypot(x - 0.75, y - 0.25 - 0.6 * sun)
    glow = np.exp(-(np.maximum(distance - 0.1, 0.0) ** 2) / (0.0004 * haze**1.5))
    picture += glow[..., None] * (np.array([1.0, 0.95, 0.8]) - picture)
    ridge = {
        "none": 0.0 * x,
        "round": 0.18 + 0.08 * np.cos(4.0 * x - 1.0),
        "sharp": 0.12 + 0.2 * np.abs((2.0 * x) % 1.0 - 0.5),
    }[hills]
    picture[y < ridge] = 0.25 * (1.0 - haze / 60.0) + 0.5 * haze / 60.0
    return np.clip(picture, 0.0, 1.0)


# %% [markdown]
# ## A judge
#
# The judge likes an orange sky, a low sun, some haze and round hills. Its answers are noisy.


# %%
def liking(sky: float, sun: float, haze: float, hills: str) -> float:
    """How much the judge likes a picture; the favourite scores 0."""
    off = (sky - 0.8) ** 2 + (sun - 0.2) ** 2 + (np.log10(haze / 6.0) / 2) ** 2
    return -float(off) - {"round": 0.0, "sharp": 0.15, "none": 0.3}[hills]


def judge(pictures: list[dict], rng: np.random.Generator) -> list[int]:
    """The pictures from the best to the worst."""
    seen = [liking(**picture) + 0.05 * rng.standard_normal() for picture in pictures]
    return [int(place) for place in np.argsort(seen)[::-1]]


def show(pictures: list[dict], titles: list[str]) -> None:
    _, panels = plt.subplots(1, len(pictures), figsize=(2.7 * len(pictures), 2.2))
    for panel, picture, title in zip(panels, pictures, titles, strict=True):
        panel.imshow(render(**picture))
        panel.set_title(title)
        panel.axis("off")
    plt.show()


search = PreferenceSearch(SPACE, num_items=4, seed=0)
first = search.ask()
show(first, [f"liking {liking(**picture):.2f}" for picture in first])

# %% [markdown]
# The search does not see the numbers above the pictures. It gets one of four kinds of answers:
#
# - which of two pictures is better;
# - which of four is the best, which amounts to three comparisons;
# - which of four is the worst, as on Optuna's dashboard;
# - the order of all four.


# %%
def ask(way: str, seed: int) -> tuple[list[float], PreferenceSearch]:
    """How much the judge likes the model's best picture, after each answer."""
    rng = np.random.default_rng(seed)
    search = PreferenceSearch(SPACE, num_items=2 if way == "better of two" else 4, seed=seed)
    liked = []
    for _ in range(NUM_QUESTIONS):
        items = search.ask()
        order = judge(items, rng)
        if way == "order of four":
            search.tell(items, ranking=order)
        elif way == "worst of four":
            search.tell(items, worst=order[-1])
        else:
            search.tell(items, winner=order[0])
        liked.append(liking(**search.best.parameters))
    return liked, search


def look_at_random(seed: int) -> list[float]:
    """How much the judge likes the best of equally many random pictures, chosen without error."""
    drawn = PreferenceSearch(SPACE).space
    points = drawn.draw(NUM_QUESTIONS + 1, seed)
    liked = [liking(**drawn.decode(x)) for x in points]
    return [max(liked[: number + 2]) for number in range(NUM_QUESTIONS)]


WAYS = ["better of two", "best of four", "worst of four", "order of four"]
runs = {way: [ask(way, seed) for seed in range(NUM_SEEDS)] for way in WAYS}
curves = {way: torch.tensor([liked for liked, _ in told]) for way, told in runs.items()}
curves["best of random ones"] = torch.tensor([look_at_random(seed) for seed in range(NUM_SEEDS)])

# %%
figure, panel = plt.subplots(figsize=(8, 4))
for number, (way, liked) in enumerate(curves.items()):
    mean, error = liked.mean(0), liked.std(0) / NUM_SEEDS**0.5
    color = "grey" if way == "best of random ones" else f"C{number}"
    panel.plot(range(1, NUM_QUESTIONS + 1), mean, label=way, color=color)
    panel.fill_between(
        range(1, NUM_QUESTIONS + 1), mean - error, mean + error, alpha=0.2, linewidth=0, color=color
    )
panel.set(xlabel="answers", ylabel="liking of the champion (favourite: 0)")
figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=3)
plt.show()

# %% [markdown]
# ## What was learned
#
# The search states the probability that nothing else is noticeably better. Check this probability
# before you end an interview.

# %%
_, search = runs["best of four"][0]
ranking = search.ranking[:4]
show(
    [best.parameters for best in ranking],
    [f"{best.chance:.0%} sure, liking {liking(**best.parameters):.2f}" for best in ranking],
)
told = {
    name: f"{v:.2f}" if isinstance(v, float) else v for name, v in search.best.parameters.items()
}
print(told)

# %%
ends = {way: liked[:, -1] for way, liked in curves.items()}
print(f"liking of the champion after {NUM_QUESTIONS} answers, mean ± standard error")
for way, end in ends.items():
    print(f"{way:<22}{end.mean():.3f} ± {end.std() / NUM_SEEDS**0.5:.3f}")
best = max(ends, key=lambda way: ends[way].mean())
print(f"In short: the judge likes the champion most after answers of this kind: {best}.")
