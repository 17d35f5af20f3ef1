"""A Gaussian process on a utility, conditioned on a ranking."""

from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from typing import Any, Self

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.exceptions import UnsupportedError
from botorch.models.gp_regression import SingleTaskGP
from botorch.models.model import FantasizeMixin
from botorch.models.transforms.input import InputTransform
from botorch.posteriors import GPyTorchPosterior, Posterior
from botorch.settings import validate_input_scaling
from botorch.utils.datasets import MultiTaskDataset, RankingDataset, SupervisedDataset
from botorch.utils.types import DEFAULT, _DefaultType
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.data import Order, RankCounts, from_outcomes, from_ranking_dataset
from botorch_popbo.data.order import check_alike
from botorch_popbo.models._conditional_law import ConditionalKernel, ConditionalMean, in_dtype
from botorch_popbo.models._correlation import LOGIT_LOC, CorrelatedHyperparameters
from botorch_popbo.models._covariance import JITTER
from botorch_popbo.models._differences import Differences, make_differences
from botorch_popbo.models._evidence import Evidence
from botorch_popbo.models._hyperparameters import Hyperparameters, make_hyperparameters
from botorch_popbo.models._law import Law, condition_on_order
from botorch_popbo.models._plausible_laws import plausible_laws
from botorch_popbo.models._predictor import Predictor
from botorch_popbo.models._priors import default_kernel, default_likelihood, rank_likelihood
from botorch_popbo.models._rank_law import RankLaw, averaged
from botorch_popbo.models._records import Records
from botorch_popbo.models._sources import fit_tasks, is_one_point
from botorch_popbo.models.base import RankModel, order_of_training_data, warn_if_silent
from botorch_popbo.posteriors._thresholds import Thresholds
from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior

# Hyperparameters are fitted to so many records, and the law is conditioned on so many.
_NUM_FITTED = 250
_NUM_CONDITIONED = 500
# All sources share so many.
_NUM_OF_SOURCES = 250
_LEAST_NOISE = 2e-6  # within the limits of either prior, also in single precision


class RankingGP(RankModel, FantasizeMixin):
    r"""A Gaussian process on a utility :math:`z`, conditioned on the observed order.

    The order says which of two utilities is larger, up to noise, and nothing else. Its likelihood
    (:mod:`botorch_popbo.likelihoods.order`) gives both the utilities of the evaluated points, on
    the scale on which they look most like a draw of the prior, and the evidence by which
    lengthscales and noise variance are chosen. Given those utilities the process is exact. Any
    strictly increasing transform of ``train_Y`` gives the same model bit for bit (replicates
    excepted: they are averaged first).

    The ``posterior`` is the joint normal law of the utility, larger being better, in units of the
    prior's standard deviation and relative to the average of the evaluated points. So every
    acquisition function of BoTorch applies as it does to a Gaussian process over outcomes; a
    ``best_f`` is a utility, too, such as ``model.posterior(train_X).mean.max()``. The law of the
    rank is :meth:`rank_posterior`.

    Records that no smooth surface explains may be outliers, whose rank is uniform. The cost of a
    fit is cubic in the number of records up to a limit. Beyond it the best half of that limit and
    as many others, evenly spaced in rank, stand for all.

    Other tasks over the same space, such as earlier experiments or cheap fidelities, may be given
    as ``sources``. Each is ranked by itself and shares what it knows by a correlation of its own,
    which is never negative and is fitted as well (:mod:`botorch_popbo.models._correlation`). A
    source whose order makes no sense, or does not agree with the outcomes, is set aside; what is
    left is the model without it. All predictions are about the target.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: Outcomes, an ``N x 1`` tensor; larger is better and ``-inf`` marks a failed
            evaluation, which is worse than every success.
        train_Yvar: Variances of the outcomes, an ``N x 1`` tensor, NaN where unknown. What one
            standard error amounts to among the outcomes is carried over to the utility. Zeros say
            that there is no noise: nothing is then taken for an outlier, and the best point is the
            best evaluated one.
        likelihood: The noise, with a prior and a constraint. By default its variance is log-normal
            with median exp(-6), in units of the prior variance, and at most exp(-3.5).
        covar_module: The prior's kernel, whose scale does not matter. By default Matérn 5/2 with a
            lengthscale for each column, log-normal with median :math:`0.7 \sqrt{d}`, and a rough
            part (:class:`~botorch_popbo.models.kernels.RoughMaternKernel`). This kernel, with or
            without that part and with such priors of your own, has gradients in closed form; any
            other is fitted and searched by autograd. Parameters that require no gradient stay as
            they are.
        input_transform: Applied to every point. By default the bounding box of ``train_X`` is
            mapped to the unit cube; ``None`` leaves points as they are.
        order: An order to learn from instead of outcomes, from any function of
            :mod:`botorch_popbo.data`.
        sources: Orders of other tasks, of points of the same columns, dtype and device. With them
            a single point of the target is enough.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If there are fewer than two distinct points (one, with sources), or NaN or
            infinite values other than an outcome of ``-inf``.

    Warns:
        InputDataWarning: If all outcomes are equal. The order then carries no information and
            suggestions only keep away from what has been evaluated. Or if points lie outside of the
            unit cube, for which priors are made, and ``input_transform`` is ``None``.

    Example:
        >>> model = RankingGP(train_X, train_Y).fit()
        >>> acqf = qLogNoisyExpectedImprovement(model, X_baseline=train_X)
        >>> model.rank_posterior(test_X).mean  # expected number of better points
    """

    has_uncertainty = True
    known_radius = 1e-5

    order: Order
    raw_correlation: Parameter
    _is_used: Tensor
    _law: tuple[list[Tensor], Law] | None
    _averaged: tuple[Tensor, list[RankLaw]] | None
    _differences: tuple[Predictor, Tensor, Differences] | None

    def __init__(
        self,
        train_X: Tensor | None = None,
        train_Y: Tensor | None = None,
        train_Yvar: Tensor | None = None,
        likelihood: GaussianLikelihood | None = None,
        covar_module: Kernel | None = None,
        input_transform: InputTransform | _DefaultType | None = DEFAULT,
        order: Order | None = None,
        sources: Sequence[Order] = (),
    ) -> None:
        if sources and is_one_point(train_X, train_Y) and order is None:
            assert train_X is not None
            order = Order.without_lists(train_X[:1])
        else:
            order = order_of_training_data(train_X, train_Y, train_Yvar, order=order) or order
        assert order is not None
        check_alike(order, *sources)
        warn_if_silent(order.says_nothing and not sources)
        records = Records.from_order(order)
        if train_X is None or train_Y is None:
            train_X, train_Y = order.X[records.item], -records.better.to(order.X)
        source_X = torch.cat([order.X[:0], *(source.X for source in sources)])
        super().__init__(train_X, train_Y, order.X, input_transform, source_X)
        self.order = order
        self._prior = deepcopy((likelihood, covar_module))
        self._sources = [Records.from_order(source) for source in sources]
        self._learn_from(records, outliers=records.item[:0])
        dim = self._encoded_dim
        self.covar_module = default_kernel(dim) if covar_module is None else covar_module
        judged = bool(records.is_judged.any())
        self.likelihood = default_likelihood(judged) if likelihood is None else likelihood
        if sources:
            self.raw_correlation = Parameter(torch.full((len(sources),), LOGIT_LOC))
        self.to(order.X)
        self.register_load_state_dict_post_hook(_forget)

    def extra_repr(self) -> str:
        """What :mod:`torch` shows of the data."""
        aside = int((~self._is_used).sum())
        sources = f", {len(self._sources)} sources" if self._sources else ""
        return f"{self.order!r}{sources}, {aside} records set aside"

    @property
    def records(self) -> Records:
        """The ranking of the target's points that stand for all."""
        return self._of_target.to(self._X.device)

    @property
    def correlation(self) -> Tensor:
        """Correlations of the target's utility with those of the sources, of shape ``S``.

        Zero stands for a source that is set aside.
        """
        if not self._sources:
            return self._X.new_zeros(0)
        used = self._records.to(self._X.device).source[self._is_used]
        is_used = used.bincount(minlength=len(self._sources) + 1)[1:] > 0
        return self.raw_correlation.detach().sigmoid() * is_used

    @property
    def is_outlier(self) -> Tensor:
        """Which points of the order the fit has set aside, of shape ``m``."""
        outliers = torch.zeros(len(self._X), dtype=torch.bool, device=self._X.device)
        records = self.records
        return outliers.index_fill(0, records.item[~self._is_used[: len(records)]], True)

    @property
    def incumbent(self) -> Tensor:
        """The point to recommend: the best expected utility less one standard deviation.

        With noise the best rank belongs to a lucky outcome, and the best expected utility to a
        point that few others vouch for (Huang et al., 2006). What the order leaves open does not
        count. Outcomes that are known to be exact need no model: the best is the best.
        """
        return self.incumbent_among(None)

    def incumbent_among(self, is_eligible: Tensor | None) -> Tensor:
        """See the base class."""
        item = self.records.item
        value = self.law.predictor.pessimistic(self._encoded_records()[: len(item)])
        if is_eligible is not None:
            value = value.where(is_eligible[item], -torch.inf)
        if self.order.is_exact:  # of those that are tied the model chooses
            better = self.records.better.where(value.isfinite(), torch.inf)
            value = value.where(better == better.min(), -torch.inf)
        return self._X[item[value.argmax()]]

    @property
    def has_failed(self) -> Tensor:
        """Which points of the order are failures, of shape ``m``."""
        failed = torch.zeros(self.order.num_points, dtype=torch.bool, device=self._X.device)
        item = self.order.item[self.order.score.isneginf()]
        return failed.index_fill(0, item.to(failed.device), True)

    @property
    def rank_counts(self) -> RankCounts:
        """The evaluated points with the rank counts that follow from the order."""
        return RankCounts.from_order(self.order.to(self._X))

    def best_points(self, number: int) -> Tensor:
        """See the base class."""
        better, item = self._all_records.better, self._all_records.item
        best = better.topk(min(number, len(better)), largest=False).indices
        return self._X[item[best].to(self._X.device)]

    @property
    def noise(self) -> Tensor:
        """Variance of a utility's noise, in units of the prior variance; a scalar tensor."""
        noise: Tensor = self.likelihood.noise
        return noise.squeeze()

    def fit(self) -> Self:
        """Maximise the evidence of the order, starting from the current hyperparameters.

        Returns:
            The model itself, in evaluation mode.
        """
        self.train()
        X, hyperparameters = self._encoded_records(), self._hyperparameters()
        records = self._records.to(X.device)
        with torch.no_grad():
            theta, self._is_used = fit_tasks(
                X, records, hyperparameters, _NUM_FITTED, self.order.is_exact
            )
            hyperparameters.assign(theta)
        # What was prepared by the search depends on its path in the last digits.
        self._law = None
        return self.eval()

    def log_likelihood(self) -> Tensor:
        """Log-evidence of the order at the current hyperparameters, a scalar in nats."""
        hyperparameters = self._hyperparameters()
        evidence = Evidence(*self._used(), hyperparameters)
        return evidence.condition(hyperparameters.current()).utilities.log_likelihood

    def posterior(  # type: ignore[override]  # the mixin knows but one argument
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """The joint law of the utility.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.
            output_indices: ``None`` or ``[0]``: there is one output.
            observation_noise: Whether to add the noise of an outcome; or the variances to add, in
                squared units of utility, broadcastable to ``batch_shape x q x 1``.
            posterior_transform: Applied to the result.

        Returns:
            A normal posterior of shape ``batch_shape x q x 1``, larger being better. Its
            covariance is not computed before it is used.

        Raises:
            BotorchTensorDimensionError: If ``X`` has the wrong shape.
            UnsupportedError: If another output is asked for.
        """
        self._check_output(output_indices)
        posterior = self._utility(self.encode(X), observation_noise)
        return posterior if posterior_transform is None else posterior_transform(posterior)

    def rank_posterior(self, X: Tensor, observation_noise: bool = False) -> GaussianRankPosterior:
        """The law of each point's rank among all evaluated points.

        It is averaged over the hyperparameters that the order leaves plausible, with a noise that
        is not kept small for the sake of a search. That is prepared at the first call, which takes
        about as long as a fit.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.
            observation_noise: Whether the rank is that of a noisy outcome at the point.

        Returns:
            A posterior over counts of shape ``batch_shape x q x 1``, smaller being better.

        Raises:
            BotorchTensorDimensionError: If ``X`` has no ``q`` or not ``d`` columns.
        """
        return self._rank(self._plausible_laws(), self.encode(X), observation_noise)

    def rank_law(self, encoded: Tensor, observation_noise: bool = False) -> GaussianRankPosterior:
        """See the base class."""
        return self._rank([self.law.ranks], encoded, observation_noise)

    def improvement(self, encoded: Tensor, reference: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """How much better points are than a reference point, in utility.

        Args:
            encoded: Encoded points, ``batch_shape x 1 x d'``.
            reference: One encoded point, of shape ``d'``.

        Returns:
            Mean and variance, and the part of the variance of a point's own utility that more
            evaluations there would remove; three tensors of shape ``batch_shape x 1``.
        """
        moments = self._differences_from(reference.double()).moments(encoded.double())
        mean, variance, own = (values.to(encoded) for values in moments)
        return mean, variance, own

    def condition_on_observations(
        self, X: Tensor, Y: Tensor, noise: Tensor | None = None, **kwargs: Any
    ) -> SingleTaskGP:
        """Condition on observed utilities; the hyperparameters stay as they are.

        Args:
            X: Points, a ``batch_shape x n x d`` tensor.
            Y: Utilities, a ``batch_shape' x n x 1`` tensor, broadcastable with ``batch_shape``.
            noise: Their variances, in the shape of ``Y``; by default that of an outcome.
            **kwargs: None.

        Returns:
            A Gaussian process whose prior is this model's posterior: exact, batched, and a model
            that can be conditioned further.
        """
        batch_shape = torch.broadcast_shapes(X.shape[:-2], Y.shape[:-2])
        X, Y = X.to(self._X.dtype), Y.to(self._X.dtype)
        Y = Y.expand(*batch_shape, *Y.shape[-2:])
        if self.training:
            self.eval()
        predictor, transform = self.law.predictor, getattr(self, "input_transform", None)
        with validate_input_scaling(False):
            conditioned = SingleTaskGP(
                X.expand(*batch_shape, *X.shape[-2:]),
                Y,
                None if noise is None else noise.to(Y).expand_as(Y),
                likelihood=deepcopy(self.likelihood) if noise is None else None,
                mean_module=ConditionalMean(predictor, transform),
                covar_module=ConditionalKernel(predictor, X.dtype, transform),
                outcome_transform=None,
            )
        return conditioned.eval()

    def with_order(self, order: Order) -> "RankingGP":
        """See the base class."""
        likelihood, covar_module = deepcopy(self._prior)
        transform = deepcopy(getattr(self, "input_transform", None))
        return RankingGP(
            order=order,
            likelihood=likelihood,
            covar_module=covar_module,
            input_transform=transform,
        )

    def with_pending(self, X_pending: Tensor) -> "RankingGP":
        """See the base class."""
        X_pending = X_pending.detach().to(self._X)
        known = self._all_records
        with torch.no_grad():
            predicted = self.rank_law(self.encode(X_pending)).mean.squeeze(-1)
            points = torch.cat([self._X[known.item], X_pending])
            utility = self.law.predictor.mean(self.encode(points).double())
        model = deepcopy(self)
        model._X = torch.cat([self._X, X_pending])
        records = known.insert(predicted.clamp_max(known.num_points), utility)
        of_sources = self._is_used[len(self.records) :]
        model._learn_from(records, self.is_outlier.nonzero().squeeze(-1), of_sources)
        return model.eval()

    @classmethod
    def construct_inputs(cls, training_data: SupervisedDataset) -> dict[str, Any]:
        """Constructor arguments from a data set.

        Args:
            training_data: Points and one column of outcomes, perhaps with their variances; or
                rankings; or a :class:`~botorch.utils.datasets.MultiTaskDataset`, whose tasks other
                than the target become sources.

        Returns:
            Keyword arguments of the constructor.
        """
        if isinstance(training_data, RankingDataset):
            return {"order": from_ranking_dataset(training_data)}
        if isinstance(training_data, MultiTaskDataset):
            return _inputs_of_tasks(training_data)
        return {
            "train_X": training_data.X,
            "train_Y": training_data.Y,
            "train_Yvar": training_data.Yvar,
        }

    def get_extra_state(self) -> Tensor:
        """Which records are used: part of the state, but as long as the data."""
        return self._is_used

    def set_extra_state(self, state: Any) -> None:
        """Take over which records are used, if the data are as long.

        Args:
            state: What :meth:`get_extra_state` returned.
        """
        if isinstance(state, Tensor) and state.shape == self._is_used.shape:
            self._is_used = state.to(self._is_used.device)

    def _learn_from(
        self, records: Records, outliers: Tensor, of_sources: Tensor | None = None
    ) -> None:
        """Choose the records that stand for all; which are used of the sources may be known."""
        self._all_records = records
        joint, first_item = records, records.num_points
        for number, source in enumerate(self._sources, 1):
            share = source.representatives(_NUM_OF_SOURCES // len(self._sources))
            joint = joint.join(source.subset(share), number, first_item)
            first_item += source.num_points
        self._joint, self._representatives = joint, joint.representatives(_NUM_CONDITIONED)
        self._records = joint.subset(self._representatives)
        self._of_target = self._records.subset(self._records.is_target.nonzero().squeeze(-1))
        is_used = ~torch.isin(self._records.item, outliers)
        if of_sources is not None:
            is_used[len(self._of_target) :] = of_sources
        self.register_buffer("_is_used", is_used, persistent=False)
        self._law = None
        self._averaged = None
        self._differences = None

    @property
    def law(self) -> Law:
        """The conditional law, prepared unless it was for the same hyperparameters."""
        known = self._law  # asked for at every step of an optimizer
        if known is None or not _are_equal(known[0], list(self.parameters())):
            known = (
                [parameter.detach().clone() for parameter in self.parameters()],
                self._conditioned(),
            )
            self._law = known
        return known[1]

    def _conditioned(self) -> Law:
        hyperparameters = self._hyperparameters()
        theta = hyperparameters.current()
        if self.training:
            self.eval()
        with torch.no_grad():
            return condition_on_order(
                self._encoded_records()[self._is_used],
                self._joint.to(theta.device),
                self._representatives.to(theta.device)[self._is_used],
                hyperparameters,
                theta,
            )

    def _plausible_laws(self) -> list[RankLaw]:
        """Laws of the rank, prepared unless they were for the same hyperparameters."""
        theta, known = self.law.theta, self._averaged
        if known is None or known[0] is not theta:
            # A judge's noise has such a prior already.
            is_default = self._prior[0] is None and not bool(self.records.is_judged.any())
            likelihood = rank_likelihood().to(theta) if is_default else self.likelihood
            if is_default:
                likelihood.noise = self.noise.detach().to(theta).clamp_min(_LEAST_NOISE)
            # A source is set aside for good, an outlier of the target perhaps not.
            kept = self._is_used | self._records.is_target.to(theta.device)
            with torch.no_grad():
                laws = plausible_laws(
                    self._encoded_records()[kept],
                    self._joint.to(theta.device),
                    self._representatives.to(theta.device)[kept],
                    self._is_used[kept],
                    self._hyperparameters(likelihood, bool(self.correlation.any())),
                )
            self._averaged = known = (theta, laws)
        return known[1]

    def _rank(
        self, laws: Sequence[RankLaw], encoded: Tensor, observation_noise: bool
    ) -> GaussianRankPosterior:
        double = encoded.double()
        values = averaged([law.thresholds(double, observation_noise) for law in laws])
        return GaussianRankPosterior(
            Thresholds(values, laws[0].buckets.size).to(encoded),
            partial(self._utility, encoded, observation_noise),
        )

    def _utility(self, encoded: Tensor, observation_noise: bool | Tensor) -> GPyTorchPosterior:
        predictor, double = self.law.predictor, encoded.double()
        noise = torch.full_like(double[..., 0], JITTER)
        if isinstance(observation_noise, Tensor):
            noise = noise + observation_noise.squeeze(-1)
        elif observation_noise:
            noise = noise + self.noise.detach()
        covariance = ConditionalKernel(predictor)(double).add_diagonal(noise)
        mean = predictor.mean(double).to(encoded)
        return GPyTorchPosterior(MultivariateNormal(mean, in_dtype(covariance, encoded.dtype)))

    def _differences_from(self, reference: Tensor) -> Differences:
        """Predictions relative to a reference, prepared unless they were for the same one."""
        predictor = self.law.predictor
        known = self._differences
        if known is None or known[0] is not predictor or not known[1].equal(reference):
            with torch.no_grad():
                known = (predictor, reference, make_differences(predictor, reference))
            self._differences = known
        return known[2]

    def _hyperparameters(
        self, likelihood: GaussianLikelihood | None = None, with_sources: bool = True
    ) -> Hyperparameters:
        likelihood = self.likelihood if likelihood is None else likelihood
        target = make_hyperparameters(self.covar_module, likelihood, self._encoded_dim)
        if not self._sources or not with_sources:
            return target
        return CorrelatedHyperparameters(target, self.raw_correlation)

    def _used(self) -> tuple[Tensor, Records]:
        """The records that are no outliers, encoded and in double precision, and their ranking."""
        used = self._is_used.nonzero().squeeze(-1)
        return self._encoded_records()[used], self._records.to(used.device).subset(used)

    def _encoded_records(self) -> Tensor:
        """The records of the target, then those of the sources."""
        points = self._encoded_points()
        return points[self._records.item.to(points.device)].double()


def _are_equal(known: list[Tensor], values: list[Parameter]) -> bool:
    return all(
        a.device == b.device and torch.equal(a, b) for a, b in zip(known, values, strict=True)
    )


def _inputs_of_tasks(training_data: MultiTaskDataset) -> dict[str, Any]:
    """Constructor arguments for a target and its sources."""
    datasets = dict(training_data.datasets)
    column = training_data.task_feature_index
    if column is not None:
        raise UnsupportedError(
            "RankingGP takes points without a column for the task. Leave task_feature_index out."
        )
    target = datasets.pop(training_data.target_outcome_name)
    sources = [from_outcomes(data.X, data.Y, data.Yvar) for data in datasets.values()]
    return {
        "train_X": target.X,
        "train_Y": target.Y,
        "train_Yvar": target.Yvar,
        "sources": sources,
    }


def _forget(model: RankingGP, incompatible_keys: object) -> None:
    """A state dict brings its own input transform, such as the bounding box of other points."""
    model._law = None
