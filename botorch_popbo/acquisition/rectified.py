"""What the rank acquisition functions share: rectification and distinct suggestions."""

import math
from abc import ABC, abstractmethod

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.utils.transforms import t_batch_mode_transform
from botorch.utils.types import _DefaultType
from torch import Tensor

from botorch_popbo.acquisition.known_points import distance_to_known
from botorch_popbo.acquisition.point_noise import uniform_from_points
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.posteriors.rank import RankPosterior
from botorch_popbo.rates.mlp import MLPRate
from botorch_popbo.seeds import derive_seed


class RectifiedAcquisitionFunction(AcquisitionFunction, ABC):
    r"""A function of the rank's law where the point is promising, a random number elsewhere.

    A point is promising while its predicted rank :math:`\lambda(x)` is below ``q * N``. Any other
    point carries a uniform number :math:`\epsilon_x`, drawn once per point and instance, with
    gradient zero, so that gradient-based multi-start leaves such starting points where they are
    (equation (7) of Wang et al., 2023). Scale matters: the number only competes with values near
    [0, 1] in rank units.

    Pending points enter the model as observations at their predicted ranks: it is refitted to the
    enlarged rank counts. Near an evaluated or pending point the value falls smoothly, below every
    random one: its rank is known already, and a rate without epistemic uncertainty would suggest it
    for ever.

    Args:
        model: A fitted model.
        q: Share of the evaluated points that a promising point may rank behind, in (0, 1]; ``None``
            rectifies nothing. By default the paper's share for its network; a Gaussian process,
            which explores for its own uncertainty, and a rate of your own are not rectified.
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the uniform numbers, mixed with the number of evaluated points.

    Raises:
        ValueError: If ``q`` is out of range.
    """

    #: The share that the paper sets.
    paper_q: float | None = None

    model: PoissonRankModel
    _known: Tensor

    def __init__(
        self,
        model: PoissonRankModel,
        q: float | _DefaultType | None,
        X_pending: Tensor | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(model=model)
        if isinstance(q, _DefaultType):
            q = self.paper_q if isinstance(model.rate, MLPRate) else None
        if q is not None and not 0.0 < q <= 1.0:
            raise ValueError(f"q is a share of the evaluated points, in (0, 1], but got {q}.")
        self.q = q
        # Another instance draws other numbers, also when the caller keeps its seed.
        self.seed = derive_seed(seed, len(model.rank_counts))
        self.set_X_pending(X_pending)

    @t_batch_mode_transform(expected_q=1)  # type: ignore[arg-type]  # typed for its base class
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate the acquisition function.

        Args:
            X: Points, a ``batch_shape x 1 x d`` tensor.

        Returns:
            A ``batch_shape`` tensor, larger being better.
        """
        encoded = self._informed.encode(X)
        posterior = self._informed.rate.rank_posterior(encoded)
        distance = distance_to_known(self._informed, encoded, self._known)
        value = self._near_known(self._value(posterior), distance)
        if self.q is not None:
            rectified = posterior.log_rate >= posterior.exposure.log() + math.log(self.q)
            if bool(rectified.any()):
                random = self._random(uniform_from_points(X, self.seed).unsqueeze(-1))
                random = self._near_known(random, distance).detach()
                value = torch.where(rectified, random, value)
        return value.squeeze(-1).squeeze(-1)

    def set_X_pending(self, X_pending: Tensor | None = None) -> None:  # noqa: N802
        """Tell which points are being evaluated.

        Args:
            X_pending: An ``m x d`` tensor, or ``None``.
        """
        super().set_X_pending(X_pending)
        self._informed = self.model
        if self.X_pending is not None and self.X_pending.numel() > 0:
            self._informed = self.model.with_pending(self.X_pending)
        known = self._informed.encode(self._informed.rank_counts.X)
        self.register_buffer("_known", known, persistent=False)

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
