"""A Gaussian process on a utility, conditioned on a ranking."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

import torch
from botorch.exceptions import InputDataError
from botorch.models.transforms.input import InputTransform
from botorch.utils.datasets import SupervisedDataset
from botorch.utils.types import DEFAULT, _DefaultType
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.data import Order, RankCounts
from botorch_popbo.data.order import check_alike
from botorch_popbo.models._data_sets import model_inputs
from botorch_popbo.models._fit.evidence import Evidence
from botorch_popbo.models._fit.sources import fit_tasks
from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._hyperparameters.correlation import correlation, prior_logits
from botorch_popbo.models._hyperparameters.make import check_prior, make_hyperparameters
from botorch_popbo.models._hyperparameters.priors import (
    default_kernel,
    default_likelihood,
    rank_likelihood,
)
from botorch_popbo.models._law.law import Law, condition_on_order
from botorch_popbo.models._law.plausible_laws import plausible_laws
from botorch_popbo.models._law.rank_law import RankLaw
from botorch_popbo.models._records.from_order import records_of
from botorch_popbo.models._records.pending import insert_pending
from botorch_popbo.models._records.records import Records
from botorch_popbo.models._records.representatives import NUM_FITTED, Representatives
from botorch_popbo.models._training_data import (
    is_one_point,
    order_of_training_data,
    warn_if_silent,
)
from botorch_popbo.models._utility_model import UtilityModel, forget_law
from botorch_popbo.models.input_transforms import is_categorical


class RankingGP(UtilityModel):
    r"""A Gaussian process on a utility :math:`z`, conditioned on the observed order.

    The order says which of two utilities is larger, up to noise, and nothing else. Its likelihood
    (:mod:`botorch_popbo.likelihoods.order`) gives both the utilities of the evaluated points, on
    the scale on which they look most like a draw of the prior, and the evidence by which
    lengthscales and noise variance are chosen. Given those utilities the process is exact. Any
    strictly increasing transform of ``train_Y`` gives the same model bit for bit (replicates
    excepted: they are averaged first).

    The ``posterior`` is the joint normal law of the utility, larger being better, in units of the
    prior's standard deviation. The order leaves its level open: means count from what is expected
    far from all points, and variances are those of the difference to the average of the evaluated
    points. So every acquisition function of BoTorch applies as it does to a Gaussian process over
    outcomes; a ``best_f`` is a utility, too, such as ``model.posterior(train_X).mean.max()``. The
    law of the rank is :meth:`rank_posterior`.

    Records that no smooth surface explains may be outliers, whose rank is uniform. The cost of a
    fit is cubic in the number of records up to a limit. Beyond it the best half of that limit and
    as many others, evenly spaced in rank, stand for all.

    Other tasks over the same space, such as earlier experiments or cheap fidelities, may be given
    as ``sources``. Each is ranked by itself and shares what it knows by a correlation of its own,
    which is never negative and is fitted as well
    (:mod:`botorch_popbo.models._hyperparameters.correlation`). A source whose order makes no sense,
    or does not agree with the outcomes, is set aside; what is left is the model without it. All
    predictions are about the target.

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
        covar_module: The prior's kernel, of about unit variance, for which the noise's prior and
            limits are made: an order knows no scale. By default Matérn 5/2 with a lengthscale
            for each direction, log-normal with median :math:`0.7 \sqrt{d}`, and a rough part
            (:class:`~botorch_popbo.models.kernels.RoughMaternKernel`). The directions are the
            columns unless others explain the order far better. A table of categories has neither
            other directions nor a rough part. This kernel, with or
            without that part and with such priors of your own, has gradients in closed form; any
            other is fitted and searched by autograd. Parameters that require no gradient stay as
            they are.
        input_transform: Applied to every point. By default the bounding box of all points is
            mapped to the unit cube; ``None`` leaves points as they are.
        order: An order to learn from instead of outcomes, from any function of
            :mod:`botorch_popbo.data`.
        sources: Orders of other tasks, of points of the same columns, dtype and device. With them
            a single point of the target is enough.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If there are fewer than two distinct points (one, with sources), or NaN or
            infinite values other than an outcome of ``-inf``.
        UnsupportedError: If the likelihood has not one variance, if the kernel is a batch of
            several, or if the input transform has parameters or makes several points of one.

    Warns:
        InputDataWarning: If all outcomes are equal. The order then carries no information and
            suggestions only keep away from what has been evaluated. Or if points lie outside of the
            unit cube, for which priors are made, and ``input_transform`` is ``None``, or if a
            transform leaves all of them within 1e-6 of each other there.

    Example:
        >>> model = RankingGP(train_X, train_Y).fit()
        >>> acqf = qLogNoisyExpectedImprovement(model, X_baseline=train_X)
        >>> model.rank_posterior(test_X).mean  # expected number of better points
    """

    has_uncertainty = True
    known_radius = 1e-5

    order: Order
    raw_loading: Parameter
    _is_used: Tensor

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
        check_prior(covar_module, likelihood)
        if isinstance(sources, Order):
            raise InputDataError("sources holds an order for each task. Pass it as [order].")
        if sources and is_one_point(train_X, train_Y) and order is None:
            assert train_X is not None
            order = Order.without_lists(train_X[:1])
        else:
            order = order_of_training_data(train_X, train_Y, train_Yvar, order=order) or order
        assert order is not None
        check_alike(order, *sources)
        is_silent = order.says_nothing and not sources
        warn_if_silent(is_silent)
        if is_silent:  # as far from what is known as there is room
            self.known_radius = 1.0
        records = records_of(order)
        if train_X is None or train_Y is None:
            train_X, train_Y = order.X[records.item], -records.better.to(order.X)
        source_X = torch.cat([order.X[:0], *(source.X for source in sources)])
        super().__init__(train_X, train_Y, order.X, input_transform, source_X)
        self.order = order
        self._prior = deepcopy((likelihood, covar_module))
        of_sources = [records_of(source) for source in sources]
        data = Representatives.choose(records, of_sources)
        self._learn_from(data, torch.ones_like(data.records.item, dtype=torch.bool))
        dim = self._encoded_dim
        if covar_module is None:
            is_one_hot = is_categorical(getattr(self, "input_transform", None))
            covar_module = default_kernel(dim, is_categorical=is_one_hot)
        self.covar_module = covar_module
        judged = bool(records.is_judged.any())
        self.likelihood = default_likelihood(judged) if likelihood is None else likelihood
        if sources:
            self.raw_loading = Parameter(prior_logits(len(sources)))
        self.to(order.X)
        self.register_load_state_dict_post_hook(forget_law)

    def extra_repr(self) -> str:
        """What :mod:`torch` shows of the data."""
        aside = int((~self._is_used).sum())
        number = len(self._data.sources)
        sources = f", {number} sources" if number else ""
        return f"{self.order!r}{sources}, {aside} records set aside"

    @property
    def records(self) -> Records:
        """The ranking of the target's points that stand for all."""
        return self._data.of_target.to(self._X.device)

    @property
    def correlation(self) -> Tensor:
        """Correlations of the target's utility with those of the sources, of shape ``S``.

        Zero stands for a source that is set aside.
        """
        number = len(self._data.sources)
        if not number:
            return self._X.new_zeros(0)
        used = self._data.records.to(self._X.device).source[self._is_used]
        is_used = used.bincount(minlength=number + 1)[1:] > 0
        return correlation(self.raw_loading.detach())[0, 1:] * is_used

    @property
    def is_outlier(self) -> Tensor:
        """Which points of the order the fit has set aside, of shape ``m``."""
        outliers = torch.zeros(len(self._X), dtype=torch.bool, device=self._X.device)
        records = self.records
        return outliers.index_fill(0, records.item[~self._is_used[: len(records)]], True)

    def incumbent_among(self, is_eligible: Tensor | None) -> Tensor:
        """The point of the best expected utility less one standard deviation; see the base class.

        With noise the best rank belongs to a lucky outcome, and the best expected utility to a
        point that few others vouch for (Huang et al., 2006). What the order leaves open does not
        count. Outcomes that are known to be exact need no model: the best is the best.
        """
        records = self.records
        if is_eligible is not None:
            records = self._data.among(is_eligible).to(self._X.device)
        item = records.item
        value = self.law.predictor.pessimistic(self._encoded_points()[item].double())
        if self.order.is_exact:  # of those that are tied the model chooses
            value = value.where(records.better == records.better.min(), -torch.inf)
        return self._X[item[value.argmax()]].clone()

    @property
    def has_failed(self) -> Tensor:
        """Which known points are failures, of shape ``m``; pending ones are none."""
        failed = torch.zeros(len(self._X), dtype=torch.bool, device=self._X.device)
        item = self.order.item[self.order.score.isneginf()]
        return failed.index_fill(0, item.to(failed.device), True)

    @property
    def rank_counts(self) -> RankCounts:
        """The evaluated points with the rank counts that follow from the order."""
        return RankCounts.from_order(self.order.to(self._X))

    def best_points(self, number: int) -> Tensor:
        """See the base class."""
        better, item = self._data.target.better, self._data.target.item
        best = better.topk(min(number, len(better)), largest=False).indices
        return self._X[item[best].to(self._X.device)]

    def fit(self) -> Self:
        """Maximise the evidence of the order, starting from the current hyperparameters.

        Returns:
            The model itself, in evaluation mode.
        """
        X, hyperparameters = self._encoded_records(learn=True), self._hyperparameters()
        records = self._data.records.to(X.device)
        with torch.no_grad():
            fitted, theta, self._is_used = fit_tasks(
                X, records, hyperparameters, NUM_FITTED, self.order.is_exact
            )
            fitted.assign(theta)
        # What was prepared by the search depends on its path in the last digits.
        self._law = None
        return self.eval()

    def log_likelihood(self) -> Tensor:
        """Log-evidence of the order at the current hyperparameters, a scalar in nats."""
        hyperparameters, used = self._hyperparameters(), self._is_used.nonzero().squeeze(-1)
        records = self._data.records.to(used.device).subset(used)
        evidence = Evidence(self._encoded_records()[used], records, hyperparameters)
        return evidence.condition(hyperparameters.current()).utilities.log_likelihood

    def with_order(self, order: Order) -> "RankingGP":
        """See the base class; sources, which may be of another metric, are left out."""
        likelihood, covar_module = deepcopy(self._prior)
        return RankingGP(
            order=order,
            likelihood=likelihood,
            covar_module=covar_module,
            input_transform=self._unlearned_transform(),
        )

    def with_pending(self, X_pending: Tensor) -> "RankingGP":
        """See the base class."""
        X_pending = X_pending.detach().to(self._X)
        known = self._data.target.to(self._X.device)
        with torch.no_grad():
            predicted = self.rank_law(self.encode(X_pending)).mean.squeeze(-1)
            points = torch.cat([self._X[known.item], X_pending])
            utility = self.law.predictor.mean(self.encode(points).double())
        model = deepcopy(self)
        model._X = torch.cat([self._X, X_pending])
        records = insert_pending(known, predicted.clamp_max(known.num_points), utility)
        sources = [source.to(self._X.device) for source in self._data.sources]
        data = Representatives.choose(records, sources)
        # Not by point: where a point has several records one of them may be an outlier.
        own = self._is_used[: len(self.records)]
        aside = self._data.index.to(own.device)[: len(own)][~own]
        is_used = ~torch.isin(data.index.to(own.device), aside)
        is_used[len(data.of_target) :] = self._is_used[len(own) :]
        model._learn_from(data, is_used)
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
        return model_inputs(training_data)

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

    def _learn_from(self, data: Representatives, is_used: Tensor) -> None:
        self._data = data
        self.register_buffer("_is_used", is_used, persistent=False)
        self._law = None

    def _conditioned(self) -> Law:
        hyperparameters = self._hyperparameters()
        theta = hyperparameters.current()
        if self.training:
            self.eval()
        with torch.no_grad():
            return condition_on_order(*self._conditions(self._is_used), hyperparameters, theta)

    def _plausible_laws(self) -> list[RankLaw]:
        """Laws of the rank, prepared unless they were for the same hyperparameters."""
        law, used = self.law, self._is_used
        if law.plausible is None:
            # A judge's noise has such a prior already.
            is_fitted = any(noise.requires_grad for noise in self.likelihood.parameters())
            is_default = self._prior[0] is None and not bool(self.records.is_judged.any())
            noise = self.noise.detach().to(law.theta)
            hyperparameters = self._hyperparameters(
                rank_likelihood(noise) if is_default and is_fitted else None,
                bool(self.correlation.any()),
            )
            # A source is set aside for good, an outlier of the target perhaps not.
            kept = used | self._data.records.is_target.to(used.device)
            with torch.inference_mode(False), torch.no_grad():
                law.plausible = plausible_laws(*self._conditions(kept), used[kept], hyperparameters)
        return law.plausible

    def _hyperparameters(
        self, likelihood: GaussianLikelihood | None = None, with_sources: bool = True
    ) -> Hyperparameters:
        return make_hyperparameters(
            self.covar_module,
            self.likelihood if likelihood is None else likelihood,
            self._encoded_dim,
            self.raw_loading if self._data.sources and with_sources else None,
        )

    def _conditions(self, kept: Tensor) -> tuple[Tensor, Records, Tensor]:
        """Some of the encoded records that stand for all, all records, and which of them these are.

        Args:
            kept: Which ones, a mask.
        """
        joint, index = self._data.joint.to(kept.device), self._data.index.to(kept.device)
        return self._encoded_records()[kept], joint, index[kept]

    def _encoded_records(self, learn: bool = False) -> Tensor:
        """The records of the target, then those of the sources, in double precision."""
        points = self._encoded_points(learn)
        return points[self._data.records.item.to(points.device)].double()
