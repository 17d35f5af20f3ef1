"""What all models of an order share."""

import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.models.model import Model
from botorch.models.transforms.input import InputTransform, Normalize
from botorch.models.utils import check_min_max_scaling
from botorch.settings import validate_input_scaling
from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor
from torch.nn import Module

from botorch_popbo.data import Order, RankCounts, from_outcomes
from botorch_popbo.models.input_transforms import check_transform
from botorch_popbo.posteriors.base import RankPosterior

_LARGEST = 1e100  # of what a square, and a distance, still is a number


class RankModel(Model, ABC):
    """A model that learns from an order and answers with the law of a rank.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: What they were ordered by, of shape ``N x 1``.
        X: The ``m`` points to learn from, an ``m x d`` tensor.
        input_transform: Applied to every point. By default the bounding box of all points is
            mapped to the unit cube; ``None`` leaves points as they are.
        source_X: Points of other tasks that are encoded, too, an ``m' x d`` tensor.

    Attributes:
        order: What the model learns from; ``None`` for counts that come from no order.
        has_uncertainty: Whether the model knows where it is ignorant. One that does not would
            suggest its best point for ever, and says nothing of constraints.
        known_radius: Distance, in the unit cube and per root of the dimension, within which the
            acquisition functions take a point for known.
    """

    order: Order | None
    has_uncertainty: bool
    known_radius: float

    _train_X: Tensor
    _train_Y: Tensor
    _X: Tensor
    _source_X: Tensor

    def __init__(
        self,
        train_X: Tensor,
        train_Y: Tensor,
        X: Tensor,
        input_transform: InputTransform | _DefaultType | None = DEFAULT,
        source_X: Tensor | None = None,
    ) -> None:
        super().__init__()
        # They follow ``model.to(...)`` but stay out of the state dict, whose shapes must not depend
        # on the number of points.
        self.register_buffer("_train_X", train_X, persistent=False)
        self.register_buffer("_train_Y", train_Y.reshape(-1), persistent=False)
        self.register_buffer("_X", X, persistent=False)
        self.register_buffer("_source_X", X[:0] if source_X is None else source_X, persistent=False)
        if isinstance(input_transform, _DefaultType):
            # A box may be as narrow as it likes; a column of one value stays as it is.
            input_transform = Normalize(d=X.shape[-1], min_range=torch.finfo(X.dtype).tiny)
        if input_transform is not None:
            check_transform(input_transform, X, type(self).__name__)
            self.input_transform = input_transform.to(X)
        # This batch in training mode also sets the bounds of a transform that learns them.
        encoded = self._encoded_points()
        if not bool((encoded.abs() < _LARGEST).all()):
            raise InputDataError(
                "The points are too far apart for their dtype: the input transform makes NaN, "
                "infinite or huge values of them. Rescale the columns, or pass another "
                "input_transform."
            )
        if input_transform is None and validate_input_scaling.on():
            check_min_max_scaling(encoded)
        self._encoded_dim = encoded.shape[-1]

    @property
    def train_inputs(self) -> tuple[Tensor]:
        """The evaluated points as they were given, in a tuple as BoTorch keeps them."""
        return (self._train_X,)

    @property
    def train_targets(self) -> Tensor:
        """What they were ordered by, of shape ``N``."""
        return self._train_Y

    @property
    def dim(self) -> int:
        """The number of columns ``d`` of a point, as :class:`~botorch.models.PairwiseGP` has it."""
        return self._X.shape[-1]

    @property
    def known_X(self) -> Tensor:  # noqa: N802
        """The distinct points that are evaluated or pending, ``m x d``."""
        return self._X

    @property
    @abstractmethod
    def rank_counts(self) -> RankCounts:
        """The evaluated points with their rank counts."""

    @property
    def incumbent(self) -> Tensor:
        """The evaluated point to recommend, of shape ``d``."""
        return self.incumbent_among(None)

    @abstractmethod
    def incumbent_among(self, is_eligible: Tensor | None) -> Tensor:
        """The best of those points that may be recommended.

        Args:
            is_eligible: A boolean tensor, one value for each row of :attr:`known_X`; by default
                all are.

        Returns:
            A point, of shape ``d``.
        """

    @abstractmethod
    def best_points(self, number: int) -> Tensor:
        """The evaluated points of the best observed ranks.

        Args:
            number: Most points to return.

        Returns:
            An ``n x d`` tensor, best first.
        """

    @abstractmethod
    def fit(self) -> Self:
        """Learn from the order; the same data and seed give the same model.

        Returns:
            The model itself, in evaluation mode.
        """

    @abstractmethod
    def log_likelihood(self) -> Tensor:
        """What :meth:`fit` maximises beside a prior, a scalar in nats."""

    def rank_posterior(self, X: Tensor, observation_noise: bool = False) -> RankPosterior:
        """The law of each point's rank among all evaluated points.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.
            observation_noise: Whether the rank is that of a noisy outcome at the point. The law of
                a network's count includes its scatter in any case.

        Returns:
            A posterior over counts of shape ``batch_shape x q x 1``, smaller being better.

        Raises:
            BotorchTensorDimensionError: If ``X`` has no ``q`` or not ``d`` columns.
        """
        return self.rank_law(self.encode(X), observation_noise)

    @abstractmethod
    def rank_law(self, encoded: Tensor, observation_noise: bool = False) -> RankPosterior:
        """The law of the rank that a search looks at, of points that are encoded already.

        It is that of :meth:`rank_posterior` at the model's own hyperparameters, where these are
        what that is averaged over.

        Args:
            encoded: Encoded points, a ``batch_shape x q x d'`` tensor.
            observation_noise: See :meth:`rank_posterior`.

        Returns:
            A posterior over counts of shape ``batch_shape x q x 1``, smaller being better.
        """

    @abstractmethod
    def with_order(self, order: Order) -> "RankModel":
        """An untrained model of other data with the same settings.

        Args:
            order: The order to learn from.

        Returns:
            Another model.
        """

    @abstractmethod
    def with_pending(self, X_pending: Tensor) -> "RankModel":
        """A model as if pending points had been evaluated and had turned out as expected.

        Args:
            X_pending: Points being evaluated, a ``p x d`` tensor.

        Returns:
            Another model.
        """

    def encode(self, X: Tensor) -> Tensor:
        """Apply the input transform, in evaluation mode.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor of any dtype.

        Returns:
            A ``batch_shape x q x d'`` tensor in the dtype of the data.

        Raises:
            BotorchTensorDimensionError: If ``X`` has no ``q`` or not ``d`` columns.
        """
        if X.ndim < 2 or X.shape[-1] != self.dim:
            raise BotorchTensorDimensionError(
                f"Expected X of shape batch_shape x q x {self.dim}, but got {tuple(X.shape)}."
            )
        if self.training:
            self.eval()
        # A transform of BoTorch takes over the dtype of what it is given, for good.
        X = X.to(self._X.dtype)
        return X if getattr(self, "input_transform", None) is None else self.input_transform(X)

    def transform_inputs(self, X: Tensor, input_transform: Module | None = None) -> Tensor:
        """Leave points as they are: every method of the model takes them as they were given.

        Args:
            X: Points.
            input_transform: Has no effect.

        Returns:
            The points.
        """
        return X

    def custom_fit(
        self,
        mll: Module,
        closure: None = None,
        closure_kwargs: None = None,
        optimizer_kwargs: None = None,
        optimizer: None = None,
    ) -> Module:
        """Let :func:`botorch.fit.fit_gpytorch_mll` reach :meth:`fit`.

        Args:
            mll: Any module whose ``model`` is this model, such as ``RankLogLikelihood(model)``.
            closure: Must be left out, like every argument below.
            closure_kwargs: See ``closure``.
            optimizer_kwargs: See ``closure``.
            optimizer: See ``closure``.

        Returns:
            ``mll`` in evaluation mode.

        Raises:
            UnsupportedError: If any argument but ``mll`` is given.
        """
        if any(x is not None for x in (closure, closure_kwargs, optimizer_kwargs, optimizer)):
            raise UnsupportedError(
                f"{type(self).__name__} has a training of its own, which takes no optimizer or "
                "closure of fit_gpytorch_mll; see the arguments of its constructor."
            )
        self.fit()
        return mll.eval()

    @property
    def num_outputs(self) -> int:
        """One."""
        return 1

    @property
    def batch_shape(self) -> torch.Size:
        """Empty: one data set, one model."""
        return torch.Size()

    def subset_output(self, idcs: list[int]) -> Self:
        """Return the model itself, its only output.

        Args:
            idcs: ``[0]``.

        Returns:
            This model.

        Raises:
            UnsupportedError: If any other output is asked for.
        """
        self._check_output(idcs)
        return self

    def _encoded_points(self) -> Tensor:
        """All points, those of other tasks behind."""
        with torch.no_grad():
            transform = getattr(self, "input_transform", None)
            points = torch.cat([self._X, self._source_X])
            return points if transform is None else transform(points)

    def _check_output(self, indices: list[int] | None) -> None:
        if indices not in (None, [0], [-1]):
            raise UnsupportedError(
                f"{type(self).__name__} has one output, but {indices} was asked for."
            )

    # Ranks are computed from the points as given, so they are never replaced by encoded ones.
    def _set_transformed_inputs(self) -> None:
        pass

    def _revert_to_original_inputs(self) -> None:
        pass


def warn_if_silent(says_nothing: bool) -> None:
    """Warn of feedback from which nothing can be learned.

    Args:
        says_nothing: Whether no point is worse than another.

    Warns:
        InputDataWarning: If it is so.
    """
    if says_nothing:
        warnings.warn(
            "All outcomes are equal, so their ranks say nothing about where better points are. "
            "Check the metric, or widen the initial design.",
            InputDataWarning,
            stacklevel=3,
        )


def order_of_training_data(
    train_X: Tensor | None,
    train_Y: Tensor | None,
    train_Yvar: Tensor | None,
    **alternatives: Any,
) -> Order | None:
    """Order outcomes, or see that something else was given in their place.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: Outcomes, an ``N x 1`` tensor, larger being better.
        train_Yvar: Their variances, an ``N x 1`` tensor; NaN where unknown.
        **alternatives: By their names, what may be given instead of outcomes.

    Returns:
        The order of the outcomes; ``None`` if one of the alternatives was given.

    Raises:
        InputDataError: If not exactly one of outcomes and alternatives was given.
    """
    given = [name for name, value in alternatives.items() if value is not None]
    names = " or ".join(alternatives)
    if train_X is not None and train_Y is not None and not given:
        return from_outcomes(train_X, train_Y, train_Yvar)
    if len(given) == 1 and all(values is None for values in (train_X, train_Y, train_Yvar)):
        return None
    raise InputDataError(
        f"Pass train_X and train_Y, or {names}, and not both. To use outcomes beside other "
        "feedback, combine orders: combine(from_outcomes(train_X, train_Y), order)."
    )
