"""What twice the evaluations are worth in tuning, beside each peer.

Every run of a peer is compared with all ten of the default, and with the best of each two or five
of them, which have spent as many times the evaluations. A lead is the share of pairs in which
the default is ahead less the share in which it is behind, with a standard error over problems::

    python docs/examples/tuning_limit.py
"""

from pathlib import Path

import numpy as np
import pandas as pd

RESULTS = Path(__file__).parents[1] / "results"
BUDGETS = ["15", "20", "30", "50"]
OURS = "popbo-optuna"


def leads(ours: pd.DataFrame, peer: pd.DataFrame, runs: int) -> pd.DataFrame:
    """The lead of the best of some runs over a peer's, for each problem and budget."""
    ours = ours[ours["problem"].isin(peer["problem"])]
    best = ours.groupby(["problem", ours["seed"] // runs])[BUDGETS].min()
    pairs = best.reset_index("problem").merge(peer, on="problem", suffixes=(" ours", ""))
    for budget in BUDGETS:
        pairs[budget] = np.sign(pairs[budget] - pairs[f"{budget} ours"])
    return pairs.groupby("problem")[BUDGETS].mean()


def main() -> None:
    """Print the table."""
    runs = pd.read_csv(RESULTS / "tuning.csv").round(9)  # rounding breaks no tie
    is_ours = runs["method"] == OURS
    ours, rows = runs[is_ours], {}
    for name, peer in runs[~is_ours].groupby("method"):
        for number in (1, 2, 5):
            lead = leads(ours, peer, number)
            cells = zip(lead.mean(), lead.sem(), strict=True)
            rows[f"best of {number} over {name}"] = [f"{m:.2f} ± {e:.2f}" for m, e in cells]
    print(pd.DataFrame(rows, index=BUDGETS).T.to_markdown())


if __name__ == "__main__":
    main()
