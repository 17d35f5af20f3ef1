"""The agreement against the noise, and predicted ranks as the paper's figure 1 shows them."""

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from botorch_popbo.benchmarks.experiments.rank_agreement._models import MODELS
from botorch_popbo.benchmarks.experiments.rank_agreement._observations import (
    GRID,
    TRUE_VALUES,
    ranking,
)

if TYPE_CHECKING:
    from botorch_popbo.benchmarks.experiments.rank_agreement._campaign import RankAgreement

_SEED = 0
_SHADES = ("#F2B134", "#ED6A2C", "#C2185B", "#4A148C")
_MARKERS = "osD^v"


def draw(campaign: "RankAgreement", averages: pd.DataFrame, results: pd.DataFrame) -> Figure:
    """Draw a panel for each kind of noise, and below one for each model.

    Below are the predicted rankings of one repetition under the first kind of noise.
    """
    # Made without pyplot, so that no window system and no global state is involved.
    figure = Figure(figsize=(max(3.0 * len(campaign.methods), 9.0), 8.5), layout="constrained")
    rows = figure.add_gridspec(2, 1, height_ratios=(1.1, 1.0))
    above, below = figure.add_subfigure(rows[0]), figure.add_subfigure(rows[1])
    panels = above.subplots(1, len(campaign.noise), sharey=True, squeeze=False)[0]
    for panel, noise in zip(panels, campaign.noise, strict=True):
        _draw_averages(panel, campaign, averages.loc[noise])
        panel.set(title=f"noise: {noise}", xlabel="standard deviation of the noise")
    panels[0].set_ylabel("Kendall's tau, predicted and true ranking")
    panels[0].legend(frameon=False)
    above.suptitle(
        f"Mean over {campaign.seeds} seeds, band ± standard error ({campaign.design} design)"
    )
    panels = below.subplots(1, len(campaign.methods), sharey=True, squeeze=False)[0]
    shown = results[(results["noise"] == campaign.noise[0]) & (results["seed"] == _SEED)]
    for panel, model in zip(panels, campaign.methods, strict=True):
        _draw_ranks(panel, campaign, shown[shown["model"] == model])
        panel.set(title=model, xlabel="x")
    panels[0].set_ylabel("number of better points")
    panels[-1].legend(frameon=False, fontsize="small", title="deviation")
    below.suptitle(f"Ranking of 100 points, noise: {campaign.noise[0]}, seed {_SEED}")
    return figure


def _draw_averages(panel: Axes, campaign: "RankAgreement", averages: pd.DataFrame) -> None:
    # Open markers show lines that lie on each other.
    for model, marker in zip(campaign.methods, cycle(_MARKERS), strict=False):
        found, shade = averages.xs(model, level="model"), MODELS[model].color
        mean, error = found["mean"], found["sem"].fillna(0.0)
        panel.plot(
            campaign.deviations,
            mean,
            label=model,
            color=shade,
            marker=marker,
            markerfacecolor="none",
            markersize=7,
        )
        edges = mean - error, mean + error
        panel.fill_between(campaign.deviations, *edges, color=shade, alpha=0.18, linewidth=0)
    _finish(panel)


def _draw_ranks(panel: Axes, campaign: "RankAgreement", results: pd.DataFrame) -> None:
    x = GRID.squeeze(-1).numpy()
    ranks = dict(zip(results["deviation"], results["ranks"], strict=True))
    # Evenly chosen, the first and the last included.
    last = len(campaign.deviations) - 1
    chosen = np.linspace(0, last, min(len(_SHADES), last + 1)).round().astype(int)
    for i, shade in zip(chosen, _SHADES, strict=False):
        deviation = campaign.deviations[i]
        if deviation in ranks:
            label = f"{deviation:g}"
            panel.plot(x, ranks[deviation], color=shade, linestyle="--", label=label)
    panel.plot(x, ranking(TRUE_VALUES), color="black", linewidth=1.8, label="truth")
    _finish(panel)


def _finish(panel: Axes) -> None:
    panel.grid(visible=True, alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)
