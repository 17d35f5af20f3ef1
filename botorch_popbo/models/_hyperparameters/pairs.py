"""What is symmetric in two records, once for each pair of them."""

import torch
from torch import Tensor


class Pairs:
    """The ``P = N (N - 1) / 2`` pairs of records.

    Args:
        num_records: Number of records ``N``.
        device: Where tensors are.
    """

    def __init__(self, num_records: int, device: torch.device) -> None:
        self._shape = (num_records, num_records)
        first, second = torch.triu_indices(*self._shape, 1, device=device)
        self._upper = first * num_records + second
        number = len(first)  # also stands for the diagonal, behind all pairs
        place = torch.full(self._shape, number, device=device).reshape(-1)
        place[self._upper] = place[second * num_records + first] = torch.arange(
            number, device=device
        )
        self._place, self.first, self.second = place, first, second

    def of(self, matrix: Tensor) -> Tensor:
        """Entries of a symmetric ``N x N`` tensor, of shape ``P``."""
        return matrix.reshape(-1).index_select(0, self._upper)

    def matrix(self, values: Tensor, diagonal: float) -> Tensor:
        """The symmetric ``N x N`` tensor of such entries.

        Args:
            values: The entries, of shape ``P``.
            diagonal: Value of those on the diagonal.
        """
        entries = torch.cat([values, values.new_full((1,), diagonal)])
        return entries.index_select(0, self._place).reshape(self._shape)
