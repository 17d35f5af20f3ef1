"""The Poisson process surrogate as a BoTorch model."""

import math
from copy import deepcopy
from typing import Any, NoReturn, Self

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.exceptions import InputDataError, UnsupportedError
from botorch.models.transforms.input import InputTransform
from botorch.posteriors import Posterior
from botorch.utils.datasets import SupervisedDataset
from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor

from botorch_popbo._reproducible import derive_seed, one_thread
from botorch_popbo.data import Order, RankCounts
from botorch_popbo.models.rank_model import RankModel, order_of_training_data, warn_if_silent
from botorch_popbo.paper import truncated_poisson
from botorch_popbo.paper.posterior import NegatedRank, PoissonRankPosterior
from botorch_popbo.paper.rate import NetworkRate
from botorch_popbo.settings import PaperSettings


class PoissonRankModel(RankModel):
    r"""How many of the evaluated points are better: the (truncated) Poisson process of the paper.

    A rate, by default the network of Wang et al. (2023), is fitted to rank counts by maximum
    likelihood, equation (4). The outcomes are used only through their order, so any strictly
    increasing transform of ``train_Y`` gives the same model bit for bit (replicates excepted: they
    are averaged first). The ``posterior`` is over counts, of which *fewer* are better.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: Outcomes, an ``N x 1`` tensor; larger is better and ``-inf`` marks a failed
            evaluation, which ranks below every success.
        train_Yvar: Variances of the outcomes, an ``N x 1`` tensor, NaN where unknown. A point then
            has the expected number of better points; an increasing transform of the outcomes no
            longer gives the same model.
        input_transform: Applied to every point before the rate. By default the bounding box
            of ``train_X`` is mapped to the unit cube; ``None`` leaves points as they are.
        order: An order to count better points in, instead of outcomes; from any source in
            :mod:`botorch_popbo.data`.
        rank_counts: The counts themselves, such as those over a base set.
        untruncated_from: Length of a list from which the plain Poisson law is used.
        seed: Seed of the network's weights and mini-batches, mixed with the number of points.
        settings: Of the network and its training, and the radius of what is known.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If there are fewer than two distinct points, or NaN or infinite values
            other than an outcome of ``-inf``.

    Warns:
        InputDataWarning: If all outcomes are equal. The ranks then carry no information and
            suggestions only keep away from what has been evaluated. Or if points lie outside of the
            unit cube, for which priors are made, and ``input_transform`` is ``None``, or if a
            transform leaves all of them within 1e-6 of each other there.

    Example:
        >>> model = PoissonRankModel.paper(train_X, train_Y, seed=0).fit()
        >>> model.posterior(test_X).mean  # expected number of better points
    """

    has_uncertainty = False

    _counts: Tensor
    _exposure: Tensor

    def __init__(
        self,
        train_X: Tensor | None = None,
        train_Y: Tensor | None = None,
        train_Yvar: Tensor | None = None,
        input_transform: InputTransform | _DefaultType | None = DEFAULT,
        order: Order | None = None,
        rank_counts: RankCounts | None = None,
        untruncated_from: float = math.inf,
        seed: int = 0,
        settings: PaperSettings = PaperSettings(),  # noqa: B008  (frozen)
    ) -> None:
        outcomes = train_X, train_Y, train_Yvar
        if rank_counts is None:
            order = order_of_training_data(*outcomes, order=order)
            rank_counts = RankCounts.from_order(order)
        elif any(given is not None for given in (*outcomes, order)):
            raise InputDataError("Pass rank_counts alone, or what they are to be counted from.")
        warn_if_silent(not rank_counts.counts.any() if order is None else order.says_nothing)
        if train_X is None or train_Y is None:
            train_X, train_Y = rank_counts.X, -rank_counts.counts / rank_counts.exposure
        super().__init__(train_X, train_Y, rank_counts.X, input_transform)
        self.order = order
        self.untruncated_from = untruncated_from
        self.seed = seed
        self.num_points = rank_counts.num_points
        self.register_buffer("_counts", rank_counts.counts, persistent=False)
        self.register_buffer("_exposure", rank_counts.exposure, persistent=False)
        self.settings = settings
        self.known_radius = settings.known_radius
        self.rate = NetworkRate(self._encoded_dim, settings).to(rank_counts.X)

    @classmethod
    def paper(cls, *args: Any, **kwargs: Any) -> Self:
        """The model with all settings of Wang et al. (2023).

        Args:
            *args: See the constructor.
            **kwargs: See the constructor, without ``untruncated_from``, which is that of the
                settings, by default 12.

        Returns:
            The model.
        """
        settings = kwargs.get("settings", PaperSettings())
        return cls(*args, **{**kwargs, "untruncated_from": settings.untruncated_from})

    def extra_repr(self) -> str:
        """What :mod:`torch` shows of the data and settings."""
        return f"{self.rank_counts!r}, seed={self.seed}"

    @property
    def rank_counts(self) -> RankCounts:
        """The distinct evaluated points with their rank counts."""
        return RankCounts(self.known_X, self._counts, self._exposure)

    def incumbent_among(self, is_eligible: Tensor | None) -> Tensor:
        """The evaluated point of the best rank; see the base class. Of several it is the first."""
        share = self._share if is_eligible is None else self._share.where(is_eligible, torch.inf)
        return self.known_X[share.argmin()].clone()

    def expected_utility(self, X: Tensor) -> Tensor:
        """See the base class."""
        return -self.rank_law(self.encode(X).unsqueeze(-2)).log_rate.reshape(-1)

    def best_points(self, number: int) -> Tensor:
        """See the base class."""
        share = self._share
        return self.known_X[share.topk(min(number, len(share)), largest=False).indices]

    @one_thread()
    def fit(self, start: Self | None = None) -> Self:
        """Train the rate; the same seed, data and start give the same model.

        Args:
            start: A trained model, whose weights are trained on, as from one iteration to the next
                in Algorithm 1 of Wang et al. (2023). By default weights are fresh, so that a search
                that is resumed continues as if uninterrupted.

        Returns:
            The model itself, in evaluation mode.

        Raises:
            RuntimeError: If the network of the start has another shape.
        """
        seed = derive_seed(self.seed, self.num_points)
        X = self._encoded_points(learn=True)
        limit = self._limit(self._exposure, self._exposure + 1.0)
        weights = None if start is None else start.rate
        self.rate.fit(X, self._counts, self._scale(self._exposure), limit, seed, weights)
        return self.eval()

    def log_likelihood(self) -> Tensor:
        """Sum of the log-probabilities of the counts, a scalar in nats."""
        limit = self._limit(self._exposure, self._exposure + 1.0)
        log_rate = self._scale(self._exposure).log() + self.rate(self._encoded_points())
        return truncated_poisson.log_prob(self._counts, log_rate, limit).sum()

    def rank_law(self, encoded: Tensor, observation_noise: bool = False) -> PoissonRankPosterior:
        """See the base class."""
        exposure = self._exposure.new_tensor(float(self.num_points))
        log_rate = self._scale(exposure).log() + self.rate(encoded)
        limit = self._limit(exposure, length=exposure)
        return PoissonRankPosterior(log_rate.unsqueeze(-1), exposure, limit)

    def _with_pending(self, X_pending: Tensor) -> Self:
        """The rate is fitted anew, with the same seed."""
        with torch.no_grad():
            predicted = self.rank_posterior(X_pending).mean.squeeze(-1).clamp_max(self.num_points)
        counts = self.rank_counts.insert(X_pending, predicted)
        return self._like(rank_counts=counts, input_transform=deepcopy(self.input_transform)).fit()

    def with_order(self, order: Order) -> Self:
        """See the base class."""
        return self._like(order=order, input_transform=self._unlearned_transform())

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | _DefaultType | None = DEFAULT,
    ) -> Posterior:
        """The posterior over rank counts; see :meth:`rank_posterior`.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.
            output_indices: ``None`` or ``[0]``: there is one output.
            observation_noise: Whether the rank is that of a noisy outcome; a tensor of variances
                has no meaning for ranks and counts as ``True``.
            posterior_transform: Left out, or a :class:`~botorch_popbo.NegatedRank`. BoTorch's
                acquisition functions, which maximize, always say which; so ``None`` is an error and
                not a search for the worst point.

        Returns:
            A posterior over counts of shape ``batch_shape x q x 1``, smaller being better.

        Raises:
            UnsupportedError: If the transform is another one, or ``None``.
            BotorchTensorDimensionError: If ``X`` has the wrong shape.
        """
        self.subset_output(output_indices)  # which refuses others
        posterior = self.rank_posterior(X, observation_noise is not False)
        if isinstance(posterior_transform, _DefaultType):
            return posterior
        if not isinstance(posterior_transform, NegatedRank):
            raise UnsupportedError(
                "BoTorch's acquisition functions maximize, but of rank counts fewer are better. "
                "Pass posterior_transform=NegatedRank(), use one of botorch_popbo's acquisition "
                "functions, or a RankingGP, whose utility is larger where points are better."
            )
        return posterior_transform(posterior, X)

    def fantasize(self, *args: object, **kwargs: object) -> NoReturn:
        """Refuse what look-ahead acquisition functions ask for.

        Raises:
            UnsupportedError: Always: counts depend on each other, and the rate is certain.
        """
        raise UnsupportedError("A rate is certain, so there are no fantasies; use RankingGP.")

    condition_on_observations = fantasize

    @classmethod
    def construct_inputs(cls, training_data: SupervisedDataset) -> dict[str, Any]:
        """Constructor arguments from a data set.

        Args:
            training_data: Points and one column of outcomes, perhaps with their variances; or
                rankings.

        Returns:
            Keyword arguments of the constructor.

        Raises:
            UnsupportedError: If there are several tasks.
        """
        inputs = super().construct_inputs(training_data)
        if "sources" in inputs:
            raise UnsupportedError(
                f"{cls.__name__} learns from one task. Pass the target alone, or use RankingGP."
            )
        return inputs

    @property
    def _share(self) -> Tensor:
        """Shares of better points; what met none has not proved good."""
        return (self._counts / self._exposure).nan_to_num(nan=torch.inf)

    def _like(self, **data: Any) -> Self:
        """An untrained model of other data with the same settings."""
        return type(self)(
            **data, untruncated_from=self.untruncated_from, seed=self.seed, settings=self.settings
        )

    def _scale(self, exposure: Tensor) -> Tensor:
        """What the network's output is multiplied by: numbers of points, or the space's measure."""
        measure = self.settings.measure
        return exposure if measure is None else torch.full_like(exposure, measure)

    def _limit(self, exposure: Tensor, length: Tensor) -> Tensor:
        """The largest counts of positive probability; infinite for the untruncated law."""
        return torch.where(length >= self.untruncated_from, torch.inf, exposure)
