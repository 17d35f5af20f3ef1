"""What :func:`botorch_popbo.ax.minimize.minimize` returns."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from ax.api.client import Client

from botorch_popbo.ax.best_point import BestPoint, best_point

#: The name of the metric that is minimized.
VALUE = "value"
#: The columns of a history that are no parameters.
OWN_COLUMNS = ("trial", VALUE, "status", "reason")
_WIDE = 100.0  # the ratio of two positive values that asks for a logarithmic axis


@dataclass(frozen=True)
class Minimum:
    """The result of a minimization.

    Attributes:
        client: Ax's client, with everything in it: the experiment, the model, Ax's analyses.
    """

    client: Client

    @cached_property
    def best(self) -> BestPoint:
        """The evaluated point to use, by the model: with noise, one whose neighbours vouch for it.

        Its ``parameters`` are a dictionary; its ``outcome`` is what the model predicts there.
        """
        return best_point(self.client)

    @cached_property
    def best_observed(self) -> BestPoint:
        """The point with the least value observed, which with noise is a lucky one."""
        return best_point(self.client, use_model=False)

    @cached_property
    def history(self) -> pd.DataFrame:
        """A row for each evaluation, in order, with a column for each parameter.

        Beside these there are the columns "trial", "value", which is not a number if there is none,
        "status" and "reason", the error of a failed one.
        """
        data = self.client._experiment.lookup_data().df
        values = dict(zip(data["trial_index"], data["mean"], strict=True)) if len(data) else {}
        rows = [
            {
                "trial": index,
                **trial.arms[0].parameters,
                VALUE: values.get(index, math.nan),
                "status": trial.status.name.lower(),
                "reason": trial.status_reason or "",
            }
            for index, trial in self.client._experiment.trials.items()
        ]
        return pd.DataFrame(rows)

    def plot(self) -> go.Figure:
        """Draw the values in the order of evaluation, failures, and the least value so far.

        Returns:
            A figure of plotly: ``.show()`` it, or ``.write_html("minimum.html")``.
        """
        history = self.history
        done = history[history[VALUE].notna()]
        failed = history[history["status"] == "failed"]
        is_log = bool(done[VALUE].min() > 0 and done[VALUE].max() > _WIDE * done[VALUE].min())
        figure = go.Figure()
        figure.add_scatter(
            x=done["trial"], y=done[VALUE], mode="markers", name="evaluation", text=_about(done)
        )
        figure.add_scatter(
            x=done["trial"], y=done[VALUE].cummin(), line_shape="hv", name="least value so far"
        )
        figure.add_scatter(
            x=failed["trial"],
            y=[done[VALUE].max()] * len(failed),
            mode="markers",
            marker_symbol="x",
            name="failed",
            text=failed["reason"],
        )
        figure.update_layout(template="plotly_white", xaxis_title="trial", yaxis_title=VALUE)
        figure.update_yaxes(type="log" if is_log else "linear")
        return figure


def _about(history: pd.DataFrame) -> list[str]:
    """The parameters of each evaluation, as text."""
    points: list[dict[Any, Any]] = history.drop(columns=[*OWN_COLUMNS]).to_dict("records")
    return ["<br>".join(f"{name}: {value}" for name, value in p.items()) for p in points]
