"""How methods rank against each other over all problems."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from botorch_popbo.benchmarks.report.summary import Array, Summary, standard_error
from botorch_popbo.benchmarks.report.text import estimate


def comparable(summaries: Sequence[Summary]) -> list[str]:
    """The methods that have a complete run on every problem."""
    first, *others = [[curve.method for curve in s.curves] for s in summaries] or [[]]
    return [method for method in first if all(method in other for other in others)]


def ranks(summary: Summary, methods: Sequence[str], trace: str, entry: int = -1) -> Array:
    """Rank methods on one problem by an entry of a curve's traces, ``seeds x methods``.

    Ties share the mean of their ranks; where nothing has succeeded there is no value, which ranks
    last. Only seeds count that all of these methods completed, and that have some value.
    """
    found = {c.method: pd.Series(getattr(c, trace)[:, entry], c.seeds) for c in summary.curves}
    common = pd.concat({method: found[method] for method in methods}, axis=1, join="inner")
    table = common.dropna(how="all")
    return np.asarray(table.rank(axis=1, ascending=summary.is_loss, na_option="bottom"))


_MILESTONES = (15, 20, 30, 50, 100, 200)
_COLUMNS = ["point", "evaluations", "group", "replications", "method", "rank", "error"]
_TRACES = {"best evaluated": "evaluated", "recommended": "recommended"}


def rank_in_groups(summaries: Sequence[Summary]) -> pd.DataFrame:
    """Rank the methods in each group of problems and over all of them; 1 is the best.

    There is a row for each point (the best one evaluated, the one recommended), number of
    evaluations, group and method: the mean rank over the replications of the group's problems and
    its standard error, after 15, 20, 30, 50, 100 and 200 evaluations, as far as all got, and at the
    end. Only methods with a complete run on every problem are ranked. Nobody is ranked on a single
    problem or alone. Of several suites, each is one group.
    """
    methods, groups = comparable(summaries), _groups(summaries)
    if len(summaries) < 2 or len(methods) < 2:
        return pd.DataFrame(columns=_COLUMNS)
    if all(len(members) == 1 for members in groups.values()):
        groups = {}
    if [*groups.values()] != [[*summaries]]:
        groups["all"] = [*summaries]
    rows: list[tuple[object, ...]] = []
    for (point, trace), evaluations in product(_TRACES.items(), _milestones(summaries)):
        for group, members in groups.items():
            of_each = [ranks(s, methods, trace, evaluations - s.initial) for s in members]
            found = np.concatenate(of_each)
            if len(found):
                estimates = zip(methods, found.mean(axis=0), standard_error(found), strict=True)
                rows += [(point, evaluations, group, len(found), *row) for row in estimates]
    return pd.DataFrame(rows, columns=_COLUMNS)


def group_tables(table: pd.DataFrame) -> str:
    """Tabulate the ranks: a table for each point, a line for each group and method."""
    cells = [estimate(row.rank, row.error, ".2f") for row in table.itertuples()]
    names = ["group", "replications", "method"]
    return "\n\n".join(
        f"average rank ± standard error after so many evaluations, by the {point} point\n"
        + part.pivot(index=names, columns="evaluations", values="cell")
        .reindex(pd.MultiIndex.from_frame(part[names].drop_duplicates()))
        .to_string()
        for point, part in table.assign(cell=cells).groupby("point", sort=False)
    )


def _groups(summaries: Sequence[Summary]) -> dict[str, list[Summary]]:
    """Problems by group, or by suite, the first word of a group's name, if there are several."""
    names = [summary.problem.group for summary in summaries]
    suites = [name.partition(" ")[0] for name in names]
    if len({*suites} - {""}) > 1:
        names = suites
    groups: dict[str, list[Summary]] = {}
    for name, summary in zip(names, summaries, strict=True):
        if name:
            groups.setdefault(name, []).append(summary)
    return groups


def _milestones(summaries: Sequence[Summary]) -> list[int]:
    begin = max(summary.initial for summary in summaries)
    end = min(summary.initial + summary.trials for summary in summaries)
    return sorted(n for n in {*_MILESTONES, end} if begin <= n <= end)
