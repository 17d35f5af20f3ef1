"""A picture of what judges like."""

from pathlib import Path
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.space import Parameter, Space

_NUM_COLUMNS, _NUM_POINTS = 3, 101


def draw_learned(model: RankingGP, space: Space, champion: Tensor, path: Path) -> None:
    """Draw the utility along each parameter through the champion, a point of shape ``d``."""
    number = len(space.parameters)
    num_columns = min(number, _NUM_COLUMNS)
    num_rows = -(-number // num_columns)
    figure = Figure(figsize=(4 * num_columns, 3 * num_rows), layout="constrained")
    figure.supylabel("utility")
    panels = figure.subplots(num_rows, num_columns, squeeze=False, sharey=True).flat
    for column, (name, parameter) in enumerate(space.parameters.items()):
        places = _places(parameter)
        X = champion.repeat(len(places), 1)
        X[:, column] = X.new_tensor(places)
        with torch.no_grad():
            law: Any = model.posterior(X)
        mean, deviation = law.mean.squeeze(-1), law.variance.squeeze(-1).sqrt()
        _draw(panels[column], parameter, places, mean, deviation)
        panels[column].axvline(champion[column], color="grey", linestyle=":")
        panels[column].set_xlabel(name.replace("$", r"\$"))
    for panel in panels[number:]:
        panel.remove()
    figure.savefig(path)


def _places(parameter: Parameter) -> list[float]:
    if parameter.size <= _NUM_POINTS:
        return parameter.places()
    return torch.linspace(*parameter.ends, _NUM_POINTS, dtype=torch.double).tolist()


def _draw(
    panel: Any, parameter: Parameter, places: list[float], mean: Tensor, deviation: Tensor
) -> None:
    if parameter.choices is None:
        panel.plot(places, mean)
        panel.fill_between(places, mean - deviation, mean + deviation, alpha=0.2, linewidth=0)
        if parameter.is_log:  # places are logarithms
            panel.xaxis.set_major_formatter(lambda place, _: f"{parameter.value(place):.3g}")
        return
    panel.errorbar(places, mean, deviation, fmt="o")
    names = [str(parameter.value(place))[:12] for place in places]
    rotation = 90 if sum(map(len, names)) > 30 else 0  # more letters overlap
    panel.set_xticks(places, [name.replace("$", r"\$") for name in names], rotation=rotation)
