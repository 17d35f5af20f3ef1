"""The agreement against the noise, and predicted ranks as the paper's figure 1 shows them."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from botorch_popbo.benchmarks.rank_agreement.agreement import ranking
from botorch_popbo.benchmarks.rank_agreement.data import GRID, TRUE_VALUES
from botorch_popbo.benchmarks.rank_agreement.models import MODELS
from botorch_popbo.benchmarks.rank_agreement.results import Result
from botorch_popbo.benchmarks.rank_agreement.study import Setting, Study
from botorch_popbo.benchmarks.rank_agreement.summary import Curve
from botorch_popbo.replacing import replacing

_SEED = 0
_NUM_SURFACES = 4
_SHADES = ("#F2B134", "#ED6A2C", "#C2185B", "#4A148C")
_MARKERS = "osD^v"


def write_picture(
    study: Study, curves: Sequence[Curve], results: Sequence[Result], path: Path
) -> None:
    """Draw a panel for each kind of noise, and below one for each model.

    Below are the predicted rankings of one repetition under the first kind of noise.

    Args:
        study: The study.
        curves: Its curves.
        results: Its results.
        path: The file to write, replaced if it exists.

    Raises:
        OSError: If the file cannot be written.
    """
    figure = Figure(figsize=(max(3.0 * len(study.models), 9.0), 8.5), layout="constrained")
    FigureCanvasAgg(figure)
    rows = figure.add_gridspec(2, 1, height_ratios=(1.1, 1.0))
    above, below = figure.add_subfigure(rows[0]), figure.add_subfigure(rows[1])
    panels = above.subplots(1, len(study.noises), sharey=True, squeeze=False)[0]
    for panel, noise in zip(panels, study.noises, strict=True):
        _draw_curves(panel, study, [curve for curve in curves if curve.noise == noise])
        panel.set_title(f"noise: {noise}")
    panels[0].set_ylabel("Kendall's tau, predicted and true ranking")
    panels[0].legend(frameon=False)
    above.suptitle(f"Mean over {study.seeds} seeds, band ± standard error ({study.design} design)")
    panels = below.subplots(1, len(study.models), sharey=True, squeeze=False)[0]
    for panel, model in zip(panels, study.models, strict=True):
        _draw_ranks(panel, study, model, {result.setting: result for result in results})
        panel.set_title(model)
    panels[0].set_ylabel("number of better points")
    panels[-1].legend(frameon=False, fontsize="small", title="deviation")
    below.suptitle(f"Ranking of 100 points, noise: {study.noises[0]}, seed {_SEED}")
    with replacing(path) as partial:
        figure.savefig(partial, format="png", dpi=110)


def _draw_curves(panel: Axes, study: Study, curves: Sequence[Curve]) -> None:
    # Open markers show lines that lie on each other.
    for curve, marker in zip(curves, cycle(_MARKERS), strict=False):
        shade, error = MODELS[curve.model].color, np.nan_to_num(curve.error)
        style: dict[str, Any] = {
            "color": shade,
            "marker": marker,
            "markerfacecolor": "none",
            "markersize": 7,
        }
        panel.plot(study.deviations, curve.mean, label=curve.model, **style)
        edges = curve.mean - error, curve.mean + error
        panel.fill_between(study.deviations, *edges, color=shade, alpha=0.18, linewidth=0)
    panel.set_xlabel("standard deviation of the noise")
    _finish(panel)


def _draw_ranks(panel: Axes, study: Study, model: str, found: Mapping[Setting, Result]) -> None:
    x = GRID.squeeze(-1).numpy()
    # Evenly chosen, the first and the last included.
    last = len(study.deviations) - 1
    chosen = np.linspace(0, last, min(_NUM_SURFACES, last + 1)).round().astype(int)
    for i, shade in zip(chosen, _SHADES, strict=False):
        setting = Setting(study.design, study.noises[0], study.deviations[i], model, _SEED)
        if setting in found:
            label = f"{setting.deviation:g}"
            panel.plot(x, found[setting].ranks, color=shade, linestyle="--", label=label)
    panel.plot(x, ranking(TRUE_VALUES.numpy()), color="black", linewidth=1.8, label="truth")
    panel.set_xlabel("x")
    _finish(panel)


def _finish(panel: Axes) -> None:
    panel.grid(visible=True, alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)
