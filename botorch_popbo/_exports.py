"""Tables of trials that other libraries export."""

from collections.abc import Collection
from typing import Any, NamedTuple

# How a trial ends in Optuna and in Ax. Another one runs, was abandoned, or was stopped early, so
# that its last value is no outcome.
_COMPLETED, _FAILED = ("COMPLETE", "COMPLETED"), ("FAIL", "FAILED")
# Ax's own columns. All others are metrics and parameters, by their names.
_OF_AX = {"trial_index", "arm_name", "trial_status", "status_reason", "failure_reason"}
_OF_AX |= {"generation_node", "generation_method", "Unnamed: 0"}


class _Export(NamedTuple):
    """How a library names columns.

    ``mark`` is one by which its tables are recognised; in Optuna and Ax it says how a trial ended.
    Those of parameters begin with ``prefix``.
    """

    library: str
    mark: str
    prefix: str


_OPTUNA = _Export("Optuna", "state", "params_")
_AX = _Export("Ax", "trial_status", "")
_SCIKIT_LEARN = _Export("scikit-learn", "mean_fit_time", "param_")
_EXPORTS = (_OPTUNA, _AX, _SCIKIT_LEARN)
#: What the columns of parameters may begin with.
PREFIXES = [export.prefix for export in _EXPORTS]


def find_export(columns: Collection[Any]) -> _Export | None:
    """The library that names columns like this; ``None`` if they are a user's own."""
    found = (one for one in _EXPORTS if one.mark in columns and _parameters(columns, one))
    return next(found, None)


def find_outcome(columns: Collection[Any], objective: str) -> tuple[str, bool]:
    """The column of an objective, and whether the table tells that larger values are better.

    Where scikit-learn's has no ``"value"``, that is the mean score.
    """
    if find_export(columns) is not _SCIKIT_LEARN:
        return objective, False
    outcome = "mean_test_score" if objective == "value" not in columns else objective
    return outcome, outcome.startswith("mean_test_")


def read_export(table: Any, outcome: str) -> tuple[Any, list[str], str]:
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
    export = find_export(table)
    if export is None:
        return table, [], ""
    state = _states(table, export)
    completed, failed = state.isin(_COMPLETED), state.isin(_FAILED)
    metrics = _metrics(table, outcome, completed) if export is _AX else ()
    columns = [name for name in _parameters(table, export) if name not in (*metrics, outcome)]
    # A trial that failed need not have asked for all parameters.
    kept = completed | failed & table[columns].notna().all(axis=1)
    others = [name for name in table if name not in (*columns, outcome)]
    note = f"a table of {export.library}; no parameters are {', '.join(others)}"
    if not kept.all():
        left = ", ".join(f"{number} {kind}" for kind, number in state[~kept].value_counts().items())
        note += f"; left out are trials without an outcome or a parameter: {left}"
    names = {column: column.removeprefix(export.prefix) for column in columns}
    # A parameter may have the name of the outcome, or of a column that is left out.
    names = {column: name for column, name in names.items() if name != outcome}
    ended = table.assign(**{outcome: table[outcome].where(completed)})[kept]
    read = ended.drop(columns={*others} & {*names.values()}).rename(columns=names)
    return read.infer_objects(), [name for name in others if name not in names.values()], note


def _parameters(columns: Collection[Any], export: _Export) -> list[str]:
    """The columns of parameters, and in Ax of metrics."""
    texts = (name for name in columns if isinstance(name, str) and name not in _OF_AX)
    return [name for name in texts if name.startswith(export.prefix)]


def _states(table: Any, export: _Export) -> Any:
    """How each trial ended."""
    if export is not _SCIKIT_LEARN:
        return table[export.mark]
    states = table.assign(state="COMPLETE")["state"]
    if "n_resources" not in table:
        return states
    # Successive halving scores most points by a part of the data.
    return states.where(table["n_resources"] == table["n_resources"].max(), "SCORED ON A PART")


def _metrics(table: Any, outcome: str, completed: Any) -> set[str]:
    """Ax's metrics stand before parameters, and are empty where a trial did not complete."""
    before, after = map(list, (table.loc[:, :outcome], table.loc[:, outcome:]))
    is_metric = table[~completed].isna().any() & table[completed].notna().all()
    # Behind all of Ax's there is one that a user added.
    return {*table.columns[is_metric], *(before if after[1:] else ())}
