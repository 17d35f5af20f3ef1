"""A report of a run of ``minimize``: how the chance of anything better fell, and why."""

from ast import literal_eval
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from botorch.exceptions import InputDataError
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from botorch_popbo._errors import UsageError
from botorch_popbo._evaluation import Evaluation
from botorch_popbo._parts import check_summary
from botorch_popbo._saved import RUN, saved
from botorch_popbo.benchmarks.report.files import write_files
from botorch_popbo.minimization import _Run, _Stopping
from botorch_popbo.search.outlook import outlook
from botorch_popbo.search.suggest import Search
from botorch_popbo.settings import Settings
from botorch_popbo.space import Space

_LENGTHS, _LAST = 8, 5  # at how many lengths the chance is stated, and how many sentences there are


def report_run(path: Path) -> int:
    """Print and write a report of a file of ``minimize(path=...)``, into a folder beside it.

    Args:
        path: The file.

    Returns:
        The exit status.

    Raises:
        OSError: If the file cannot be read.
        UsageError: If it holds something else, or its design has not ended.
    """
    run = _read(path)
    chances = _chances(run)
    if chances.empty:
        raise UsageError(f"{path} holds only the initial design, so there is no model yet")
    number, chance, margin = chances.iloc[-1]
    lines = [
        str(run.result()),
        f"after {number:.0f} evaluations there is a {chance:.0%} chance of anything better by "
        f"{margin:.2g}, by the model",
        "",
        *(f"{i:>4} {e}\n     {e.why}" for i, e in [*enumerate(run.ended)][-_LAST:]),
    ]
    folder = path.with_name(f"{path.stem}-report")
    folder.mkdir(exist_ok=True)
    write_files(folder, path.name, "\n".join(lines), chances, _draw(run, chances))
    return 0


def _read(path: Path) -> _Run:
    """The run that a file holds, without what was being evaluated."""
    try:
        with saved(path, *RUN) as content:
            space, settings = Space.read(content["space"]), Settings()
            for name, text in content["settings"].items():
                part, _, field = name.partition(".")
                changed = replace(getattr(settings, part), **{field: literal_eval(text)})
                settings = replace(settings, **{part: changed})
            search = Search(content["seed"], settings, content["n_initial"])
            check_summary(content["parts"])
            stopping = _Stopping(content["parts"], content["resumable"], np.inf, None)
            past = [Evaluation(**row) for row in content["evaluations"] if row["is_past"]]
            run = _Run(space, 1, search, content["direction"], past, None, stopping)
            run.start_digest = content["start"]  # of points to begin with, too
        run._load(path)
        run.new = run.ended
    except InputDataError as error:
        raise UsageError(str(error)) from None
    return run


def _chances(run: _Run) -> pd.DataFrame:
    """The chance after some of the evaluations, as it would have been stated then."""
    every, rows = run.new, []
    for number in range(len(every) + 1):
        run.new = every[:number]
        if run.search.has_model(run.trials):
            lengths = np.linspace(number, len(every), _LENGTHS).round().astype(int)
            break
    else:
        lengths = np.array([], dtype=int)
    for length in np.unique(lengths):
        run.new = every[:length]
        chance, margin, _ = outlook(run.search, run.space, run.trials)
        rows.append((length, chance, margin))
    return pd.DataFrame(rows, columns=["evaluations", "chance", "margin"])


def _draw(run: _Run, chances: pd.DataFrame) -> Figure:
    """The best value, and the chance below it."""
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    above, below = figure.subplots(2, sharex=True)
    values = [e.value if e.status == "completed" else np.nan for e in run.ended]
    best = (np.fmax if run.direction == "maximize" else np.fmin).accumulate(values)
    above.plot(range(1, len(best) + 1), best, drawstyle="steps-post")
    above.set(ylabel="best value so far")
    above.ticklabel_format(axis="y", useOffset=False)
    below.plot(chances["evaluations"], chances["chance"], marker="o")
    below.set(xlabel="evaluations", ylabel="chance of anything better", ylim=(-0.03, 1.03))
    below.yaxis.set_major_formatter(PercentFormatter(1.0))
    below.xaxis.set_major_locator(MaxNLocator(integer=True))
    for panel in (above, below):
        panel.grid(visible=True, alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
    return figure
