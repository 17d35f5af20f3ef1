"""How utilities follow from outcomes: a smooth warp, and how far it is believed."""

import math

import torch
from gpytorch.module import Module
from gpytorch.priors import NormalPrior
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.terms import Distances
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._raw_parameters import register_raw
from botorch_popbo.settings import ModelSettings


class Warp(Module):
    r"""A monotone function from outcomes to utilities.

    The utilities of neighbours in a ranking are apart by :math:`d = g\, e^{-w}\, \gamma`, where
    :math:`g` is the gap of their outcomes, :math:`w` a polynomial of their place and :math:`\gamma`
    a gamma variable of mean one and shape ``concentration``. Where that is small the order alone is
    heard; where it is large this is a Gaussian process of warped outcomes.

    Args:
        settings: Priors and limits.
    """

    raw_slope: Parameter
    raw_concentration: Parameter

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__()
        self._log_gap_limits = settings.log_gap_limits
        for name, laws, limits in (
            ("slope", settings.warp, settings.warp_limits),
            ("concentration", [settings.concentration], settings.concentration_limits),
        ):
            loc, scale = torch.tensor(laws, dtype=torch.double).T
            register_raw(self, name, limits, NormalPrior(loc, scale))

    def measured(
        self, records: Observations, comparisons: Comparisons
    ) -> tuple[Tensor, Tensor] | None:
        """The gaps of neighbouring outcomes, and where in the ranking they are.

        Returns:
            Logarithms of the gaps of the comparisons, of shape ``M`` and NaN where none was
            measured; and Hermite polynomials of the place, a normal score, ``M x 3``. ``None`` if
            none was measured at all.
        """
        gap = records.outcome[comparisons.better] - records.outcome[comparisons.worse]
        log_gap, (least, largest) = gap.log(), self._log_gap_limits  # NaN of what is no gap
        is_known = (log_gap > least) & (log_gap < largest)
        is_known &= ~comparisons.is_side & ~comparisons.is_answer
        if not bool(is_known.any()):
            return None
        place = 0.5 * (records.start[comparisons.better] + records.start[comparisons.worse])
        basis = torch.stack([torch.ones_like(place), place, place.square() - 1.0], dim=-1)
        return log_gap.where(is_known, torch.nan), basis

    @property
    def inferred(self) -> str:
        """How far distances are believed, and where they are worth more, in words."""
        factor = torch.exp(torch.exp(-0.5 * self.raw_concentration))
        # A deviation of the utility above the middle, and one below: the even terms cancel.
        ratio = math.exp(2.0 * float(self.raw_slope[1]))
        where = "best" if ratio < 1.0 else "worst"
        return (
            f"Distances of outcomes are believed up to a factor of {float(factor):.2g}; one among "
            f"the {where} is worth {max(ratio, 1.0 / ratio):.2g} times as much as one among the "
            "others."
        )

    @property
    def concentration(self) -> Tensor:
        """How far distances are believed, a scalar tensor."""
        return self.raw_concentration.exp().squeeze()

    def distances(self, log_gap: Tensor, basis: Tensor) -> Distances:
        """What the gaps of outcomes, as :meth:`measured`, say of those of utilities."""
        return Distances(log_gap - basis @ self.raw_slope.to(basis), self.concentration)
