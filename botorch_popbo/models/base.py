"""What all models of an order share."""

from abc import ABC, abstractmethod
from typing import Self

from botorch.exceptions import UnsupportedError
from torch import Tensor
from torch.nn import Module

from botorch_popbo.data import Order, RankCounts
from botorch_popbo.models._encoding_model import EncodingModel
from botorch_popbo.posteriors.base import RankPosterior


class RankModel(EncodingModel, ABC):
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

    @property
    @abstractmethod
    def rank_counts(self) -> RankCounts:
        """The evaluated points with their rank counts."""

    @property
    def incumbent(self) -> Tensor:
        """The evaluated point to recommend, of shape ``d``; see :meth:`incumbent_among`."""
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
            InputDataError: If ``X`` is no tensor.
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

        An input transform that learns its bounds learns those of the other points.

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
