"""The report: agreement against noise, and predicted rankings as in the paper's figure 1."""

from collections.abc import Iterator
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
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.report._text import aligned, estimate

if TYPE_CHECKING:
    from botorch_popbo.benchmarks.experiments.rank_agreement._campaign import RankAgreement

_SEED = 0
_SHADES = ("#F2B134", "#ED6A2C", "#C2185B", "#4A148C")
_MARKERS = "osD^v"


def write_report(campaign: "RankAgreement") -> None:
    """Print the table and write all files."""
    results = frame(campaign)
    averages = average(campaign, results)
    text, figure = table(campaign, averages), _draw(campaign, averages, results)
    write_files(campaign.output, "rank agreement", text, results.drop(columns="ranks"), figure)


def average(campaign: "RankAgreement", results: pd.DataFrame) -> pd.DataFrame:
    """The mean over the seeds, its standard error and the count, by noise, deviation and model.

    They are not a number without a result, the error also with one.
    """
    settings = campaign.noise, campaign.deviations, campaign.methods
    names = ["noise", "deviation", "model"]
    groups = results.astype({"tau": float}).groupby(names)["tau"]
    found = groups.agg(["mean", "sem", "count"])
    # Rounding of the mean would give equal values a deviation.
    found["sem"] = found["sem"].mask((groups.nunique() == 1) & (found["count"] > 1), 0.0)
    found = found.reindex(pd.MultiIndex.from_product(settings, names=names))
    return found.fillna({"count": 0})


def table(campaign: "RankAgreement", averages: pd.DataFrame) -> str:
    """Tabulate the agreement: a row for each size of noise, a column for each model."""
    rows = []
    for (noise, deviation), found in averages.groupby(["noise", "deviation"], sort=False):
        cells = (estimate(*pair) for pair in zip(found["mean"], found["sem"], strict=True))
        rows.append((noise, f"{deviation:g}", *cells))
    note = (
        f"Kendall's tau of predicted and true ranking, {campaign.design} design: mean ± standard "
        f"error, {campaign.seeds} seeds"
    )
    return "\n".join(
        [
            *aligned([("noise", "deviation", *campaign.methods)], rows),
            note,
            *_missing(campaign, averages),
        ]
    )


def _missing(campaign: "RankAgreement", averages: pd.DataFrame) -> Iterator[str]:
    wanted = len(campaign.deviations) * campaign.seeds
    counts = averages["count"].groupby(["noise", "model"], sort=False).sum().astype(int)
    for (noise, model), number in counts.items():
        if number < wanted:
            yield f"missing: {wanted - number} of {wanted} results of {model}, {noise}"


def _draw(campaign: "RankAgreement", averages: pd.DataFrame, results: pd.DataFrame) -> Figure:
    """A panel for each kind of noise; below, for each model, rankings of one repetition."""
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
        x, mean, error = campaign.deviations, found["mean"], found["sem"].fillna(0.0)
        (line,) = panel.plot(x, mean, label=model, color=shade, marker=marker, markersize=7)
        line.set_markerfacecolor("none")
        panel.fill_between(x, mean - error, mean + error, color=shade, alpha=0.18, linewidth=0)
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
            panel.plot(x, ranks[deviation], "--", color=shade, label=f"{deviation:g}")
    panel.plot(x, ranking(TRUE_VALUES), color="black", linewidth=1.8, label="truth")
    _finish(panel)


def _finish(panel: Axes) -> None:
    panel.grid(visible=True, alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)
