"""Average ranks of a campaign's runs, by the score and on held-out rows, and where they went.

The folder is what the campaign ``tuning`` has written::

    popbo compare --campaign tuning --methods popbo-optuna optuna-gp optuna-tpe random \
        --seeds 3 --output DIR
    python docs/examples/tuning_ranks.py DIR

Counted are the problems and seeds that every method has ended. Of the point with the best score
so far, the loss on rows that no fold holds is computed anew. A lead is the share of runs in which
the first method is ahead less the share in which it is behind, with a standard error.
"""

import argparse
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from botorch_popbo.benchmarks.problems import PROBLEMS

BUDGETS = (15, 20, 30, 50)
DIGITS = 9  # of a score, as rounding breaks no tie


def read(folder: Path) -> pd.DataFrame:
    """A row for each run that ended, with its configurations and scores in order."""
    runs = []
    for path in sorted((folder / "records").glob("*.jsonl")):
        lines = [json.loads(line) for line in path.open()]
        if len(lines) >= max(BUDGETS):
            first = lines[0]
            scores = [np.nan if line["score"] is None else line["score"] for line in lines]
            scores = np.round(scores, DIGITS)
            runs.append(
                {name: first[name] for name in ("problem", "method", "seed", "initial")}
                | {"scores": scores, "points": [line["parameters"] for line in lines]}
            )
    table = pd.DataFrame(runs)
    methods = table["method"].nunique()
    is_whole = table.groupby(["problem", "seed"])["method"].transform("nunique") == methods
    return table[is_whole].reset_index(drop=True)


@cache
def load(problem: str) -> Any:
    """A problem of the lab."""
    return PROBLEMS[problem].load(None)


def bests(run: pd.Series, is_held_out: bool) -> dict[int, float]:
    """The loss of the best point so far after each budget."""
    scores = np.nan_to_num(run["scores"], nan=np.inf)
    best = {budget: int(np.argmin(scores[:budget])) for budget in BUDGETS}
    loss = {trial: scores[trial] for trial in best.values()}
    if is_held_out:  # each is fitted once, for however many budgets it stays the best
        problem = load(run["problem"])
        loss = {one: round(problem.held_out(run["points"][one]), DIGITS) for one in loss}
    return {budget: loss[trial] for budget, trial in best.items()}


def losses(table: pd.DataFrame, is_held_out: bool) -> pd.DataFrame:
    """What each run has after each budget."""
    values = pd.DataFrame([bests(run, is_held_out) for _, run in table.iterrows()])
    values[["problem", "seed", "method"]] = table[["problem", "seed", "method"]]
    return values


def ranks(values: pd.DataFrame, first: str) -> pd.DataFrame:
    """Average rank of each method after each budget, and the lead of the first one."""
    wide = values.pivot(index=["problem", "seed"], columns="method", values=list(BUDGETS))
    rows = {}
    for method in values["method"].unique():
        cells = []
        for budget in BUDGETS:
            rank = wide[budget].rank(axis=1)[method]
            lead = np.sign(wide[budget][method] - wide[budget][first])
            count = len(wide) ** 0.5
            cells += [
                f"{rank.mean():.2f} ± {rank.std() / count:.2f}",
                "" if method == first else f"{lead.mean():.2f} ± {lead.std() / count:.2f}",
            ]
        rows[method] = cells
    columns = [name for budget in BUDGETS for name in (f"rank at {budget}", "lead")]
    return pd.DataFrame(rows, index=columns).T


def limit(scores: pd.DataFrame, held_out: pd.DataFrame) -> pd.DataFrame:
    """By how much the best score of all runs of a problem leads each method, at the end."""
    end = max(BUDGETS)
    winner = scores.groupby("problem")[end].idxmin()
    table = scores[["method"]].copy()
    for name, values in (("score", scores), ("held-out loss", held_out)):
        best = values[end].loc[scores["problem"].map(winner)].to_numpy()
        table[name] = np.sign(values[end] - best)
    return table.groupby("method").agg(["mean", "sem"]).round(2)


def suggestions(table: pd.DataFrame) -> pd.DataFrame:
    """What each suggestion after the design was."""
    rows = []
    for _, run in table.iterrows():
        space, start = load(run["problem"]).space, run["initial"]
        encoded = torch.stack([space.encode(point) for point in run["points"]])
        points, scores = space.to_unit(encoded).numpy(), run["scores"]
        for i in range(start, len(points)):
            before, x = scores[:i], points[i]
            is_near = np.nanmax(np.abs(points[:i] - x), axis=-1) < 0.01
            is_corner = (np.minimum(x, 1.0 - x) < 1e-6).mean() >= 0.5
            row = {
                "repeats": scores[i] in before,
                "near copies": is_near.any(),
                "of one outcome": (is_near & (before == scores[i])).any(),
                "bad corners": is_corner and scores[i] > np.nanmedian(scores[:start]),
                "improve": scores[i] < np.nanmin(before),
            }
            rows.append({"method": run["method"], "problem": run["problem"]} | row)
    return pd.DataFrame(rows)


def shares(suggested: pd.DataFrame, by: str) -> pd.DataFrame:
    """Their shares, and those of near copies and of others that improve on the best."""
    kinds, is_near = suggested.columns[2:], suggested["near copies"]
    found = suggested.groupby(by)[[*kinds]].mean()
    for name, part in (("copies that improve", is_near), ("others", ~is_near)):
        found[name] = suggested[part].groupby(by)["improve"].mean()
    return found.round(3)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", default="popbo-optuna", help="the method whose leads are told")
    arguments = parser.parse_args()
    table = read(arguments.folder)
    print(f"{len(table) // table['method'].nunique()} runs of each method")
    scores, held_out = (losses(table, is_held_out) for is_held_out in (False, True))
    for title, values in (("score", scores), ("held-out loss", held_out)):
        print(f"\nBy {title}\n\n{ranks(values, arguments.first).to_markdown()}")
    print(f"\nLead of the best score of all runs\n\n{limit(scores, held_out).to_markdown()}")
    suggested = suggestions(table)
    own = suggested[suggested["method"] == arguments.first]
    print(f"\nSuggestions, shares\n\n{shares(suggested, 'method').to_markdown()}")
    print(f"\n{shares(own, 'problem').to_markdown()}")


if __name__ == "__main__":
    main()
