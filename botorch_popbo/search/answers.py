"""Questions of "which of these?", and their answers."""

from typing import Any, SupportsIndex

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo._plain import whole
from botorch_popbo.data.comparisons import from_comparisons
from botorch_popbo.data.order import Order


class Answers:
    """The points that were shown together, and which was chosen.

    Args:
        dim: Number of columns of a point.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._answers: list[tuple[Tensor, int | None]] = []

    def __len__(self) -> int:
        return len(self._answers)

    @property
    def X(self) -> Tensor:  # noqa: N802
        """All points that were shown, in this order, ``n x d`` in double precision."""
        nothing = torch.zeros(0, self._dim, dtype=torch.double)
        return torch.cat([nothing, *(items for items, _ in self._answers)])

    @property
    def last_choice(self) -> Tensor:
        """The point that was chosen last, in a tie the first, of shape ``d``."""
        items, winner = self._answers[-1]
        return items[winner or 0].clone()

    def add(self, items: Tensor, winner: SupportsIndex | None) -> None:
        """Add an answer; for the arguments see :meth:`PreferenceSearch.tell`."""
        if items.ndim != 2 or len(items) < 2 or items.shape[-1] != self._dim:
            raise BotorchTensorDimensionError(
                f"Expected items of shape m x {self._dim} with m >= 2, but got "
                f"{tuple(items.shape)}."
            )
        row = None if winner is None else _row(winner, len(items))
        if not bool(items.isfinite().all()) or len(items.unique(dim=0)) < len(items):
            raise InputDataError("A comparison needs different points with finite values.")
        self._answers.append((items.detach().to("cpu", torch.double, copy=True), row))

    def remove_last(self) -> None:
        """Forget the last answer."""
        self._answers.pop()

    def order(self) -> Order:
        """The chosen point against each of the others; in a tie, the first against each."""
        first = 0
        comparisons: list[tuple[int, int]] = []
        ties: list[tuple[int, int]] = []
        for items, winner in self._answers:
            best = winner or 0
            pairs = [(first + best, first + i) for i in range(len(items)) if i != best]
            (ties if winner is None else comparisons).extend(pairs)
            first += len(items)
        decided, drawn = (
            torch.tensor(p, dtype=torch.long).view(-1, 2) for p in (comparisons, ties)
        )
        return from_comparisons(self.X, decided, drawn)

    def to_json(self) -> list[dict[str, Any]]:
        """What can be written as JSON without loss."""
        return [{"items": items.tolist(), "winner": winner} for items, winner in self._answers]


def _row(winner: SupportsIndex, number: int) -> int:
    row = whole(winner)
    if row is None or not 0 <= row < number:
        raise InputDataError(
            f"winner is a row of items, 0 to {number - 1}, or None for a tie, but got {winner!r}."
        )
    return row
