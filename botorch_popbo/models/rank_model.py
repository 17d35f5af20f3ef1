"""What a search may ask of any model of an order."""

import warnings
from abc import ABC, abstractmethod
from copy import deepcopy
from typing import Any, Self

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.models.model import Model
from botorch.models.transforms.input import ChainedInputTransform, InputTransform, Normalize
from botorch.models.utils import check_min_max_scaling
from botorch.settings import validate_input_scaling
from botorch.utils.datasets import MultiTaskDataset, RankingDataset, SupervisedDataset
from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor
from torch.nn import Module

from botorch_popbo.data import Order, from_comparisons, from_outcomes, from_ranking_dataset
from botorch_popbo.data._checks import are_comparisons, check_outcomes, check_tensor
from botorch_popbo.models.input_transforms import (
    InactiveColumns,
    check_transform,
    one_to_one,
    part_of,
)
from botorch_popbo.posteriors.rank_posterior import RankPosterior

#: How the warning of feedback begins that says nothing, for those who give it once in a search.
SILENT = "All outcomes are equal"


class SingleOutputModel(Model):
    """One data set, one model, one output."""

    num_outputs = 1
    batch_shape = torch.Size()

    def subset_output(self, idcs: list[int] | None) -> Self:
        """The model itself, its only output.

        Args:
            idcs: ``[0]``, or ``None`` for all.

        Raises:
            UnsupportedError: If any other output is asked for.
        """
        if idcs not in (None, [0], [-1]):
            raise UnsupportedError(f"The model has one output, but {idcs} was asked for.")
        return self


class RankModel(SingleOutputModel, ABC):
    """One data set whose points the model encodes itself, and the law of a new point's rank.

    ``posterior`` is not shared: that of a ``RankingGP`` is a utility, of which more is better, that
    of a ``PoissonRankModel`` counts better points, of which fewer are.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: What they were ordered by, of shape ``N x 1``; or comparisons, ``M x 2``.
        X: The ``m`` points to learn from, an ``m x d`` tensor.
        input_transform: Applied to every point. By default the bounding box of all points is
            mapped to the unit cube; ``None`` leaves points as they are.
        source_X: Points of other tasks that are encoded, too, an ``m' x d`` tensor.

    Attributes:
        known_X: The points that are evaluated or pending, once for each task, ``m x d``.
        train_targets: What the evaluated points were ordered by, of shape ``N`` or ``M x 2``.
        order: What the model learns from; ``None`` for counts that come from no order.
        has_uncertainty: Whether the model knows where it is ignorant. One that does not would
            suggest its best point for ever, and says nothing of constraints.
        known_radius: Distance, in the unit cube and per root of the dimension, within which the
            acquisition functions take a point for known.
        surprise: The best point, ``1 x d``, if all others speak against it but none is near it, so
            that a search goes there next; else ``0 x d``.
    """

    known_X: Tensor
    train_targets: Tensor
    order: Order | None
    has_uncertainty: bool
    known_radius: float
    surprise: Tensor
    input_transform: InputTransform

    _train_X: Tensor
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
        # on the number of points. No gradient reaches them: a tensor that has one cannot be copied.
        targets = train_Y if are_comparisons(train_Y) else train_Y.reshape(-1)
        points = {"_train_X": train_X, "train_targets": targets, "known_X": X, "surprise": X[:0]}
        points["_source_X"] = X[:0] if source_X is None else source_X
        for name, value in points.items():
            self.register_buffer(name, value.detach(), persistent=False)
        if isinstance(input_transform, _DefaultType):
            # A box may be as narrow as it likes; a column of one value stays as it is.
            input_transform = Normalize(d=X.shape[-1], min_range=torch.finfo(X.dtype).tiny)
        transform = ChainedInputTransform() if input_transform is None else input_transform
        if len(X):
            check_transform(transform, X, type(self).__name__, self.has_uncertainty)
        self.input_transform = transform.to(X)
        encoded = self._encoded_points(learn=True)
        _check_encoded(encoded)
        if input_transform is None and validate_input_scaling.on() and len(X):
            check_min_max_scaling(encoded)
        self._encoded_dim = encoded.shape[-1]

    @property
    def train_inputs(self) -> tuple[Tensor]:
        """The evaluated points as they were given, in a tuple as BoTorch keeps them."""
        return (self._train_X,)

    @property
    def dim(self) -> int:
        """The number of columns ``d`` of a point, as :class:`~botorch.models.PairwiseGP` has it."""
        return self.known_X.shape[-1]

    @property
    def num_active(self) -> int:
        """The number of columns that have a meaning at a typical known point."""
        inactive = part_of(self.input_transform, InactiveColumns)
        return self.dim if inactive is None else inactive.num_active(self.known_X)

    @property
    def incumbent(self) -> Tensor:
        """The evaluated point to improve on, of shape ``d``; see :meth:`incumbent_among`."""
        return self.incumbent_among(None)

    @abstractmethod
    def incumbent_among(self, is_eligible: Tensor | None) -> Tensor:
        """The best of some points, which a search improves on, of shape ``d``.

        Args:
            is_eligible: A boolean tensor, one value for each row of :attr:`known_X`; by default
                all are.
        """

    @property
    def recommended(self) -> Tensor:
        """The evaluated point to use, of shape ``d``; see :meth:`recommended_among`."""
        return self.recommended_among(None)

    def recommended_among(self, is_eligible: Tensor | None) -> Tensor:
        """The one of some points to use, of shape ``d``: here the incumbent.

        Args:
            is_eligible: See :meth:`incumbent_among`.
        """
        return self.incumbent_among(is_eligible)

    @abstractmethod
    def best_points(self, number: int) -> Tensor:
        """The evaluated points of the best observed ranks, at most so many, best first, ``n x d``.

        Args:
            number: Most points to return.
        """

    @abstractmethod
    def expected_utility(self, X: Tensor) -> Tensor:
        """How good points are expected to be, larger being better.

        Args:
            X: Points, an ``n x d`` tensor.

        Returns:
            A tensor of shape ``n``: utilities, or for a network minus the logarithm of the rate.
        """

    @abstractmethod
    def fit(self) -> Self:
        """Learn from the order; a new model of the same data and seed learns the same.

        Returns:
            The model itself, in evaluation mode.
        """

    @abstractmethod
    def log_likelihood(self) -> Tensor:
        """What :meth:`fit` maximizes beside a prior, a scalar in nats."""

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

        An input transform that learns its bounds learns those of the other points.

        Args:
            order: The order to learn from.
        """

    def with_pending(self, X_pending: Tensor | None) -> Self:
        """A model as if pending points had been evaluated and had turned out as expected.

        Args:
            X_pending: Points being evaluated, a ``p x d`` tensor. Without any it is the model
                itself.
        """
        if X_pending is None or not X_pending.numel():
            return self
        return self._with_pending(X_pending.detach().to(self.known_X))

    @abstractmethod
    def _with_pending(self, X_pending: Tensor) -> Self:
        """What :meth:`with_pending` says, for one point at least."""

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
            InputDataError: If ``X`` is not a tensor.
        """
        return self.rank_law(self.encode(X), observation_noise)

    @classmethod
    def construct_inputs(cls, training_data: SupervisedDataset) -> dict[str, Any]:
        """Constructor arguments from a data set.

        Args:
            training_data: Points and one column of outcomes, perhaps with their variances; or
                rankings; or, for a ``RankingGP``, a
                :class:`~botorch.utils.datasets.MultiTaskDataset`, whose tasks other than the target
                become sources.

        Returns:
            Keyword arguments of the constructor.

        Raises:
            UnsupportedError: If the points have a column for the task.
        """
        data = training_data
        if isinstance(data, RankingDataset):
            return {"order": from_ranking_dataset(data)}
        if not isinstance(data, MultiTaskDataset):
            return {"train_X": data.X, "train_Y": data.Y, "train_Yvar": data.Yvar}
        if data.task_feature_index is not None:
            raise UnsupportedError(
                "Points have no column for the task. Leave task_feature_index out."
            )
        datasets = dict(data.datasets)
        target = datasets.pop(data.target_outcome_name)
        # Each is ranked by itself, as another task may have another unit.
        sources = [from_outcomes(source.X, source.Y, source.Yvar) for source in datasets.values()]
        return {**cls.construct_inputs(target), "sources": sources}

    def encode(self, X: Tensor) -> Tensor:
        """Apply the input transform, in evaluation mode.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor of any dtype.

        Returns:
            A ``batch_shape x q x d'`` tensor in the dtype of the data.

        Raises:
            BotorchTensorDimensionError: If ``X`` has no ``q`` or not ``d`` columns.
            InputDataError: If ``X`` is not a tensor.
        """
        check_tensor(X, "X")
        if X.ndim < 2 or (X.shape[-1] != self.dim and len(self.known_X)):
            raise BotorchTensorDimensionError(
                f"Expected X of shape batch_shape x q x {self.dim}, but got {tuple(X.shape)}."
            )
        if self.training:
            self.eval()
        # A transform of BoTorch takes over the dtype of what it is given, for good.
        return self._encoder(X.to(self.known_X.dtype))

    def transform_inputs(self, X: Tensor, input_transform: Module | None = None) -> Tensor:
        """Leave points as they are: every method of the model takes them as they were given."""
        return X

    def _unlearned_transform(self) -> InputTransform:
        """A copy of the input transform for other points, whose bounds it learns if it learns any.

        In evaluation mode, where a model that was used is, it would keep those of this model.
        """
        return deepcopy(self.input_transform).train()

    def _encoded_points(self, learn: bool = False) -> Tensor:
        """All points, those of other tasks behind.

        Args:
            learn: Whether this sets the bounds of a transform that learns them, as it does in
                training mode; else the model is in evaluation mode from here on.
        """
        if self.training != learn:
            self.train(learn)
        with torch.no_grad():
            points, transform = torch.cat([self.known_X, self._source_X]), self._encoder
            encoded: Tensor = transform(points)
            if learn:  # then as any other point, of which a transform may be left out in training
                encoded = transform.eval()(points)
                transform.train()
            return encoded

    @property
    def _encoder(self) -> InputTransform:
        return one_to_one(self.input_transform)

    @property
    def _learns_inputs(self) -> bool:
        return any(parameter.requires_grad for parameter in self.input_transform.parameters())

    # Ranks are computed from the points as given, so they are never replaced by encoded ones.
    def _set_transformed_inputs(self) -> None:
        pass

    def _revert_to_original_inputs(self) -> None:
        pass


def _check_encoded(encoded: Tensor) -> None:
    """Refuse points that are not numbers to the model, and warn of those that are all alike."""
    # Of what is larger neither a square nor a distance is a number; nor is NaN less than anything.
    if not bool((encoded.abs() < 1e100).all()):
        raise InputDataError(
            "The points are too far apart for their dtype: the input transform makes NaN, "
            "infinite or huge values of them. Rescale the columns, or pass another "
            "input_transform."
        )
    if not validate_input_scaling.on() or not len(encoded):
        return
    # BoTorch's Normalize leaves a column narrower than 1e-8 as it is.
    width = (encoded.amax(0) - encoded.amin(0)).max()
    # In so narrow a box a prior for the unit cube does not distinguish points.
    if 0.0 < float(width) < 1e-6:
        text = (
            f"The model sees all points within {float(width):.0e} of each other, and priors are "
            "for the unit cube. Leave input_transform out, or pass Normalize(d, bounds=bounds)."
        )
        warnings.warn(text, InputDataWarning, stacklevel=4)


def warn_if_silent(says_nothing: bool) -> None:
    """Warn of feedback from which nothing can be learned.

    Args:
        says_nothing: Whether no point is worse than another.

    Warns:
        InputDataWarning: If it is so.
    """
    if says_nothing:
        text = (
            f"{SILENT}, all evaluations failed or violate a constraint by the same amount, or no "
            "answer prefers anything. Check the metric, or try points that differ more."
        )
        warnings.warn(text, InputDataWarning, stacklevel=3)


def order_of_training_data(
    train_X: Tensor | None,
    train_Y: Tensor | None,
    train_Yvar: Tensor | None,
    beside_sources: bool = False,
    order: Order | None = None,
) -> Order:
    """The order of outcomes, or the one that was given in their place.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: Outcomes, an ``N x 1`` tensor, larger being better; or comparisons, ``M x 2``.
        train_Yvar: Their variances, an ``N x 1`` tensor; NaN where unknown.
        beside_sources: Whether what other tasks say makes up for the order that a single point
            lacks.
        order: What may be given instead of outcomes.

    Returns:
        The order.

    Raises:
        InputDataError: If not either outcomes or an order was given.
    """
    if train_X is not None and train_Y is not None and order is None:
        if are_comparisons(train_Y) and train_Yvar is None:
            return from_comparisons(train_X, train_Y)
        if beside_sources:
            check_outcomes(train_X, train_Y)
            if len(train_X) > 0 and bool((train_X == train_X[:1]).all()):
                return Order.without_lists(train_X[:1])
        return from_outcomes(train_X, train_Y, train_Yvar)
    if order is not None and train_X is None and train_Y is None and train_Yvar is None:
        return order
    raise InputDataError(
        "Pass train_X and train_Y, or order, but not both. To use outcomes beside other "
        "feedback, combine orders: combine(from_outcomes(train_X, train_Y), order)."
    )
