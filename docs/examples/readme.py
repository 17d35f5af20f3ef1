"""The picture of the README, and that of failures in ``docs/when.md``.

They show what these commands have measured, whose folders are the arguments::

    popbo compare hartmann6 hartmann6-outliers --trials 38 --seeds 20 --output RANKS \
        --methods popbo optuna-gp optuna-tpe
    popbo compare branin-failures hartmann6-failures rosenbrock2-failures rosenbrock6-failures \
        --trials 38 --seeds 10 --output FAILURES --methods popbo optuna-gp optuna-tpe random
    python docs/examples/readme.py --ranks RANKS --failures FAILURES

``recount.py`` counts what the README says of the first.
"""

import argparse
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

DOCS = Path(__file__).parents[1]
OPTIMUM = -3.32237  # of Hartmann-6
INITIAL, SUGGESTED = 12, 38
PROBLEMS = {"hartmann6": "Hartmann-6", "hartmann6-outliers": "one outcome in ten is far off"}
FAILING = {
    "branin-failures": "Branin",
    "hartmann6-failures": "Hartmann-6",
    "rosenbrock2-failures": "Rosenbrock-2",
    "rosenbrock6-failures": "Rosenbrock-6",
}
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


def lost(folder: Path) -> pd.DataFrame:
    """Mean number of suggestions that have failed, and its standard error, after each of them."""
    rows = []
    for problem in FAILING:
        for method in (*METHODS, "random"):
            paths = sorted((folder / "records").glob(f"{problem}--{method}--i*--s*.jsonl"))
            each = [[json.loads(line)["observed"] is None for line in p.open()] for p in paths]
            failed = np.cumsum(np.array(each)[:, -SUGGESTED:], axis=1)
            error = failed.std(axis=0, ddof=1) / len(paths) ** 0.5
            for number, pair in enumerate(zip(failed.mean(axis=0), error, strict=True), 1):
                rows.append((problem, method, number, *np.round(pair, 3)))
    return pd.DataFrame(rows, columns=["problem", "method", "suggestions", "failed", "error"])


def draw_lost(table: pd.DataFrame) -> None:
    """A panel for each problem."""
    figure, panels = plt.subplots(
        2, 2, figsize=(7.2, 4.6), sharex=True, sharey=True, layout="constrained"
    )
    for panel, (problem, title) in zip(panels.flat, FAILING.items(), strict=True):
        for method, (label, colour) in (METHODS | {"random": ("random", "#888888")}).items():
            of = table[(table["problem"] == problem) & (table["method"] == method)]
            low, high = of["failed"] - of["error"], of["failed"] + of["error"]
            panel.plot(of["suggestions"], of["failed"], color=colour, label=label)
            panel.fill_between(of["suggestions"], low, high, color=colour, alpha=0.15, lw=0)
        panel.set(title=title, ylim=(0, None))
        panel.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("suggestions", fontsize="medium")
    figure.supylabel("of these failed", fontsize="medium")
    handles = panels[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(DOCS / "failures.png", dpi=110)


def main() -> None:
    """Draw what is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=Path)
    parser.add_argument("--failures", type=Path)
    args = parser.parse_args()
    if args.ranks:
        found = curves(args.ranks)
        found.to_csv(DOCS / "results" / "ranks.csv", index=False)
        draw(found)
    if args.failures:
        found = lost(args.failures)
        found.to_csv(DOCS / "results" / "failures.csv", index=False)
        draw_lost(found)


if __name__ == "__main__":
    main()
