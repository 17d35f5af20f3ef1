"""Tables of trials that other libraries export."""

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# How a trial ends in Optuna and in Ax. Another one runs, was abandoned, or was stopped early, so
# that its last value is no outcome.
_COMPLETED, _FAILED = ("COMPLETE", "COMPLETED"), ("FAIL", "FAILED")
# Ax's own columns. All others are metrics and parameters, by their names.
_OF_AX = {"trial_index", "arm_name", "trial_status", "status_reason", "failure_reason"}
_OF_AX |= {"generation_node", "generation_method", "Unnamed: 0"}

#: A column by which a table is recognized; in Optuna and Ax it says how a trial ended.
_MARKS = {"Optuna": "state", "Ax": "trial_status", "scikit-learn": "mean_fit_time"}
#: What the columns of parameters begin with.
PREFIXES = {"Optuna": "params_", "Ax": "", "scikit-learn": "param_"}


def find_export(columns: Collection[object]) -> str | None:
    """The library that names columns like this; ``None`` if they are a user's own."""
    found = (name for name in _MARKS if _MARKS[name] in columns and _parameters(columns, name))
    return next(found, None)


def find_outcome(columns: Collection[object], objective: str) -> tuple[str, bool]:
    """The column of an objective, and whether the table says that larger values are better.

    Where scikit-learn's has no ``"value"``, that is the mean score.
    """
    if find_export(columns) != "scikit-learn":
        return objective, False
    outcome = "mean_test_score" if objective == "value" not in columns else objective
    return outcome, outcome.startswith("mean_test_")


def read_export(table: "pd.DataFrame", outcome: str) -> tuple["pd.DataFrame", list[str], str]:
    """Read a data frame, whoever exported it.

    Args:
        table: The data frame.
        outcome: The column of the outcome.

    Returns:
        The trials that completed or failed, with the index that they had: parameters have their own
        names, and a failed trial has no outcome. The columns that are neither parameters nor the
        outcome. Whose table it is and what is left out, in words. A user's own table is as it was,
        and without words.
    """
    library = find_export(table)
    if library is None:
        return table, [], ""
    state = _states(table, library)
    completed = state.isin(_COMPLETED)
    metrics = _metrics(table, outcome, completed) if library == "Ax" else set()
    columns = [name for name in _parameters(table, library) if name not in {*metrics, outcome}]
    # A trial that failed need not have asked for all parameters.
    kept = completed | state.isin(_FAILED) & table[columns].notna().all(axis=1)
    others = [name for name in table if name not in {*columns, outcome}]
    note = f"a table of {library}; not parameters: {', '.join(others)}"
    if not kept.all():
        left = ", ".join(f"{number} {kind}" for kind, number in state[~kept].value_counts().items())
        note += f"; left out, without an outcome or a parameter: {left}"
    names = {column: column.removeprefix(PREFIXES[library]) for column in columns}
    # A parameter may have the name of the outcome, or of a column that is left out.
    names = {column: name for column, name in names.items() if name != outcome}
    hidden = {*others} & {*names.values()}
    ended = table.assign(**{outcome: table[outcome].where(completed)})[kept]
    read = ended.drop(columns=hidden).rename(columns=names).infer_objects()
    return read, [name for name in others if name not in hidden], note


def _parameters(columns: Collection[object], library: str) -> list[str]:
    """The columns of parameters, and in Ax of metrics."""
    texts = (name for name in columns if isinstance(name, str) and name not in _OF_AX)
    return [name for name in texts if name.startswith(PREFIXES[library])]


def _states(table: "pd.DataFrame", library: str) -> "pd.Series[str]":
    """How each trial ended."""
    if library != "scikit-learn":
        return table[_MARKS[library]]
    # Successive halving scores most points by a part of the data.
    resources = table.assign(all=1)["n_resources" if "n_resources" in table else "all"]
    return (resources == resources.max()).map({True: "COMPLETE", False: "SCORED ON A PART"})


def _metrics(table: "pd.DataFrame", outcome: str, completed: "pd.Series[bool]") -> set[str]:
    """Ax's metrics stand before parameters, and are empty where a trial did not complete."""
    before, after = map(list, (table.loc[:, :outcome], table.loc[:, outcome:]))
    is_metric = table[~completed].isna().any() & table[completed].notna().all()
    # Behind all of Ax's there is one that a user added.
    return {*table.columns[is_metric], *(before if after[1:] else ())}
