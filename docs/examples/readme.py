"""The README's picture.

It shows what this command has measured, whose folder is the argument::

    popbo compare hartmann6 hartmann6-outliers --trials 38 --seeds 20 --output DIR \
        --methods popbo optuna-gp optuna-tpe
    python docs/examples/readme.py DIR

``recount.py`` counts what the README says of it.
"""

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

DOCS = Path(__file__).parents[1]
OPTIMUM = -3.32237  # of Hartmann-6
INITIAL = 12
PROBLEMS = {"hartmann6": "Hartmann-6", "hartmann6-outliers": "one outcome in ten is far off"}
METHODS = {
    "popbo": ("popbo", "#332288"),
    "optuna-gp": ("Optuna's GPSampler", "#CC6677"),
    "optuna-tpe": ("Optuna's TPE", "#117733"),
}


def curves(folder: Path) -> pd.DataFrame:
    """Mean regret of the best point so far, and its standard error, after each evaluation."""
    rows = []
    for problem in PROBLEMS:
        for method in METHODS:
            paths = sorted((folder / "records").glob(f"{problem}--{method}--i{INITIAL}--s*.jsonl"))
            scores = [[json.loads(line)["score"] for line in p.open()] for p in paths]
            regret = np.minimum.accumulate(scores, axis=1)[:, INITIAL - 1 :] - OPTIMUM
            error = regret.std(axis=0, ddof=1) / len(paths) ** 0.5
            for number, pair in enumerate(zip(regret.mean(axis=0), error, strict=True), INITIAL):
                rows.append((problem, method, number, *np.round(pair, 5)))
    return pd.DataFrame(rows, columns=["problem", "method", "evaluations", "regret", "error"])


def draw(table: pd.DataFrame) -> None:
    """A panel for each problem."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 2.6), sharey=True, layout="constrained")
    for panel, (problem, title) in zip(panels, PROBLEMS.items(), strict=True):
        for method, (label, colour) in METHODS.items():
            of = table[(table["problem"] == problem) & (table["method"] == method)]
            low, high = of["regret"] - of["error"], of["regret"] + of["error"]
            panel.plot(of["evaluations"], of["regret"], color=colour, label=label)
            panel.fill_between(of["evaluations"], low, high, color=colour, alpha=0.15, lw=0)
        panel.set(title=title, xlabel="evaluations", ylim=(0, None))
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("distance to the optimum")
    panels[0].legend(frameon=False)
    figure.savefig(DOCS / "ranks.png", dpi=110)


if __name__ == "__main__":
    found = curves(Path(sys.argv[1]))
    found.to_csv(DOCS / "results" / "ranks.csv", index=False)
    draw(found)
