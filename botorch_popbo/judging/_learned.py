"""A picture of what judges like."""

import math
from pathlib import Path

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.space import Parameter, Space


def draw_learned(model: RankingGP, space: Space, champion: Tensor, path: Path) -> None:
    """Draw the utility along each parameter through the champion, a point of shape ``d``."""
    num_columns = min(len(space.parameters), 3)
    num_rows = math.ceil(len(space.parameters) / num_columns)
    figure = Figure(figsize=(4 * num_columns, 3 * num_rows), layout="constrained")
    figure.supylabel("utility")
    panel = None
    for column, (name, parameter) in enumerate(space.parameters.items()):
        panel = figure.add_subplot(num_rows, num_columns, column + 1, sharey=panel)
        panel.set_xlabel(name.replace("$", r"\$"))
        places = torch.linspace(*parameter.ends, 101, dtype=torch.double)
        if parameter.size <= len(places):
            places = torch.tensor(parameter.places(), dtype=torch.double)
        X = champion.repeat(len(places), 1)
        X[:, column] = places
        with torch.no_grad():
            law = model(X)
        _draw(panel, parameter, places, law.mean, law.variance.sqrt())
        panel.axvline(float(champion[column]), color="grey", linestyle=":")
    figure.savefig(path)


def _draw(
    panel: Axes, parameter: Parameter, places: Tensor, mean: Tensor, deviation: Tensor
) -> None:
    if parameter.choices is None:
        panel.plot(places, mean)
        panel.fill_between(places, mean - deviation, mean + deviation, alpha=0.2, linewidth=0)
        if parameter.is_log:  # places are logarithms
            panel.xaxis.set_major_formatter(lambda place, _: f"{parameter.value(place):.3g}")
        return
    panel.errorbar(places, mean, deviation, fmt="o")
    names = [str(choice)[:12].replace("$", r"\$") for choice in parameter.choices]
    rotation = 90 if sum(map(len, names)) > 30 else 0  # more letters overlap
    panel.set_xticks(places, names, rotation=rotation)
