"""The Poisson process surrogate as a BoTorch model."""

import warnings
from copy import deepcopy
from typing import Any, Self

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.models.model import Model
from botorch.models.transforms.input import InputTransform, Normalize
from botorch.posteriors import Posterior
from botorch.utils.datasets import SupervisedDataset
from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor
from torch.nn import Module

from botorch_popbo.models.pending import insert_pending
from botorch_popbo.models.rank_data import RankData
from botorch_popbo.posteriors.rank import RankPosterior
from botorch_popbo.presets import PresetName, get_preset
from botorch_popbo.rank_counts import RankCounts
from botorch_popbo.rates.base import Rate, RateFactory
from botorch_popbo.rates.factory import make_rate
from botorch_popbo.rates.gaussian_process import GaussianProcessRate
from botorch_popbo.seeds import derive_seed


class PoissonRankModel(Model):
    r"""Model how many of the evaluated points are better, not how good a point is.

    The outcomes are used only through their order, so any strictly increasing transform of
    ``train_Y`` gives the same model bit for bit (replicates excepted: they are averaged first).

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: Outcomes, an ``N x 1`` tensor; larger is better and ``-inf`` marks a failed
            evaluation, which ranks below every success.
        train_Yvar: Variances of the outcomes, an ``N x 1`` tensor, NaN where unknown. A point then
            has the expected number of better points; an increasing transform of the outcomes no
            longer gives the same model.
        input_transform: Applied to every point before the network. By default the bounding box
            of ``train_X`` is mapped to the unit cube; ``None`` leaves points as they are.
        preset: Name of the settings: ``"default"``, a Gaussian process conditioned on the order,
            or ``"paper"`` or ``"exact"``, networks with a Poisson likelihood.
        seed: Seed of a network's weights and mini-batches, mixed with the number of points.
        rank_counts: Records to fit to instead of outcomes, from any source in
            :mod:`botorch_popbo.rank_counts`. A new point is ranked among their distinct points.
        rate: Builds a rate of your own, such as a class that follows
            :class:`~botorch_popbo.rates.base.Rate`; by default the preset chooses.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If there are fewer than two distinct points, or NaN or infinite values
            other than an outcome of ``-inf``.
        ValueError: If there is no such preset.

    Warns:
        InputDataWarning: If all outcomes are equal. The ranks then carry no information and
            suggestions only keep away from what has been evaluated.

    Example:
        >>> model = PoissonRankModel(train_X, train_Y, seed=0).fit()
        >>> model.posterior(test_X).mean  # expected number of better points
    """

    rate: Rate

    def __init__(
        self,
        train_X: Tensor | None = None,
        train_Y: Tensor | None = None,
        train_Yvar: Tensor | None = None,
        input_transform: InputTransform | _DefaultType | None = DEFAULT,
        preset: PresetName = "default",
        seed: int = 0,
        rank_counts: RankCounts | None = None,
        rate: RateFactory | None = None,
    ) -> None:
        super().__init__()
        self.preset = get_preset(preset)
        self.preset_name = preset
        self.seed = seed
        self.data = _as_data(train_X, train_Y, train_Yvar, rank_counts)
        if self.data.says_nothing:
            warnings.warn(
                "All outcomes are equal, so their ranks say nothing about where better points "
                "are. Check the metric, or widen the initial design.",
                InputDataWarning,
                stacklevel=2,
            )
        X = self.data.X
        if isinstance(input_transform, _DefaultType):
            input_transform = Normalize(d=X.shape[-1])
        if input_transform is not None:
            self.input_transform = input_transform.to(X)
        # Fresh weights with every new point: a network kept for long would keep its blind spots.
        self.custom_rate = rate
        self.rate = self._make_rate()
        self.register_load_state_dict_post_hook(_encode_as_loaded)

    @property
    def train_inputs(self) -> tuple[Tensor]:
        """The evaluated points as they were given, in a tuple as BoTorch keeps them."""
        return (self.data.train_X,)

    @property
    def train_targets(self) -> Tensor:
        """The outcomes, of shape ``N``; the negated shares of better points if there are none."""
        return self.data.train_Y

    @property
    def rank_counts(self) -> RankCounts:
        """The distinct evaluated points with their rank counts."""
        return self.data.records

    def extra_repr(self) -> str:
        """What :mod:`torch` shows of the settings."""
        return f"preset={self.preset_name!r}, seed={self.seed}"

    def fit(self) -> Self:
        """Train the rate; the same seed and data give the same model.

        A network starts from fresh weights, a Gaussian process from its hyperparameters.

        Returns:
            The model itself, in evaluation mode.
        """
        self.train()
        self.rate.move(self._encoded_points())
        self.rate.fit()
        return self.eval()

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
            closure: Must be left out, like every argument below: the preset fixes the training.
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
                "PoissonRankModel is trained as its preset says; choose another preset instead of "
                "passing an optimizer or a closure to fit_gpytorch_mll."
            )
        self.fit()
        return mll.eval()

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
        return self.rate.rank_posterior(self.encode(X), observation_noise)

    def encode(self, X: Tensor) -> Tensor:
        """Apply the input transform, in evaluation mode.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.

        Returns:
            The inputs of the rate, a ``batch_shape x q x d'`` tensor.

        Raises:
            BotorchTensorDimensionError: If ``X`` has no ``q`` or not ``d`` columns.
        """
        dim = self.data.X.shape[-1]
        if X.ndim < 2 or X.shape[-1] != dim:
            raise BotorchTensorDimensionError(
                f"Expected X of shape batch_shape x q x {dim}, but got {tuple(X.shape)}."
            )
        if self.training:
            self.eval()
        return self.transform_inputs(X)

    def with_pending(self, X_pending: Tensor) -> "PoissonRankModel":
        """A model of the data as if pending points had been observed at their predicted ranks.

        Args:
            X_pending: Points being evaluated, a ``p x d`` tensor.

        Returns:
            Another model: a network trained with the same preset and seed, or a Gaussian process
            with the same hyperparameters.
        """
        X_pending = X_pending.to(self.data.X)
        with torch.no_grad():
            predicted = self.rank_posterior(X_pending).mean.squeeze(-1)
            predicted = predicted.clamp_max(self.data.num_points)
        model = PoissonRankModel(
            rank_counts=insert_pending(self.rank_counts, X_pending, predicted),
            input_transform=deepcopy(getattr(self, "input_transform", None)),
            preset=self.preset_name,
            seed=self.seed,
            rate=self.custom_rate,
        )
        old, new = self.rate, model.rate
        if isinstance(old, GaussianProcessRate) and isinstance(new, GaussianProcessRate):
            new.adopt(old)
            return model.eval()
        return model.fit()

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """The posterior over rank counts; see :meth:`rank_posterior`.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.
            output_indices: ``None`` or ``[0]``: there is one output.
            observation_noise: Whether the rank is that of a noisy outcome; a tensor of variances
                has no meaning for ranks and counts as ``True``.
            posterior_transform: Must be ``None``.

        Returns:
            A posterior over counts of shape ``batch_shape x q x 1``, smaller being better.

        Raises:
            UnsupportedError: If a posterior transform is given: those act on outcomes, not ranks.
            BotorchTensorDimensionError: If ``X`` has the wrong shape.
        """
        self._check_output(output_indices)
        if posterior_transform is not None:
            raise UnsupportedError(
                "A posterior over rank counts takes no posterior_transform: weights and risk "
                "measures act on outcomes. Rank the transformed outcomes instead."
            )
        return self.rank_posterior(X, observation_noise is not False)

    @property
    def num_outputs(self) -> int:
        """One: the rank."""
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

    @classmethod
    def construct_inputs(
        cls, training_data: SupervisedDataset, preset: PresetName = "default", seed: int = 0
    ) -> dict[str, Any]:
        """Constructor arguments from a data set.

        Args:
            training_data: Points and one column of outcomes, perhaps with their variances.
            preset: Name of the settings.
            seed: Seed of the network.

        Returns:
            Keyword arguments of the constructor.
        """
        return {
            "train_X": training_data.X,
            "train_Y": training_data.Y,
            "train_Yvar": training_data.Yvar,
            "preset": preset,
            "seed": seed,
        }

    def _make_rate(self) -> Rate:
        data = self.data
        records = (self._encoded_points(), data.counts, data.exposure, data.num_points)
        if self.custom_rate is not None:
            return self.custom_rate(*records)
        return make_rate(self.preset, *records, seed=derive_seed(self.seed, data.num_points))

    def _encoded_points(self) -> Tensor:
        with torch.no_grad():
            return self.transform_inputs(self.data.X)

    def _check_output(self, indices: list[int] | None) -> None:
        if indices not in (None, [0], [-1]):
            raise UnsupportedError(f"PoissonRankModel has one output, but {indices} was asked for.")

    # Ranks are computed from the points as given, so they are never replaced by encoded ones.
    def _set_transformed_inputs(self) -> None:
        pass

    def _revert_to_original_inputs(self) -> None:
        pass


def _encode_as_loaded(model: PoissonRankModel, incompatible_keys: object) -> None:
    """A state dict brings its own input transform, such as the bounding box of other points."""
    training = model.training
    model.rate.move(model.encode(model.data.X).detach())
    model.train(training)


def _as_data(
    train_X: Tensor | None,
    train_Y: Tensor | None,
    train_Yvar: Tensor | None,
    rank_counts: RankCounts | None,
) -> RankData:
    if rank_counts is None:
        if train_X is None or train_Y is None:
            raise InputDataError("Pass train_X and train_Y, or rank_counts.")
        return RankData.from_outcomes(train_X, train_Y, train_Yvar)
    if any(values is not None for values in (train_X, train_Y, train_Yvar)):
        raise InputDataError(
            "Pass either outcomes or rank_counts. To use both, combine rank counts: "
            "combine(from_outcomes(train_X, train_Y), rank_counts)."
        )
    return RankData(rank_counts)
