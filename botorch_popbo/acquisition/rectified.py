"""What ERI and R-LCB share: a random number where the point is not promising."""

import math
from abc import ABC, abstractmethod

import torch
from botorch.utils.types import _DefaultType
from torch import Tensor

from botorch_popbo._seeds import derive_seed
from botorch_popbo.acquisition._point_noise import uniform_from_points
from botorch_popbo.acquisition.base import RankAcquisitionFunction
from botorch_popbo.models.base import RankModel
from botorch_popbo.posteriors.base import RankPosterior


class RectifiedAcquisitionFunction(RankAcquisitionFunction, ABC):
    r"""A function of the rank's law where the point is promising, a random number elsewhere.

    A point is promising while its predicted rank :math:`\lambda(x)` is below ``share * N``. Any
    other point carries a uniform number :math:`\epsilon_x`, a hash of its coordinates and of the
    instance's seed, with gradient zero, so that gradient-based multi-start leaves such starting
    points where they are (equation (7) of Wang et al., 2023). Scale matters: the number only
    competes with values near [0, 1] in rank units. Near a known point the value falls below every
    random one.

    Args:
        model: A fitted model.
        share: Share of the evaluated points that a promising point may rank behind, in (0, 1], the
            paper's :math:`q`; ``None`` rectifies nothing. By default the paper's share for a model
            without uncertainty, and ``None`` for one that explores for its own uncertainty.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the uniform numbers, mixed with the number of evaluated points.
        X_baseline: The evaluated points that could be suggested; see the base class.

    Raises:
        ValueError: If ``share`` is out of range.
    """

    #: The share that the paper sets.
    paper_share: float | None = None

    def __init__(
        self,
        model: RankModel,
        share: float | _DefaultType | None,
        X_pending: Tensor | None = None,
        seed: int = 0,
        X_baseline: Tensor | None = None,
    ) -> None:
        super().__init__(model=model, X_pending=X_pending, X_baseline=X_baseline)
        if isinstance(share, _DefaultType):
            share = None if model.has_uncertainty else self.paper_share
        if share is not None and not 0.0 < share <= 1.0:
            raise ValueError(f"share is one of the evaluated points, in (0, 1], but got {share}.")
        self.share = share
        # Another instance draws other numbers, also when the caller keeps its seed.
        self.seed = derive_seed(seed, len(model.known_X))

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        posterior = self._informed.rank_law(encoded)
        distance = distance.unsqueeze(-1)
        value = self._near_known(self._value(posterior), distance)
        if self.share is not None:
            rectified = posterior.log_rate >= posterior.exposure.log() + math.log(self.share)
            if bool(rectified.any()):
                random = self._random(uniform_from_points(X, self.seed).unsqueeze(-1))
                random = self._near_known(random, distance).detach()
                value = torch.where(rectified, random, value)
        return value.squeeze(-1)

    @abstractmethod
    def _value(self, posterior: RankPosterior) -> Tensor:
        """Value of promising points, of the shape of the posterior, larger being better."""

    @abstractmethod
    def _random(self, uniform: Tensor) -> Tensor:
        """Value of unpromising points from their uniform numbers, larger being better."""

    @abstractmethod
    def _near_known(self, value: Tensor, distance: Tensor) -> Tensor:
        """Lower the value near known points, below every random value at a known point.

        Args:
            value: Values, of the shape of the posterior.
            distance: Distances to the nearest known point, in known radii, of the same shape.
        """
