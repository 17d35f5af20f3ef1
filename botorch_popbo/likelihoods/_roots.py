"""Square roots of the curvature of relations."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Root:
    """A diagonal square root ``R`` of the curvature.

    Attributes:
        own: Its diagonal, of shape ``M``.
    """

    own: Tensor

    def times(self, values: Tensor) -> Tensor:
        """``R`` times a tensor of shape ``M x ...``."""
        return _scale(values, self.own)

    def transposed_times(self, values: Tensor) -> Tensor:
        """The transpose of ``R`` times a tensor of shape ``M x ...``."""
        return _scale(values, self.own)

    def around(self, matrix: Tensor) -> Tensor:
        """The transpose of ``R`` times a symmetric ``M x M`` tensor times ``R``."""
        return torch.outer(self.own, self.own).mul_(matrix)

    def inside(self, matrix: Tensor) -> Tensor:
        """``R`` times a symmetric ``M x M`` tensor times the transpose of ``R``."""
        return torch.outer(self.own, self.own).mul_(matrix)

    def solve(self, values: Tensor) -> Tensor:
        """The inverse of ``R`` times a vector of shape ``M``."""
        return values / self.own

    def transposed_solve(self, values: Tensor) -> Tensor:
        """The inverse transpose of ``R`` times a vector of shape ``M``."""
        return values / self.own

    def left_open(self, inverse: Tensor) -> tuple[Tensor, Tensor]:
        """What the order leaves open of the differences.

        Args:
            inverse: Inverse of ``I + R' G R``, ``M x M``, for a prior covariance ``G``.

        Returns:
            Variances, of shape ``M``, and covariances across intervals, of shape ``p``.
        """
        return (1.0 - inverse.diagonal()) / self.own.square(), self.own[:0]


@dataclass(frozen=True)
class IntervalRoot(Root):
    """A square root of the curvature that is not diagonal for the two sides of an interval.

    Attributes:
        across: Its entries below the diagonal, one for each of ``p`` intervals.
        first: The upper sides of the intervals, of shape ``p``.
        second: Their lower sides, of shape ``p``.
    """

    across: Tensor
    first: Tensor
    second: Tensor

    def times(self, values: Tensor) -> Tensor:
        """See the base class."""
        product = super().times(values)
        product[self.second] += _scale(values[self.first], self.across)
        return product

    def transposed_times(self, values: Tensor) -> Tensor:
        """See the base class."""
        product = super().transposed_times(values)
        product[self.first] += _scale(values[self.second], self.across)
        return product

    def around(self, matrix: Tensor) -> Tensor:
        """See the base class."""
        return self.transposed_times(self.transposed_times(matrix).T)

    def inside(self, matrix: Tensor) -> Tensor:
        """See the base class."""
        return self.times(self.times(matrix).T)

    def solve(self, values: Tensor) -> Tensor:
        """See the base class."""
        solution = super().solve(values)
        shared = self.across * solution[self.first]
        solution[self.second] -= shared / self.own[self.second]
        return solution

    def transposed_solve(self, values: Tensor) -> Tensor:
        """See the base class."""
        solution = super().transposed_solve(values)
        shared = self.across * solution[self.second]
        solution[self.first] -= shared / self.own[self.first]
        return solution

    def left_open(self, inverse: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        first, second = self.first, self.second
        explained = 1.0 - inverse.diagonal()
        own, _ = super().left_open(inverse)
        mixed = -self.across / (self.own[first] * self.own[second])
        both = -inverse[first, second]
        own[first] += (2.0 * both / self.own[first] + mixed * explained[second]) * mixed
        cross = (both / self.own[first] + mixed * explained[second]) / self.own[second]
        return own, cross


def _scale(values: Tensor, factors: Tensor) -> Tensor:
    """Multiply each row by its factor."""
    return values * (factors if values.ndim == 1 else factors.unsqueeze(-1))
