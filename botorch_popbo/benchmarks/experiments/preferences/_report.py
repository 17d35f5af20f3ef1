"""The report: regrets after some numbers of answers, and their curves."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.figure import Figure

from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.report._text import aligned, estimate, number

if TYPE_CHECKING:
    from botorch_popbo.benchmarks.experiments.preferences._campaign import Preferences


def write_report(campaign: "Preferences") -> None:
    """Print the table and write all files."""
    results = frame(campaign).drop(columns="items")
    text, figure = table(campaign, results), _draw(campaign, results)
    write_files(campaign.output, "preferences", text, results, figure)


def table(campaign: "Preferences", results: pd.DataFrame) -> str:
    """A row for each method on each function, a column for each number of answers."""
    header = "function", "method", *map(str, campaign.answers), "seconds"
    blocks = [list(_rows(campaign, results, name)) for name in campaign.problems]
    ties = f", ties below {campaign.indifference:g}" if campaign.indifference else ""
    note = (
        f"regret after so many answers, noise {campaign.deviation:g}{ties}: mean ± standard error "
        f"over {campaign.seeds} seeds, or as many as in parentheses"
    )
    return "\n".join([*aligned([header], *blocks, right_from=2), note])


def _rows(campaign: "Preferences", results: pd.DataFrame, name: str) -> Iterator[tuple[str, ...]]:
    for method in campaign.methods:
        own = results[(results["function"] == name) & (results["method"] == method)]
        cells = []
        for answers in campaign.answers:
            regrets = own.loc[own["trial"] == answers - 1, "regret"].astype(float)
            seeds = "" if len(regrets) in (0, campaign.seeds) else f" ({len(regrets)})"
            cells.append(estimate(regrets.mean(), regrets.sem()) + seeds)
        yield name, method, *cells, number(own["seconds"].astype(float).median(), ".2g")


def _draw(campaign: "Preferences", results: pd.DataFrame) -> Figure:
    """A panel for each function: mean regrets with bands of one standard error."""
    # Made without pyplot, so that no window system and no global state is involved.
    names = campaign.problems
    figure = Figure(figsize=(5.5 * len(names), 4.2), layout="constrained")
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for panel, name in zip(panels, names, strict=True):
        for method in campaign.methods:
            own = results[(results["function"] == name) & (results["method"] == method)]
            groups = own.astype({"regret": float}).groupby(own["trial"] + 1)["regret"]
            mean, error = groups.mean(), groups.sem().fillna(0.0)
            shade = f"C{list(campaign.registry).index(method)}"
            panel.plot(mean.index, mean, color=shade, label=method)
            panel.fill_between(
                mean.index, mean - error, mean + error, color=shade, alpha=0.18, linewidth=0
            )
        panel.set(title=name, xlabel="answers", ylabel="regret", yscale="log")
        panel.grid(visible=True, alpha=0.3)
    panels[0].legend(frameon=False)
    return figure
