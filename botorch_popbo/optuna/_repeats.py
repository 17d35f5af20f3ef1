"""Points that would be a completed trial once more."""

from collections.abc import Iterable, Sequence

from torch import Tensor


class Repeats:
    """Give points that agree with a trial in all that it asked for the place of that trial.

    What an objective asks for depends on what it was told, so it would ask for the same again.

    Args:
        trials: The point of each trial, of shape ``d``, with the columns that it asked for, at
            least one. Of trials that agree the first counts.
    """

    def __init__(self, trials: Iterable[tuple[Tensor, Sequence[int]]]) -> None:
        self._by_columns: dict[tuple[int, ...], dict[tuple[float, ...], Tensor]] = {}
        for x, columns in trials:
            by_values = self._by_columns.setdefault(tuple(columns), {})
            by_values.setdefault(tuple(x[list(columns)].tolist()), x)

    def __call__(self, X: Tensor) -> Tensor:
        """Points ``n x d``, those that are no repetition as they are."""
        found = X.clone()
        for columns, by_values in self._by_columns.items():
            for row, values in enumerate(map(tuple, X[:, list(columns)].tolist())):
                if values in by_values:
                    found[row] = by_values[values]
        return found
