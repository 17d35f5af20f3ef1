"""The README's picture and its numbers, and the tables there and in ``docs/results.md``.

The picture shows what this command has measured, whose folder is the argument::

    popbo compare hartmann6 hartmann6-outliers --trials 38 --seeds 20 --output DIR \
        --methods popbo optuna-gp optuna-tpe
    python docs/examples/readme.py DIR

The tables are counted from the files in ``docs/results``. Without a folder no picture is made.
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
    "popbo": ("ranks", "#332288"),
    "optuna-gp": ("Optuna's GPSampler", "#CC6677"),
    "optuna-tpe": ("Optuna's TPE", "#117733"),
}
RIVALS = {
    "optuna-gp": "Optuna's `GPSampler`",
    "optuna-tpe": "Optuna's TPE",
    "ax-default": "Ax's default",
    "hebo": "HEBO",
    "popbo-rlcb": "the paper's model (R-LCB)",
}
GROUPS = {
    "branin": "functions",
    "hartmann6": "functions",
    "rosenbrock6": "functions",
    "fcnet-slice": "tables",
    "nasbench201": "tables",
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


def picture() -> list[str]:
    """The sentence of the README that says where the curves end."""
    table = pd.read_csv(DOCS / "results" / "ranks.csv")
    last = table[table["evaluations"] == table["evaluations"].max()]
    found = last.pivot(index="method", columns="problem", values="regret").loc[[*METHODS]]
    ours, gp, tpe = (f"{smooth:.2f} and {outliers:.2f}" for smooth, outliers in found.to_numpy())
    sentence = f"`popbo` ends {ours} from the optimum, `GPSampler` {gp}, TPE {tpe}"
    return [f"After {last['evaluations'].iloc[0]} evaluations {sentence}"]


def ends(file: str) -> pd.DataFrame:
    """The outcome of each run: a row for trials, problem and seed, a column for each method."""
    runs = pd.read_csv(DOCS / "results" / f"{file}.csv")
    return runs.pivot_table("best_evaluated", ["trials", "problem", "seed"], "method")


def fourteen() -> pd.DataFrame:
    """Runs of the headline's problems that the default as it is was measured on."""
    ours = ends("default")
    return ends("headline").drop(columns="popbo").join(ours, how="right")


def comparisons() -> list[str]:
    """In how many runs the default has the better point: the rows of the README's table."""
    best, found = fourteen(), []
    for rival, name in RIVALS.items():
        pairs = best[["popbo", rival]].dropna()
        gains = pairs[rival] - pairs["popbo"]
        early, late = gains.loc[30 - INITIAL], gains.loc[80 - INITIAL]
        shares = [side.mean() for side in (early > 0, late > 0, late == 0, late < 0)]
        found.append(f"| {name} | {len(late)} | {' | '.join(f'{s:.0%}' for s in shares)} |")
    return found


def group(problem: str) -> str:
    """The column of a problem in the table of fourteen."""
    return GROUPS.get(problem, "COCO" if problem.startswith("bbob") else "hard")


def ranks() -> list[str]:
    """Average ranks: rows of the tables in ``docs/results.md``."""
    usual = ["popbo", "optuna-gp", "optuna-tpe", "cmaes", "random"]
    peers = ["popbo", "ax-default", *usual[1:3], "popbo-rlcb", "botorch-gp", "random"]
    ranked = fourteen()[peers].rank(axis=1)
    late = ranked.loc[80 - INITIAL]
    grouped = late.groupby(late.index.get_level_values("problem").map(group)).mean()
    grouped = grouped.loc[["functions", "hard", "COCO", "tables"]]
    coco = ends("coco").loc[200 - 20, usual].rank(axis=1)
    tuning = pd.read_csv(DOCS / "results" / "tuning.csv").set_index(["problem", "seed", "method"])
    tuning = tuning.round(9)  # rounding breaks no tie
    unseen = ends("botorch_functions")[usual].rank(axis=1)
    tables = (
        pd.concat([ranked.groupby("trials").mean(), grouped]).T,
        unseen.mean().to_frame("BoTorch | 80").T,
        coco.mean().to_frame("COCO | 200").T,
        tuning.groupby(["problem", "seed"]).rank().groupby("method").mean(),
    )
    return [row for table in tables for row in _markdown(table)]


def _markdown(means: pd.DataFrame) -> list[str]:
    """The rows of a table of mean ranks."""
    cells = means.round(9).map("{:.2f}".format)  # a half is rounded alike on all machines
    return [f"| {name} | {' | '.join(row)} |" for name, *row in cells.itertuples()]


if __name__ == "__main__":
    if sys.argv[1:]:
        found = curves(Path(sys.argv[1]))
        found.to_csv(DOCS / "results" / "ranks.csv", index=False)
        draw(found)
    print(*picture(), *comparisons(), *ranks(), sep="\n")
