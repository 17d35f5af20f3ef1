"""An evaluation of a function, and the result of many: without torch, which workers do not load."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from botorch_popbo.space import Space

Direction = Literal["minimize", "maximize"]


@dataclass(frozen=True)
class Evaluation:
    """An evaluation of the function.

    Attributes:
        parameters: What the function was called with.
        status: "completed" or "failed"; in the file also "running".
        value: What it returned; NaN if there is nothing.
        standard_error: What it returned beside; NaN if there is nothing.
        reason: The error of a failed one.
        is_past: Whether it is one of ``start``, which was not evaluated here.
    """

    parameters: dict[str, Any]
    status: str = "running"
    value: float = nan
    standard_error: float = nan
    reason: str = ""
    is_past: bool = False

    def __str__(self) -> str:
        outcome = f"{self.value:.6g}" if self.status == "completed" else self.reason or self.status
        values = ", ".join(
            f"{name} = {value:.6g}" if isinstance(value, float) else f"{name} = {value}"
            for name, value in self.parameters.items()
        )
        return f"{outcome} at {values}"

    def to_json(self) -> dict[str, Any]:
        """How it is written in a file: ``None`` stands for NaN, which is not JSON."""
        is_nan = {name for name in ("value", "standard_error") if isnan(getattr(self, name))}
        return asdict(self) | dict.fromkeys(is_nan)


@dataclass(frozen=True)
class Result:
    """What :func:`minimize` found; ``print`` shows it in three lines.

    For plots there are :func:`~botorch_popbo.optuna.plot_result`, and those of Optuna, which take
    :func:`~botorch_popbo.optuna.study_of` the result.

    Attributes:
        best: The evaluation whose parameters to use, by the model: with noise, one whose neighbours
            vouch for it. It lies in the space, as does the next one.
        best_observed: The evaluation with the best value, which may have been lucky.
        history: All evaluations that have ended, in order, past ones first;
            ``pandas.json_normalize(map(asdict, history))`` makes a table of them.
        direction: "minimize" or "maximize".
        inferred: How the model understood the values, in words; empty if there was no model.
        space: The space.
    """

    best: Evaluation
    best_observed: Evaluation
    history: list[Evaluation]
    direction: Direction
    inferred: str
    space: "Space" = field(repr=False, compare=False)

    def __str__(self) -> str:
        number = Counter(evaluation.status for evaluation in self.history)
        statuses = ", ".join(f"{count} {status}" for status, count in number.items())
        return (
            f"{len(self.history)} evaluations: {statuses}\n"
            f"best           {self.best}\n"
            f"best observed  {self.best_observed}"
        )
