"""Recount the numbers of the README and of the results from the CSV files beside them.

``python docs/examples/recount.py`` prints what a page should say and does not, and then ends with
1. With ``--print`` it prints all that it counts.

Not counted, as their runs are in no file: losses on held-out rows, the accuracy of inference,
seconds and interviews. The tables of parts are printed by ``popbo report``.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise as neighbours
from pathlib import Path

import numpy as np
import pandas as pd
from ablation import CASES

DOCS = Path(__file__).parents[1]
MINUS = "\N{MINUS SIGN}"
NAMES = {
    "optuna-gp": "Optuna's `GPSampler`",
    "optuna-tpe": "Optuna's TPE",
    "ax-default": "Ax's default",
    "hebo": "HEBO",
    "smac3": "SMAC3",
    "botorch-gp": "BoTorch's `SingleTaskGP`",
    "popbo-rlcb": "the paper's model (R-LCB)",
    "random": "random points",
    "Ax": "Ax's default",
    "GP, log EI": "BoTorch's `SingleTaskGP`",
    "paper, R-LCB": "the paper's R-LCB",
    "paper, ERI": "the paper's ERI",
    "branin": "Branin",
    "hartmann6": "Hartmann-6",
    "rosenbrock6": "Rosenbrock-6",
    "fcnet-naval": "FCNet naval",
    "fcnet-parkinsons": "FCNet parkinsons",
    "fcnet-protein": "FCNet protein",
    "fcnet-slice": "FCNet slice",
    "nasbench201": "NAS-Bench-201",
    "less exploration": "half of the deviation",
    "earlier inference": "today's inference",
}
# What the fourteen problems are kin to, where that is not themselves.
FUNCTIONS = ("branin", "hartmann6", "rosenbrock6")
# Problems that the default was not chosen on; others were not by their instance of COCO.
UNSEEN = ("branin-distorted", "rosenbrock6-failures")
WAYS = {
    "10% outliers": "outliers",
    "30% outliers": "outliers-30",
    "20% fail": "random-20",
    "30% fail": "random",
    "50% fail": "random-50",
    "the nearest 20% fail": "near-20",
    "the nearest 50% fail": "near-50",
}
CONSTRAINTS = ("g4", "g6", "g9", "tension-string", "truss", "welded-beam")


def kin(problem: str) -> str:
    """The family of a problem: a function and its noisy versions, an estimator on two data sets."""
    if problem.startswith("tuning-"):
        return problem.rpartition("-")[0]
    return next((name for name in FUNCTIONS if problem.startswith(name)), problem)


def read(file: str) -> pd.DataFrame:
    """A file of results."""
    return pd.read_csv(DOCS / "results" / f"{file}.csv")


def wide(table: pd.DataFrame, value: str) -> pd.DataFrame:
    """A row for each problem and seed, a column for each method; smaller is better."""
    return table.pivot_table(value, ["problem", "seed"], "method")


def columns(file: str, decimals: int = 12) -> Callable[[int], pd.DataFrame]:
    """A file with a column for each number of evaluations.

    Values are rounded, to six digits and so many decimals, as are those of the oldest runs: what is
    equal then is level. Where nothing feasible was found the cell is empty, and as bad as can be.
    """
    rows = read(file)

    def table(evaluations: int) -> pd.DataFrame:
        budget = str(evaluations)
        values = rows[budget].fillna(np.inf).map("{:.6g}".format).astype(float).round(decimals)
        return wide(rows.assign(**{budget: values}), budget)

    return table


fourteen = columns("headline")


def goals(is_constrained: bool) -> Callable[[int], pd.DataFrame]:
    """Designs under constraints, or fronts by their negative hypervolume."""
    both = columns("goals")

    def table(evaluations: int) -> pd.DataFrame:
        found = both(evaluations)
        return found[found.index.isin(CONSTRAINTS, level="problem") == is_constrained]

    return table


def ax(evaluations: int) -> pd.DataFrame:
    """Ax's own benchmark."""
    return wide(read("ax_benchmark"), {20: "early", 30: "left"}[evaluations])


def signs(found: pd.DataFrame, first: str, rival: str) -> pd.Series:
    """1 for each run in which the first is better, -1 where it is worse, and 0."""
    pairs = found[[first, rival]].dropna()
    return pairs.gt(pairs[first], axis=0)[rival] * 1.0 - pairs.lt(pairs[first], axis=0)[rival]


def shares(sign: pd.Series) -> list[float]:
    """The shares of runs that are better, level and worse."""
    return [(sign == value).mean() for value in (1, 0, -1)]


def decimals(value: float) -> str:
    """Two decimals, without a zero before the point and with a proper minus."""
    return f"{value:.2f}".replace("0.", ".", 1).replace("-", MINUS)


def digits(value: float, number: int) -> str:
    """So many significant digits, without a power of ten where there are hundreds."""
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.{number}g}"


def lead(sign: pd.Series, family: Callable[[str], str] = kin) -> str:
    """Better less worse: the mean over families and its standard error."""
    families = sign.groupby(sign.index.get_level_values("problem").map(family)).mean()
    return f"{decimals(families.mean())} ± {decimals(families.sem())}"


def ratio(found: pd.DataFrame, best: pd.Series, first: str, rival: str) -> str:
    """Mean regrets of the first over those of a rival, from the best of all: the middle problem."""
    means = found[[first, rival]].dropna().groupby("problem").mean().sub(best, axis=0)
    return decimals((means[first] / means[rival]).fillna(1.0).median())  # both have the best


def leads(
    table: Callable[[int], pd.DataFrame],
    first: str,
    rivals: Sequence[str],
    budgets: Sequence[int],
) -> Iterable[str]:
    """Rows of a table: shares in per cent, the lead over a rival and regrets, after each budget."""
    best = table(budgets[-1]).groupby("problem").min().min(axis=1)
    for rival in rivals:
        cells = [NAMES[rival]]
        for found in map(table, budgets):
            sign = signs(found, first, rival)
            percent = "/".join(f"{100 * share:.0f}" for share in shares(sign))
            cells += [percent, lead(sign), ratio(found, best, first, rival)]
        yield f"| {' | '.join([cells[0], str(len(sign)), *cells[1:]])} |"


def beside_a_gp() -> Iterable[str]:
    """What the grids' page says of a Gaussian process, which ran with one seed."""
    found = columns("grids")(100)
    yield f"ahead of `SingleTaskGP` by {lead(signs(found, 'popbo', 'botorch-gp'))}"


def readme() -> Iterable[str]:
    """The rows of the README's table, and what it says of its picture."""
    for rival in ("optuna-gp", "optuna-tpe", "ax-default", "hebo", "popbo-rlcb"):
        early, late = (signs(fourteen(budget), "popbo", rival) for budget in (30, 80))
        names = late.index.get_level_values("problem")
        unseen = late[names.isin(UNSEEN) | names.str.startswith("bbob")]
        values = [(early > 0).mean(), *shares(late), (unseen > 0).mean()]
        cells = " | ".join(f"{value:.0%}" for value in values)
        yield f"| {NAMES[rival]} | {len(late)} | {cells} |"
    table = read("ranks")
    last = table[table["evaluations"] == table["evaluations"].max()]
    regret = last.pivot(index="method", columns="problem", values="regret")
    left, right = regret.loc[["popbo", "optuna-gp", "optuna-tpe"]].to_numpy().T
    yield f"`popbo` is {left[0]:.2f} (left) and {right[0]:.2f} (right) from the optimum"
    yield f"`GPSampler` {left[1]:.2f} and {right[1]:.2f}, and TPE {left[2]:.2f} and {right[2]:.2f}"


def pairwise() -> Iterable[str]:
    """Beside ``PairwiseGP``: means of each model, and the lead of ours on the same seeds."""
    for file, run, measure in (
        ("preference_bo", "search", "best"),
        ("bope", "explore", "best mean"),
    ):
        table = read(file)
        table = table[(table["run"] == run) & (table["measure"] == measure)]
        for pairs, part in table[table["pairs"] > 1].groupby("pairs"):
            values = part.pivot(index="seed", columns="model", values="value")
            both = values[["RankingGP", "PairwiseGP"]].dropna()
            gain = both["RankingGP"] - both["PairwiseGP"]
            means = [
                f"{x.mean():.2f} ± {x.sem():.2f}"
                for x in (both["RankingGP"], both["PairwiseGP"], gain)
            ]
            yield f"| {run}, {measure} | {pairs} | {' | '.join(means)} |".replace("-", MINUS)


def mechanisms() -> Iterable[str]:
    """Leads of the default over itself without a mechanism, and over its earlier inference."""
    families = {name: case.family for name, case in CASES.items()}
    now, before = read("ablation_inference"), read("ablation")
    before = before[before["mechanism"] == "whole"].assign(mechanism="earlier inference")
    runs = pd.concat([now, before]).rename(columns={"mechanism": "method"})
    tables = [wide(runs, f"after {budget}") for budget in (20, 40, 60)]
    for name in ("distances", "rough part", "less exploration", "earlier inference"):
        cells = [lead(signs(table, "whole", name), families.__getitem__) for table in tables]
        yield f"| {NAMES.get(name, name)} | {' | '.join(cells)} |"


def calibration() -> Iterable[str]:
    """How many new outcomes have their rank in central intervals, least and most often."""
    shares = (
        read("rank_calibration").groupby(["dim", "num_points", "variance"]).mean(numeric_only=True)
    )
    ranges = [
        f"{100 * share.min():.0f} to {100 * share.max():.0f}"
        for share in (shares[f"outcome {level}"] for level in ("50%", "80%", "95%"))
    ]
    yield f"{ranges[0]}, {ranges[1]} and {ranges[2]}% of new outcomes"


def paper() -> Iterable[str]:
    """Regrets of the paper's model on its functions and tables, ten seeds."""
    for file in ("paper_functions", "paper_hpobench", "paper_nasbench201"):
        table = read(file)
        for problem, part in table[table["trials"] == 80].groupby("problem"):
            found = part.pivot_table("result", "seed", "method")
            cells = [
                f"{digits(found[method].mean(), 3)} ± {digits(found[method].sem(), 2)}"
                for method in ("popbo-rlcb", "popbo-eri", "hyperopt-tpe", "random")
            ]
            yield f"| {NAMES.get(problem, problem)} | {' | '.join(cells)} |"


def regrets(file: str, query: str = "seed >= 0") -> Callable[[int], pd.DataFrame]:
    """Regrets among candidates, rounded as those of the oldest runs."""
    rows = read(file).query(query).rename(columns={"table": "problem"})
    return lambda budget: wide(rows, f"regret {budget}").round(6)


def among(
    table: Callable[[int], pd.DataFrame], budgets: Sequence[int], family: Callable[[str], str] = str
) -> Iterable[str]:
    """Rows of a table of candidates: shares, the lead, and the ratio of mean regrets."""
    for rival in table(budgets[0]).columns.drop("popbo"):
        cells = [rival]
        for budget in budgets:
            pairs = table(budget)[["popbo", rival]].dropna()
            sign = signs(pairs, "popbo", rival)
            percent = "/".join(f"{100 * share:.0f}" for share in shares(sign))
            ratio = pairs["popbo"].mean() / pairs[rival].mean()
            cells += [percent, lead(sign, family), decimals(ratio)]
        yield f"| {' | '.join(cells)} |"


def space_of(pool: str) -> str:
    """The search space of a pool."""
    return pool.partition("_")[0]


def dirty() -> Iterable[str]:
    """Where outcomes are not as they should be: what is kept of clean progress, failures, leads."""
    runs, means = read("pools_dirty"), regrets("pools", "seed == 0")(50).mean()
    clean = means["random"] - means["popbo"]
    for name, way in WAYS.items():
        found = regrets("pools_dirty", f"failing == '{way}'")(50)
        kept = (found["random"] - found["popbo"]).mean() / clean
        failed = runs[runs["failing"] == way].groupby("method")["failed"].mean()
        cells = [name, decimals(kept)]
        cells += [f"{failed[method]:.1f}" for method in ("popbo", "optuna-tpe", "random")]
        for rival in ("optuna-tpe", "random", "gp"):
            is_run = rival in found
            cells += [lead(signs(found, "popbo", rival), space_of) if is_run else "\N{EN DASH}"]
        yield f"| {' | '.join(cells)} |"


def reactions() -> Iterable[str]:
    """Mean regrets on two reactions after each budget, in per cent of the range."""
    runs = read("reactions").groupby(["table", "method"])[["regret 20", "regret 50", "regret 100"]]
    means = 100.0 * runs.mean()
    for method in ("popbo", "gp", "optuna-tpe", "forest", "random"):
        found = [means.loc[name, method] for name in ("buchwald_hartwig", "suzuki_miyaura")]
        cells = ("/".join(f"{value:.1f}" for value in values) for values in found)
        yield f"| {method} | {' | '.join(cells)} |"


def used() -> Iterable[str]:
    """How many candidates of a pool are better than the one a method ends with, in per cent."""
    means = read("pools").groupby("method")[["recommended", "luckiest"]].mean()
    ours, best = means.loc["popbo"]
    tpe, chance = means.loc[["optuna-tpe", "random"], "luckiest"]
    yield f"{ours:.2f}% of the candidates are better than the recommended one"
    yield f"{best:.2f}% than the best observed one (TPE {tpe:.2f}%, random {chance:.2f}%)"


def laboratory() -> Iterable[str]:
    """Experiments until one of the best percent is tried, on five tables."""
    runs = read("notebook").groupby(["method", "table"])["to the best percent"]
    for method, row in runs.agg(["mean", "sem"]).groupby("method"):
        each = (f"{m:.1f} ± {e:.1f}" if e else f"{m:.0f} ± 0" for m, e in row.to_numpy())
        yield f"| {method}{', three seeds' * (method == 'bofire')} | {' | '.join(each)} |"
    yield from among(regrets("notebook"), (20,))


def stopping() -> Iterable[str]:
    """Chances beside what was found, and what rules spend and lose."""
    table = read("stopping")
    early = table[table["evaluations"] <= 40]
    for low, high in neighbours((0.0, 0.02, 0.1, 0.35, 0.65, 0.9, 1.01)):
        chosen = early[(early["chance"] >= low) & (early["chance"] < high)]
        is_tuning = chosen["problem"].str.startswith("tuning")
        known, tuned = chosen[~is_tuning], chosen[is_tuning]
        stated = f"{known['chance'].mean():.3f}"[1:]
        shares = map(decimals, (known["found"].mean(), known["there"].mean()))
        cells = [str(len(known)), stated, *shares, str(len(tuned)), decimals(tuned["found"].mean())]
        yield f"| {' | '.join(cells)} |"
    asked = table[table["Ax"].notna()]
    rules: dict[str, pd.Series] = {n: asked[n] == 1 for n in table.columns[-4:]}
    rules |= {
        f"chance of {decimals(p).rstrip('0')}": asked["chance"] <= p for p in (0.05, 0.2, 0.5)
    }
    is_last = asked["evaluations"] == asked["evaluations"].max()
    ends = {
        name: asked[is_over | is_last].groupby(["problem", "seed"]).first()
        for name, is_over in rules.items()
    }
    ours = ends["chance of .5"]["evaluations"]
    for name, end in ends.items():
        more = ((end["evaluations"] - ours) / 100).groupby("problem").mean()
        spent, over = (end["evaluations"].mean() / 100, (end["lost"] > 0.02).mean())
        cells = [decimals(spent), f"{end['lost'].mean():.3f}"[1:], decimals(over)]
        cells += [f"{decimals(more.mean())} ± {decimals(more.sem())}" if more.any() else "0"]
        yield f"| {name} | {' | '.join(cells)} |"


def failures() -> Iterable[str]:
    """How many of 38 suggestions fail."""
    table = read("failures")
    last = table[table["suggestions"] == table["suggestions"].max()]
    means = last.groupby("method")["failed"].mean()
    ours, gp, tpe, chance = means[["popbo", "optuna-gp", "optuna-tpe", "random"]]
    yield f"{ours:.1f} failed with `popbo`, {tpe:.1f} with TPE, {gp:.1f} with `GPSampler`"
    yield f"{chance:.1f} with random search"


def pages() -> dict[str, list[str]]:
    """What each page should say."""
    optuna, peers = ["optuna-gp", "optuna-tpe"], ["hebo", "ax-default", "smac3"]
    others = ["optuna-gp", "ax-default"]
    many = [*optuna, "ax-default", "botorch-gp", "hebo", "smac3", "popbo-rlcb", "random"]
    tuning, functions = columns("tuning"), columns("functions", 6)
    papers = ["Ax", "GP, log EI", "paper, R-LCB", "paper, ERI"]
    return {
        "README.md": [*readme()],
        "docs/results.md": [
            *leads(fourteen, "popbo", many, (30, 80)),
            *leads(functions, "popbo-untold", others, (20, 50)),
        ],
        "docs/results/tuning.md": [
            *leads(tuning, "popbo-optuna", [*optuna, "random"], (30, 50)),
            *leads(tuning, "popbo-optuna", peers, (30, 50)),
        ],
        "docs/results/goals.md": [
            *leads(goals(True), "popbo-optuna", others, (20, 40)),
            *leads(goals(False), "popbo-optuna", others, (20, 40)),
            *leads(ax, "default", papers, (20, 30)),
        ],
        "docs/results/judges.md": [*pairwise()],
        "docs/results/default.md": [*mechanisms(), *calibration()],
        "docs/results/experiments.md": [*paper()],
        "docs/results/notebook.md": [*laboratory()],
        "docs/results/pools.md": [
            *among(regrets("pools"), (20, 50, 100), space_of),
            *used(),
            *reactions(),
            *leads(columns("grids"), "popbo", optuna, (20, 50, 100)),
            *beside_a_gp(),
            *dirty(),
        ],
        "docs/results/stopping.md": [*stopping()],
        "docs/when.md": [*failures()],
    }


def missing(page: str, rows: Iterable[str]) -> list[str]:
    """The rows that a page lacks."""
    text = " ".join((DOCS.parent / page).read_text().replace("**", "").split())  # the best
    return [row for row in rows if row not in text]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print", action="store_true", help="print all rows")
    counted, lacking = pages(), False
    is_shown = parser.parse_args().print
    for page, rows in counted.items():
        shown = rows if is_shown else missing(page, rows)
        lacking |= bool(missing(page, rows))
        print(*shown, sep="\n", end="\n" if shown else "")
    sys.exit(lacking)
