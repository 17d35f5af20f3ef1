"""What the acquisition functions of a rank model share: pending, known and feasible points."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import cast

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.models.model import Model
from botorch.utils.transforms import t_batch_mode_transform
from torch import Tensor
from torch.nn import ModuleList

from botorch_popbo.acquisition._slack_constraint import SlackConstraint
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models.outliers import near_radius
from botorch_popbo.models.rank_model import RankModel
from botorch_popbo.models.ranking_gp import RankingGP

#: Known radii, beyond which nothing is left of being near, not even a slope that is no number.
_FAR = 1e3


class RankAcquisitionFunction(AcquisitionFunction, ABC):
    """A function of a rank model that never suggests a known point again.

    A surprise of the model is followed first: the value falls with the distance from it. Only a
    model with uncertainty has one, and then every value is a logarithm.
    Pending points enter the model as if they had turned out as expected; see
    :meth:`~botorch_popbo.RankModel.with_pending`. Near an evaluated or pending point the
    value falls smoothly: what is there is known already. The log-probability that constraints are
    satisfied is added.

    A subclass ends its constructor with ``self.set_X_pending(X_pending)``.

    Args:
        model: A fitted model.
        X_baseline: The evaluated points that could be suggested, an ``n x d`` tensor: one of them
            is to be improved on, and they are not suggested again. By default, and where it holds
            no evaluated point, these are all. The model has learned from the others, too.
        slack_models: Fitted models of the constraints' slacks, whose outcomes are at least
            zero where a constraint is satisfied.

    Raises:
        BotorchTensorDimensionError: If points have another shape.
        InputDataError: If they hold NaN or infinite values.
        UnsupportedError: If the model is not one of ours, or has no uncertainty where that is
            needed, as it is of every slack.
    """

    _needs_uncertainty = False
    _reach = 0.0

    model: RankModel
    _known: Tensor
    _is_baseline: Tensor
    _followed: Tensor

    def __init__(
        self,
        model: RankModel,
        X_baseline: Tensor | None = None,
        slack_models: Sequence[RankingGP] = (),
    ) -> None:
        check_model(model, self._needs_uncertainty)
        for slack_model in slack_models:
            check_model(slack_model, needs_uncertainty=True)
        super().__init__(model=model)
        self.objectives: Sequence[RankModel] = [model]
        self.slack_models = cast(list[RankingGP], ModuleList(slack_models))
        self._known_radius = model.known_radius
        self.register_buffer("_is_baseline", find_baseline(model, X_baseline), persistent=False)

    @t_batch_mode_transform()  # type: ignore[arg-type]  # typed for its base class
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate the acquisition function.

        Args:
            X: Points, a ``batch_shape x 1 x d`` tensor. To choose several, choose one at a time,
                with those before it pending.

        Returns:
            A ``batch_shape`` tensor in the dtype of the model, larger being better.

        Raises:
            UnsupportedError: If ``q`` is not 1.
        """
        if X.shape[-2] != 1:
            raise UnsupportedError(
                "Choose points one by one: optimize_acqf(..., sequential=True), or with q=1 and "
                "those before in set_X_pending."
            )
        X = X.to(self._known.dtype)
        encoded = self._informed.encode(X)
        radius = float(self._known_radius * X.shape[-1] ** 0.5)
        value = self._evaluate(X, encoded, distance_to_known(encoded, self._known, radius))
        if len(self._followed):
            away = torch.linalg.vector_norm(encoded - self._followed, dim=-1)
            # Half as far as what is near, since a copy would tell nothing.
            value = value - 0.5 * (4.0 * away / self._reach - 2.0).square()
        for constraint in self._constraints:
            value = value + constraint(X)
        return value.squeeze(-1)

    @abstractmethod
    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        """Evaluate the acquisition function but for the constraints.

        Args:
            X: Points, a ``batch_shape x 1 x d`` tensor.
            encoded: The same points as the model sees them, ``batch_shape x 1 x d'``.
            distance: Distances to the nearest known point, in known radii, ``batch_shape x 1``.

        Returns:
            A ``batch_shape x 1`` tensor.
        """

    # BoTorch's set_X_pending assigns it, and so do functions that wrap another.
    @property  # type: ignore[override]  # theirs may be None, too
    def X_pending(self) -> Tensor | None:  # noqa: N802
        """The points being evaluated, an ``m x d`` tensor, or ``None``.

        Raises:
            BotorchTensorDimensionError: If it is set to a tensor of another shape.
            InputDataError: If it is set to NaN or infinite values.
        """
        return self._X_pending

    @X_pending.setter
    def X_pending(self, X_pending: Tensor | None) -> None:  # noqa: N802
        if X_pending is not None:
            check_points(X_pending, self.model.dim, "X_pending")
        self._X_pending = X_pending
        self._prepare()

    def _prepare(self) -> None:
        """Prepare what depends on the points being evaluated."""
        self._informed = self.model.with_pending(self.X_pending)
        known = self._informed.encode(self._informed.known_X[self._is_eligible])
        self.register_buffer("_known", known, persistent=False)
        constraints = (SlackConstraint(slack, self.X_pending) for slack in self.slack_models)
        self._constraints = cast(list[SlackConstraint], ModuleList(constraints))
        self.register_buffer("_followed", self._find_followed(), persistent=False)

    def _find_followed(self) -> Tensor:
        """A model's surprise that may be suggested and nobody is near yet, encoded, ``n x d'``."""
        surprise = torch.cat([model.surprise.to(self.model.known_X) for model in self.objectives])
        known = self.model.known_X
        eligible = known[self._is_baseline & self.satisfies_all(known)]
        followed = self.model.encode(surprise[is_row_of(surprise, eligible)])
        if not len(followed):
            return followed
        # No other model has a surprise.
        self._reach = near_radius(self.model.encode(known), cast(RankingGP, self.model).settings)
        if self.X_pending is not None:
            pending = self._informed.encode(self.X_pending)
            followed = followed[(torch.cdist(followed, pending) > self._reach).all(-1)]
        return followed[:1]

    def follows(self, encoded: Tensor) -> bool:
        """Whether one of some encoded points ``n x d'`` is near the surprise that is followed."""
        return bool((torch.cdist(encoded, self._followed) <= self._reach).any())

    @property
    def _is_eligible(self) -> Tensor:
        """Which known points are of the baseline or pending, one value for each of them."""
        num_pending = len(self._informed.known_X) - len(self._is_baseline)
        return torch.cat([self._is_baseline, self._is_baseline.new_ones(num_pending)])

    @property
    def recommendable(self) -> Tensor:
        """Of each known point whether it has succeeded and satisfies all constraints.

        It is of the baseline, too.
        """
        model = cast(RankingGP, self.model)
        return self._is_baseline & ~model.has_failed & self.satisfies_all(model.known_X)

    def satisfies_all(self, X: Tensor) -> Tensor:
        """Whether points satisfy every constraint as measured.

        Where the slack of a success was not measured, what is expected of it counts.

        Args:
            X: Points, an ``n x d`` tensor.

        Returns:
            A boolean tensor of shape ``n``.
        """
        satisfied = torch.ones(len(X), dtype=torch.bool, device=X.device)
        if len(self._constraints):
            model = cast(RankingGP, self.model)
            is_success = is_row_of(X, model.known_X[~model.has_failed])
            for constraint in self._constraints:
                satisfied &= constraint.is_satisfied(X, is_success)
        return satisfied


class UtilityFunction(RankAcquisitionFunction, ABC):
    """A function of the utility of a :class:`~botorch_popbo.RankingGP`; values are logarithms."""

    _log = True
    _needs_uncertainty = True

    model: RankingGP
    _informed: RankingGP


def check_points(X: Tensor, dim: int, name: str) -> None:
    """Refuse what are not points of ``dim`` columns.

    Args:
        X: Points, an ``m x dim`` tensor or an empty one.
        dim: The number of columns.
        name: What to call them in the message.

    Raises:
        BotorchTensorDimensionError: If they have another shape.
        InputDataError: If they hold NaN or infinite values.
    """
    if X.numel() and (X.ndim != 2 or X.shape[-1] != dim):
        raise BotorchTensorDimensionError(
            f"Expected {name} of shape m x {dim}, but got {tuple(X.shape)}. Pass it as "
            f"{name}.reshape(-1, {name}.shape[-1]) if it has a batch."
        )
    if not bool(X.isfinite().all()):
        raise InputDataError(f"{name} holds NaN or infinite values. Leave those points out.")


def check_model(model: Model, needs_uncertainty: bool) -> None:
    """Refuse another model than one of an order, or one that does not know where it is ignorant.

    Args:
        model: The model.
        needs_uncertainty: Whether it has to know.

    Raises:
        UnsupportedError: If it is not one of ours, or has no uncertainty where that is needed.
    """
    if not isinstance(model, RankModel):
        raise UnsupportedError(
            "The acquisition function needs a model of an order, such as "
            f"RankingGP(train_X, train_Y).fit(), but got a {type(model).__name__}. For a model of "
            "values use BoTorch's own functions."
        )
    if needs_uncertainty and not model.has_uncertainty:
        raise UnsupportedError(
            f"{type(model).__name__} has no uncertainty of its own; use RankingGP. Or use an "
            "acquisition function over ranks, such as ExpectedRankingImprovement, and put feasible "
            "points first with from_constrained_outcomes where there are constraints."
        )


def find_baseline(model: RankModel, X_baseline: Tensor | None) -> Tensor:
    """Which of a model's known points are among some others.

    Args:
        model: The model.
        X_baseline: The others, an ``n x d`` tensor.

    Returns:
        A boolean tensor, one value for each row of the model's ``known_X``; true for all where no
        others are given or none is known.

    Raises:
        BotorchTensorDimensionError: If the others have another shape.
        InputDataError: If they hold NaN or infinite values.
    """
    known = model.known_X
    if X_baseline is not None:
        check_points(X_baseline, model.dim, "X_baseline")
    found = is_row_of(known, known[:0] if X_baseline is None else X_baseline.to(known))
    return found if bool(found.any()) else torch.ones_like(found)


def distance_to_known(encoded: Tensor, known: Tensor, radius: float) -> Tensor:
    """Distances to the nearest known point.

    Args:
        encoded: Encoded points, a ``batch_shape x q x d'`` tensor.
        known: Encoded known points, an ``N x d'`` tensor.
        radius: Unit of the distance, the radius within which a point is known.

    Returns:
        A ``batch_shape x q`` tensor, exactly zero at a known point.
    """
    points = encoded.reshape(-1, encoded.shape[-1])
    # A matrix of distances in pieces: of less than 32 MiB, glibc's heap may end in holes.
    pieces = points.detach().split(max(1, 2**24 // len(known)))
    # The exact mode, in which a known point is nearest to itself.
    exact = partial(torch.cdist, x2=known, compute_mode="donot_use_mm_for_euclid_dist")
    found = [exact(piece).min(-1) for piece in pieces]
    distance, nearest = (torch.cat(values) for values in zip(*found, strict=True))
    if bool((distance < _FAR * radius).any()):  # else there is no slope, and no graph to walk
        distance = torch.linalg.vector_norm(points - known[nearest], dim=-1)
    return (distance / radius).reshape(encoded.shape[:-1])


def proximity(distance: Tensor) -> Tensor:
    """One at a known point, falling to zero within a few known radii.

    Args:
        distance: Distances in known radii.

    Returns:
        A tensor of the same shape, in [0, 1].
    """
    return torch.exp(-0.5 * distance.clamp_max(_FAR).square())


def log_remoteness(distance: Tensor) -> Tensor:
    """Logarithm of one minus :func:`proximity`, finite at a known point.

    Args:
        distance: Distances in known radii.

    Returns:
        A tensor of the same shape, at most 0.
    """
    far = -torch.expm1(-0.5 * distance.clamp_max(_FAR).square())
    log_far: Tensor = far.double().clamp_min(torch.finfo(torch.double).tiny).log()
    # Less than the logarithm of any improvement, also of a point that is bad for certain.
    return log_far.where(far > 0.0, -1e30).to(far)
