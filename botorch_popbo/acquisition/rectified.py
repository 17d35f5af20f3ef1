"""What the paper's acquisition functions share: rectification and distinct suggestions."""

import math
from abc import ABC, abstractmethod

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.utils.transforms import t_batch_mode_transform
from torch import Tensor

from botorch_popbo.acquisition.point_noise import uniform_from_points
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.posteriors.poisson_rank import PoissonRankPosterior
from botorch_popbo.seeds import derive_seed

# Distance, in the unit cube and per root of the dimension, within which a point is known already.
_KNOWN_RADIUS = 0.02


class RectifiedAcquisitionFunction(AcquisitionFunction, ABC):
    r"""A function of the rank's law where the point is promising, a random number elsewhere.

    A point is promising while its predicted rank :math:`\lambda(x)` is below ``q * N``. Any other
    point carries a uniform number :math:`\epsilon_x`, drawn once per point and instance, with
    gradient zero, so that gradient-based multi-start leaves such starting points where they are
    (equation (7) of Wang et al., 2023). Scale matters: the number only competes with values near
    [0, 1] in rank units.

    Near an evaluated or pending point the value falls smoothly, below every random one: its rank is
    known already, and a rate without epistemic uncertainty would suggest it for ever.

    Args:
        model: A fitted model.
        q: Share of the evaluated points that a promising point may rank behind, in (0, 1].
        X_pending: Points being evaluated, an ``m x d`` tensor; they are not suggested again.
        seed: Seed of the uniform numbers, mixed with the number of evaluated points.

    Raises:
        ValueError: If ``q`` is out of range.
    """

    model: PoissonRankModel
    _known: Tensor

    def __init__(
        self, model: PoissonRankModel, q: float, X_pending: Tensor | None = None, seed: int = 0
    ) -> None:
        super().__init__(model=model)
        if not 0.0 < q <= 1.0:
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
            A ``batch_shape`` tensor in ranks, larger being better.
        """
        encoded = self.model.encode(X)
        posterior = self.model.encoded_rank_posterior(encoded)
        closeness = self._closeness(encoded)
        value = self._value(posterior)
        value = torch.lerp(value, self._known_value(value), closeness)
        rectified = posterior.log_rate >= posterior.exposure.log() + math.log(self.q)
        if bool(rectified.any()):
            random = self._random(uniform_from_points(X, self.seed).unsqueeze(-1))
            random = torch.lerp(random, self._known_value(random), closeness.detach())
            value = torch.where(rectified, random, value)
        return value.squeeze(-1).squeeze(-1)

    def set_X_pending(self, X_pending: Tensor | None = None) -> None:  # noqa: N802
        """Tell which points are being evaluated.

        Args:
            X_pending: An ``m x d`` tensor, or ``None``.
        """
        super().set_X_pending(X_pending)
        known = self.model.rank_counts.X
        if self.X_pending is not None:
            known = torch.cat([known, self.X_pending.to(known)])
        self.register_buffer("_known", self.model.encode(known), persistent=False)

    @abstractmethod
    def _value(self, posterior: PoissonRankPosterior) -> Tensor:
        """Value of promising points, of the shape of the posterior, larger being better."""

    @abstractmethod
    def _random(self, uniform: Tensor) -> Tensor:
        """Value of unpromising points from their uniform numbers, larger being better."""

    @abstractmethod
    def _known_value(self, value: Tensor) -> Tensor:
        """What the value falls to at a known point: below every unpromising point's number."""

    def _closeness(self, encoded: Tensor) -> Tensor:
        """One at known points, falling to zero beyond the known radius; ``batch_shape x 1 x 1``."""
        # The exact mode, for a distance of exactly zero at a known point.
        distance = torch.cdist(
            encoded, self._known, compute_mode="donot_use_mm_for_euclid_dist"
        ).amin(-1, keepdim=True)
        radius = _KNOWN_RADIUS * math.sqrt(self.model.rank_counts.X.shape[-1])
        return torch.exp(-0.5 * (distance / radius).square())
