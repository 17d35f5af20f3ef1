"""A Gaussian process on a utility, conditioned on a ranking."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn, Self

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.models.gp_regression import SingleTaskGP
from botorch.models.model import FantasizeMixin
from botorch.models.transforms.input import InputTransform
from botorch.posteriors import GPyTorchPosterior, Posterior
from botorch.settings import validate_input_scaling
from botorch.utils.types import DEFAULT, _DefaultType
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood, Likelihood
from gpytorch.means import Mean, ZeroMean
from gpytorch.models import GP
from gpytorch.models.exact_prediction_strategies import prediction_strategy
from torch import Tensor
from torch.nn import Module

from botorch_popbo._reproducible import one_thread
from botorch_popbo.data import Order, combine, from_comparisons
from botorch_popbo.data._checks import are_comparisons
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.data.order import check_alike
from botorch_popbo.models import conditional, priors
from botorch_popbo.models.evidence import Evidence, Sample
from botorch_popbo.models.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models.input_transforms import InactiveColumns, OneHotCategories, part_of
from botorch_popbo.models.outliers import lone_surprise
from botorch_popbo.models.predictor import Differences, Predictor
from botorch_popbo.models.rank_model import RankModel, order_of_training_data, warn_if_silent
from botorch_popbo.models.ranks import RankPredictor, averaged, plausible_ranks
from botorch_popbo.models.records import Records, resolution
from botorch_popbo.models.tasks import fit_tasks
from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior, Thresholds
from botorch_popbo.settings import ModelSettings


class RankingGP(RankModel, GP, FantasizeMixin):
    r"""A Gaussian process on a utility :math:`z`, conditioned on the observed order.

    An order says which of two utilities is larger, up to noise. Outcomes also say how far apart
    they are; the model believes these distances as far as they make sense, up to a smooth monotone
    warp. Expectation propagation (:mod:`botorch_popbo.likelihoods.propagation`) gives the
    utilities of the evaluated points, and the evidence that chooses lengthscales and noise. An
    affine transform of ``train_Y`` that keeps distinct outcomes distinct gives the same model up to
    rounding.

    The ``posterior`` is that of the utility, larger being better, in units of the prior's standard
    deviation: normal and joint. The order leaves its level open: means count from what is expected
    far from all points, and variances are those of the difference to the average of the evaluated
    points. So every acquisition function of BoTorch applies as it does to a Gaussian process over
    outcomes; a ``best_f`` is a utility, too, such as ``model.posterior(train_X).mean.max()``. The
    law of the rank is :meth:`rank_posterior`.

    Observations that no smooth surface explains may be outliers, whose rank is uniform. The cost of
    a fit is cubic in the number of records up to a limit. Beyond it the best half of that limit and
    as many others, evenly spaced in rank, stand for all.

    Other tasks over the same space, such as earlier experiments or cheap fidelities, may be given
    as ``sources``. Each is ranked by itself and shares what it knows by a correlation of its own,
    which is never negative and is fitted as well
    (:class:`botorch_popbo.models.priors.TaskCorrelation`). A source whose order makes no
    sense, or does not agree with the outcomes, is set aside; what is left is the model without it.
    All predictions are about the target.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: Outcomes, an ``N x 1`` tensor; larger is better and ``-inf`` marks a failed
            evaluation, which is worse than every success. Or comparisons, an ``M x 2`` integer
            tensor: rows of ``train_X``, the preferred one first. Without data, points and order
            the model is its prior, until :meth:`set_train_data`.
        train_Yvar: Variances of the outcomes, an ``N x 1`` tensor, NaN where unknown. What one
            standard error amounts to among the outcomes is carried over to the utility. Zeros say
            that there is no noise: nothing is then taken for an outlier, and the best point is the
            best evaluated one.
        likelihood: The noise, with a prior and a constraint. By default its variance is log-normal
            with median exp(-6), in units of the prior variance, and at most exp(-3.5). For answers
            alone it may be one of BoTorch's pairwise likelihoods, whose noise is fixed: utilities
            then are in its units, and the default kernel has a scale.
        covar_module: The prior's kernel, of about unit variance, for which the noise's prior and
            limits are made: an order knows no scale. By default Matérn 5/2 with a lengthscale
            for each direction, log-normal with median :math:`0.7 \sqrt{d}`, and a rough part
            (:class:`~botorch_popbo.models.kernels.RoughMaternKernel`). The directions are the
            columns unless others explain the order far better. A table of categories has neither
            other directions nor a rough part. Any other kernel is fitted and searched in the
            same way, a few times slower. Parameters that require no gradient stay as they are.
        mean_module: The prior's mean, by default zero: what is known of the utility before, such as
            a trend. It sees encoded points, and its level does not matter.
        outcome_transform: None; an order has no unit to be transformed.
        input_transform: Applied to every point, and learned with the other hyperparameters if it
            has parameters. By default the bounding box of all points is mapped to the unit cube;
            ``None`` leaves points as they are. Perturbations count in the ``posterior`` alone.
        order: An order to learn from instead of outcomes, from any function of
            :mod:`botorch_popbo.data`.
        sources: Orders of other tasks, of points of the same columns, dtype and device. With them
            a single point of the target is enough.
        settings: Priors, and how the model is fitted.
        order_only: Whether to ignore how far apart outcomes are. Any strictly increasing transform
            of ``train_Y`` then gives the same model, bit for bit (but for replicates, which are
            averaged first).

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If there are fewer than two distinct points (one, with sources), or NaN or
            infinite values other than an outcome of ``-inf``.
        UnsupportedError: If the likelihood has not one variance, if the kernel is a batch of
            several, if the input transform adds columns to other points than those of training,
            or if there is an outcome transform.

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

    order: Order
    _law: Predictor | None = None
    _plausible: list[RankPredictor] | None = None

    def __init__(
        self,
        train_X: Tensor | None = None,
        train_Y: Tensor | None = None,
        train_Yvar: Tensor | None = None,
        likelihood: Likelihood | None = None,
        covar_module: Kernel | None = None,
        mean_module: Mean | None = None,
        outcome_transform: None = None,
        input_transform: InputTransform | _DefaultType | None = DEFAULT,
        order: Order | None = None,
        sources: Sequence[Order] = (),
        settings: ModelSettings = ModelSettings(),  # noqa: B008  # frozen
        order_only: bool = False,
    ) -> None:
        if outcome_transform is not None:
            raise UnsupportedError("Outcomes count by their order: pass outcome_transform=None.")
        settings = replace(settings, order_only=settings.order_only or order_only)
        if isinstance(sources, Order):
            raise InputDataError("sources holds an order for each task. Pass it as [order].")
        if all(data is None for data in (train_X, train_Y, train_Yvar, order)) and not sources:
            order = Order.without_lists(torch.zeros(0, 1, dtype=torch.double))  # a prior
            input_transform = None if isinstance(input_transform, _DefaultType) else input_transform
        order = order_of_training_data(train_X, train_Y, train_Yvar, bool(sources), order=order)
        check_alike(order, *sources)
        is_silent = order.says_nothing and not sources and len(order.X) > 0
        warn_if_silent(is_silent)
        self.settings = settings
        records = Records.from_order(order, settings.order_only)
        priors.check_prior(covar_module, likelihood, bool(records.is_judged.all()))
        if train_X is None or train_Y is None:
            # BoTorch looks for outcomes in every model; ranks stand in for them.
            train_X, train_Y = order.X[records.item], -records.better.to(order.X)
        source_X = torch.cat([order.X[:0], *(source.X for source in sources)])
        super().__init__(train_X, train_Y, order.X, input_transform, source_X)
        self.order = order
        # As they were given: a model of other data starts where this one did.
        prior = {"likelihood": likelihood, "covar_module": covar_module, "mean_module": mean_module}
        self._prior: dict[str, Any] = deepcopy(prior)
        self._prior["input_transform"] = input_transform  # of this no copy: whether there is one
        self._target, self.num_sources = records, len(sources)
        self._chosen = records.representatives(settings.num_conditioned)
        of_sources = [Records.from_order(source) for source in sources]
        chosen = records.subset(self._chosen)
        self._records = chosen.with_sources(of_sources, settings.num_of_sources)
        is_used = torch.ones_like(self._records.item, dtype=torch.bool)
        self.register_buffer("_is_used", is_used, persistent=False)
        # Where all outcomes are equal, as far from what is known as there is room.
        self.known_radius = max(1.0 if is_silent else settings.known_radius, self._resolution())
        self.covar_module = covar_module or self._default_kernel(likelihood)
        self.mean_module = mean_module or ZeroMean()
        self.likelihood = likelihood or priors.default_likelihood(settings, self._is_judged)
        self.tasks = priors.TaskCorrelation(len(sources), settings) if sources else None
        self.warp = priors.Warp(settings) if bool(records.outcome.isfinite().any()) else None
        self.to(order.X)

    def _resolution(self) -> float:
        """The distance up to which outcomes are equal, per root of the number of columns."""
        order, records = self.order, self._target
        # Of several lists each has a unit of its own.
        measured = order.is_measured & order.score.isfinite() & (order.num_lists == 1)
        row = self._chosen[torch.isin(self._chosen, order.ranked.inverse[measured])]
        encoded = self._encoded_points(learn=True)[records.item[row]].double()
        return resolution(encoded, records.level[row]) / order.X.shape[-1] ** 0.5

    def _default_kernel(self, likelihood: Likelihood | None) -> Kernel:
        one_hot = part_of(self.input_transform, OneHotCategories)
        is_all = one_hot is not None and len(one_hot.categories) == one_hot.d
        dim = self._encoded_dim if len(self.order.X) else None
        kernel = priors.default_kernel(dim, 1.0, is_all, self.settings)
        if self._learns_inputs or part_of(self.input_transform, InactiveColumns) is not None:
            # A direction would mix columns that never have a meaning together, or are warped.
            kernel.rotation = None
        if type(likelihood) in priors.ANSWER_NOISES:
            return priors.scaled(kernel, self.settings)
        return kernel

    def extra_repr(self) -> str:
        """What :mod:`torch` shows of the data."""
        sources = f", {self.num_sources} sources" if self.num_sources else ""
        return f"{self.order!r}{sources}, {int((~self._is_used).sum())} records set aside"

    @property
    def datapoints(self) -> Tensor:
        """The known points, as :class:`~botorch.models.PairwiseGP` calls them, ``m x d``."""
        return self.known_X

    @property
    def comparisons(self) -> Tensor:
        """Rows of :attr:`datapoints` of which the first is better, as far as said; ``M x 2``."""
        statements = self._target.statements
        strict = statements.subset(~statements.is_tie)
        return self._target.item[torch.stack([strict.better, strict.worse], dim=-1)]

    @property
    def utility(self) -> Tensor:
        """Expected utilities of the :attr:`datapoints`, of shape ``m``."""
        return self.expected_utility(self.known_X)

    @property
    def correlation(self) -> Tensor:
        """Correlations of the target's utility with those of the sources, of shape ``S``.

        Zero stands for a source that is set aside.
        """
        if self.tasks is None:
            return self.known_X.new_zeros(0)
        used = self._records.source[self._is_used]
        is_used = used.bincount(minlength=self.num_sources + 1)[1:] > 0
        return self.tasks.matrix.detach()[0, 1:] * is_used

    @property
    def is_outlier(self) -> Tensor:
        """Which points of the order the fit has set aside, of shape ``m``."""
        return self._marked(self._records.item[~self._is_used & self._records.is_target])

    @property
    @torch.no_grad()
    def inferred(self) -> str:
        """What the fit takes the outcomes for, in words.

        The noise is that of a single value, as a standard deviation. It is in the unit of the
        outcomes if half of them are as far apart as half of the utilities.
        """
        deviation, number = float(self.noise) ** 0.5, int(self.is_outlier.sum())
        distances, noise = "Only their order counts", f"{deviation:.0%} of their spread"
        if self.warp is not None:
            distances, order = self.warp.inferred, self.order
            succeeded = order.score.isfinite()
            utility = self.expected_utility(order.X[order.item[succeeded]]).double()
            quarters = utility.new_tensor([0.25, 0.75])
            rise = order.score[succeeded].double().quantile(quarters).diff()
            unit = float(rise / utility.quantile(quarters).diff())
            if 0.0 < unit < torch.inf:  # else half of them are equal
                noise = f"±{deviation * unit:.2g}"
        outliers = f" Outliers set aside: {number}." * bool(number)
        return f"Values are noisy by about {noise}. {distances}.{outliers}"

    def incumbent_among(self, is_eligible: Tensor | None) -> Tensor:
        """The point of the best expected utility less one standard deviation; see the base class.

        With noise the best rank belongs to a lucky outcome, and the best expected utility to a
        point that few others vouch for (Huang et al., 2006). What the order leaves open does not
        count. Outcomes that are known to be exact need no model: the best is the best.
        """
        item = self._candidates(is_eligible)
        return self._best_of(item, self._pessimistic(item))

    def recommended_among(self, is_eligible: Tensor | None) -> Tensor:
        """The same by what is expected of the point's own outcome; see the base class.

        What no smooth surface explains may be noise, or come out again if the function is rough.
        Without repeats nothing tells the two apart, and the second is dear: docs/results/journal,
        "Recommended or best observed". Noise of known variance does not count, nor what was set
        aside.
        """
        item = self._candidates(is_eligible)
        return self._best_of(item, self._pessimistic(item) + self._unexplained[item])

    def _pessimistic(self, item: Tensor) -> Tensor:
        return self.predictor.pessimistic(self.encode(self.known_X[item]).double())

    def _best_of(self, item: Tensor, value: Tensor) -> Tensor:
        """The point of the largest value that may be recommended; ``item`` and ``value`` agree."""
        if not len(item):
            raise InputDataError("There is no evaluated point to choose from.")
        X, failed = self.known_X[item], self.has_failed[item]
        # A failure that was set aside may look good. What nobody near it vouches for is followed,
        # not recommended.
        value = value.where(~failed | failed.all(), -torch.inf)
        value = value.where(~is_row_of(X, self.surprise), -torch.inf)
        if self.order.is_exact:  # of those that are tied the model chooses
            score = torch.full_like(self.known_X[:, 0], -torch.inf, dtype=torch.double)
            score[self.order.item] = self.order.score.double()
            value = value.where(score[item] == score[item].max(), -torch.inf)
        return X[value.argmax()].clone()

    @property
    def _unexplained(self) -> Tensor:
        """What is expected of the unknown noise of each known point's outcome, of shape ``m``."""
        records, row = self._records, self._is_used.nonzero().squeeze(-1)
        # Behind the records are points that are pending, of which nothing came out.
        noise, weights = self.predictor.noise[: len(row)], self.predictor.weights[: len(row)]
        unknown = (noise - records.known_variance[row]) * weights
        is_target = records.is_target[row]
        found = torch.zeros_like(self.known_X[:, 0], dtype=torch.double)
        item = records.item[row][is_target]
        return found.scatter_reduce(0, item, unknown[is_target], "mean", include_self=False)

    def _candidates(self, is_eligible: Tensor | None) -> Tensor:
        """Indices of known points that stand for all eligible ones, and of those pending."""
        if is_eligible is None:
            is_eligible = torch.ones_like(self.known_X[:, 0], dtype=torch.bool)
        records = self._target.subset(is_eligible[self._target.item].nonzero().squeeze(-1))
        item = records.item[records.representatives(self.settings.num_conditioned)]
        is_eligible = is_eligible.clone()
        is_eligible[: self._target.num_points] = False
        return torch.cat([item, is_eligible.nonzero().squeeze(-1)])

    @property
    def has_failed(self) -> Tensor:
        """Which known points are failures, of shape ``m``; pending ones are none."""
        return self._marked(self.order.item[self.order.score.isneginf()])

    def _marked(self, item: Tensor) -> Tensor:
        """A mask of some of the known points, by their indices."""
        none = torch.zeros(len(self.known_X), dtype=torch.bool, device=self.known_X.device)
        return none.index_fill(0, item, True)

    def best_points(self, number: int) -> Tensor:
        """See the base class."""
        share = self._target.share
        best = share.topk(min(number, len(share)), largest=False).indices
        return self.known_X[self._target.item[best]]

    def expected_utility(self, X: Tensor) -> Tensor:
        """See the base class."""
        return self.predictor.mean(self.encode(X).double())

    @one_thread()
    def fit(self, outliers: bool = True, directions: bool = True) -> Self:
        """Maximize the evidence of the order, starting from the current hyperparameters.

        Without both steps it maximizes what :func:`botorch.fit.fit_gpytorch_mll` does with an
        :class:`~botorch_popbo.models.OrderMarginalLogLikelihood`, much faster and less exactly.

        Args:
            outliers: Whether records that no smooth surface explains are set aside.
            directions: Whether the default kernel's lengthscales may be those of other directions
                than the columns.

        Returns:
            The model itself, in evaluation mode.

        Raises:
            InputDataError: If there are no data.
        """
        if not len(self.known_X):
            raise InputDataError("There is nothing to learn from. Call set_train_data first.")
        modules = self._hyper
        sample = self._sample(modules, learn=True)
        with torch.no_grad():
            conditioned, is_used = fit_tasks(sample, self.order.is_exact, outliers, directions)
            # What was fitted may be a copy in double precision.
            fitted = sample.hyperparameters.assign(conditioned.coordinates)
            modules.load_state_dict(fitted.state_dict())
            lone = lone_surprise(sample, is_used)
            self.surprise = self.known_X[sample.records.item[lone]]
            self._is_used = is_used.index_fill(0, lone, True)
            if not len(lone):
                self._keep(Predictor.from_fit(sample.X[is_used], conditioned, fitted.copy()))
        return self.eval()

    def log_likelihood(self) -> Tensor:
        """Log-evidence of the order at the current hyperparameters, to which it has a graph."""
        modules = self._hyper
        sample = self._sample(modules, self.training).subset(self._is_used)
        return Evidence(sample).of_modules(modules, sample.hyperparameters.start)[1]

    def with_order(self, order: Order) -> "RankingGP":
        """See the base class; sources, which may be of another metric, are left out."""
        given = deepcopy(self._prior) | {"input_transform": self._unlearned_transform()}
        return RankingGP(order=order, settings=self.settings, **given)

    def _with_pending(self, X_pending: Tensor) -> Self:
        # Nothing was observed, so hyperparameters and outliers are those of this model.
        model = deepcopy(self)
        with torch.no_grad():
            encoded = self.encode(X_pending).double()
            model._keep(self.predictor.expecting(encoded, self.noise.detach().double()))
        model.known_X = torch.cat([self.known_X, X_pending])
        return model.eval()

    def set_train_data(self, inputs: Tensor, targets: Tensor, strict: bool = False) -> None:
        """Learn from other data; the hyperparameters stay as they are, in the same modules.

        An input transform that learns its bounds learns those of the other points, and no record is
        set aside until the next fit.

        Args:
            inputs: Points, an ``N x d`` tensor.
            targets: Outcomes, an ``N x 1`` tensor, or comparisons, ``M x 2``.
            strict: As GPyTorch has it; other data may have any size.

        Raises:
            UnsupportedError: If there are sources.
        """
        self._learn_from(train_X=inputs, train_Y=targets)

    def get_extra_state(self) -> Tensor:
        """The number of records, which of them are used, and the surprise; of shape ``1 + N + d``.

        It is one tensor, as BoTorch copies a state, and ends at the records if nothing surprises.
        """
        number = self._is_used.new_tensor([len(self._is_used)], dtype=torch.long)
        return torch.cat([number, self._is_used, self.surprise.flatten()])

    def set_extra_state(self, state: Tensor) -> None:
        """Take over which records are used, if the data are as long.

        Args:
            state: What :meth:`get_extra_state` returned.
        """
        number = len(self._is_used)
        if int(state[0]) == number:
            self._is_used = state[1 : number + 1].to(self._is_used)
            self.surprise = state[number + 1 :].reshape(-1, self.dim).to(self.known_X)

    @property
    def noise(self) -> Tensor:
        """Variance of a utility's noise, in units of the prior variance; a scalar tensor."""
        return priors.noise_of(self.likelihood).to(self.known_X)

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
            A normal posterior of shape ``batch_shape x q x 1``, larger being better; of an input
            transform that makes ``p`` points of one, ``batch_shape x (q * p) x 1``. Its covariance
            is not computed before it is used.

        Raises:
            BotorchTensorDimensionError: If ``X`` or ``observation_noise`` has the wrong shape.
            InputDataError: If ``X`` is not a tensor.
            UnsupportedError: If another output is asked for.
        """
        self.subset_output(output_indices)  # which refuses others
        encoded = self.encode(X)
        if self.input_transform.is_one_to_many:
            encoded = self.input_transform(X.to(encoded))
        posterior = self._utility(encoded, observation_noise)
        return posterior if posterior_transform is None else posterior_transform(posterior, X)

    def __call__(self, X: Tensor) -> MultivariateNormal:
        """The law of :meth:`posterior`, which some functions of BoTorch ask for by a call.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.

        Returns:
            A normal law of shape ``batch_shape x q``. In training mode it is what GPyTorch gives to
            an :class:`~botorch_popbo.models.OrderMarginalLogLikelihood`: :meth:`log_likelihood`.
        """
        if self.training:
            return self.log_likelihood()
        return self._utility(self.encode(X), False).distribution

    def forward(self, *args: object, **kwargs: object) -> NoReturn:
        """Refuse what BoTorch's leave-one-out formulas ask for.

        Raises:
            UnsupportedError: Always: no law of outcomes comes before their order.
        """
        raise UnsupportedError(
            f"{type(self).__name__} has no prior of outcomes, and its distribution of utilities is "
            "posterior(X). To leave points out, fit a model to the order of the others."
        )

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
            InputDataError: If ``X`` is not a tensor.
        """
        return self._rank(self._plausible_ranks(), self.encode(X), observation_noise)

    def rank_law(self, encoded: Tensor, observation_noise: bool = False) -> GaussianRankPosterior:
        """See the base class."""
        return self._rank([self._ranks], encoded, observation_noise)

    def differences_from(self, reference: Tensor) -> Differences:
        """How much better points are than a reference point, in utility.

        Args:
            reference: One encoded point, of shape ``d'``.

        Returns:
            Its :meth:`~botorch_popbo.models.predictor.Differences.moments` are mean and variance.
        """
        with torch.no_grad():
            return Differences(self.predictor, reference.double())

    def condition_on_observations(
        self, X: Tensor, Y: Tensor, noise: Tensor | None = None, **kwargs: object
    ) -> "SingleTaskGP | RankingGP":
        """Condition on observed utilities, or comparisons; the hyperparameters stay as they are.

        Args:
            X: Points, a ``batch_shape x n x d`` tensor.
            Y: Utilities, a ``batch_shape' x n x 1`` tensor, broadcastable with ``batch_shape``. Or
                comparisons, an ``m x 2`` integer tensor of rows of ``X``, the preferred one first.
            noise: Their variances, broadcastable to the shape of ``Y``; by default that of an
                outcome. Later outcomes are as noisy as any.
            **kwargs: None.

        Returns:
            A Gaussian process whose prior is this model's posterior: exact, batched, and a model
            that can be conditioned further. For comparisons, a model of all that was said.

        Raises:
            BotorchTensorDimensionError: If there is not one utility for each point.
        """
        if are_comparisons(Y):
            order = from_comparisons(X.to(self.known_X), Y)
            order = combine(self.order, order) if len(self.known_X) else order
            if bool((order.list_index.bincount() == 2).all()):  # answers to one question
                order = replace(order, task_index=torch.zeros_like(order.task_index))
            return deepcopy(self)._learn_from(order=order).eval()
        if self.input_transform.is_one_to_many:
            raise UnsupportedError("Perturbed points cannot be conditioned on utilities.")
        if Y.shape[-2:] != (X.shape[-2], 1):
            raise BotorchTensorDimensionError(
                f"Expected Y of shape batch_shape x {X.shape[-2]} x 1, a utility for each row of "
                f"X, but got {tuple(Y.shape)}. For comparisons, pass integers."
            )
        batch_shape = torch.broadcast_shapes(X.shape[:-2], Y.shape[:-2])
        X, Y = (V.to(self.known_X.dtype).expand(*batch_shape, *V.shape[-2:]) for V in (X, Y))
        predictor, transform = self.predictor, deepcopy(self.input_transform)
        likelihood = deepcopy(self.likelihood)
        if noise is not None or not isinstance(likelihood, GaussianLikelihood):
            variances = (self.noise if noise is None else noise).to(Y).expand_as(Y).squeeze(-1)
            likelihood = conditional.GivenNoise(variances, self.noise.detach().to(Y))
        # Its prior is a posterior, for which neither the cube nor unit variance is meant.
        with validate_input_scaling(False):
            conditioned = conditional.ConditionedGP(
                train_X=X,
                train_Y=Y,
                likelihood=likelihood,
                covar_module=conditional.ConditionalKernel(predictor, X.dtype, transform),
                mean_module=conditional.ConditionalMean(predictor, transform),
                outcome_transform=None,
            )
        given = conditioned.eval().train_inputs
        prior, targets = conditioned.forward(*given), conditioned.train_targets
        # Without it GPyTorch adds further observations only after a prediction.
        conditioned.prediction_strategy = prediction_strategy(given, prior, targets, likelihood)
        return conditioned

    def get_fantasy_model(
        self, inputs: Tensor, targets: Tensor, noise: Tensor | None = None
    ) -> SingleTaskGP:
        """Let :class:`~botorch.models.ModelListGP` reach :meth:`condition_on_observations`.

        Args:
            inputs: Points, a ``batch_shape x n x d`` tensor.
            targets: Utilities, a ``batch_shape' x n`` tensor.
            noise: Their variances, in the shape of ``targets``.

        Returns:
            See above.
        """
        noise = None if noise is None else noise.unsqueeze(-1)
        return self.condition_on_observations(inputs, targets.unsqueeze(-1), noise)

    def _learn_from(self, **data: Any) -> Self:
        """Replace the data, and keep the modules."""
        if self.num_sources:
            raise UnsupportedError("A model does not keep its sources. Make one from all orders.")
        given, has_data = self._prior, len(self.known_X)
        # The default modules of a prior know no dimension.
        names = [name for name in given if has_data or isinstance(given[name], Module)]
        modules = {name: getattr(self, name) for name in names}
        other = RankingGP(**data, **modules, settings=self.settings).train(self.training)
        other._prior, other.warp = given, other.warp and (self.warp or other.warp)
        self.__dict__ = other.__dict__
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Have the order and the records follow the model to a device, which are no buffers."""
        super()._apply(fn, recurse)
        self.order, device = self.order.to(self.known_X), self.known_X.device
        self._target, self._records = self._target.to(device), self._records.to(device)
        self._chosen = self._chosen.to(device)
        return self

    @property
    def predictor(self) -> Predictor:
        """Utilities of new points, in double precision, at the current hyperparameters."""
        is_same = self._law is not None and _are_same(self._state, self._law_of)
        # A part may be replaced as a whole, perhaps by another kind with the same parameters.
        if not is_same or [*self.children()] != self._law_parts:
            # Not of inference mode: they are used where gradients are wanted, and found by some.
            with torch.inference_mode(False), torch.no_grad():
                sample = self._sample(self._hyper).subset(self._is_used)
                conditioned = Evidence(sample).condition(sample.hyperparameters.start)
                modules = sample.hyperparameters.modules.copy()
                self._keep(Predictor.from_fit(sample.X, conditioned, modules))
        assert self._law is not None
        return self._law

    def _keep(self, law: Predictor) -> None:
        law.kernel.requires_grad_(False)
        self._law, self._plausible = law, None
        self._law_of = [value.detach().clone() for value in self._state]
        self._law_parts = [*self.children()]

    @property
    def _state(self) -> list[Tensor]:
        """All that predictions depend on; it may be set from outside."""
        buffers = (buffer for part in self.children() for buffer in part.buffers())
        return [self._is_used, *self.parameters(), *buffers]

    @property
    def _ranks(self) -> RankPredictor:
        used = self._chosen[self._is_used[: len(self._chosen)]]
        return RankPredictor(self.predictor, self._target, used, self.noise.detach().double())

    def _plausible_ranks(self) -> list[RankPredictor]:
        """Predictions at plausible hyperparameters, made unless they were for the same."""
        self.predictor  # noqa: B018  # forgets them where anything has changed
        if self._plausible is None:
            is_default = self._prior["likelihood"] is None and not self._is_judged
            is_fitted = any(noise.requires_grad for noise in self.likelihood.parameters())
            with torch.inference_mode(False), torch.no_grad():
                likelihood = self.likelihood
                if is_default and is_fitted:  # a judge's noise has such a prior already
                    likelihood = priors.rank_likelihood(self.noise.detach().double(), self.settings)
                tasks = self.tasks if bool(self.correlation.any()) else None
                # Points come encoded.
                parts = self.covar_module, likelihood, tasks, self.warp, self.mean_module
                modules = deepcopy(Modules(*parts))
                # A source is set aside for good, an outlier of the target perhaps not.
                kept = self._is_used | self._records.is_target
                sample, is_used = self._sample(modules).subset(kept), self._is_used[kept]
                self._plausible = plausible_ranks(sample, is_used, self._target, self._chosen)
        return self._plausible

    @property
    def _is_judged(self) -> bool:
        return bool(self._target.is_judged.any())

    @property
    def _hyper(self) -> Modules:
        modules = self.covar_module, self.likelihood, self.tasks, self.warp, self.mean_module
        return Modules(*modules, self._encoder if self._learns_inputs else None)

    def _sample(self, modules: Modules, learn: bool = False) -> Sample:
        """The records of the target, then those of the sources, and some hyperparameters."""
        X = self._encoded_points(learn)
        if modules.inputs is not None:  # these encode
            X = torch.cat([self.known_X, self._source_X])
        X = X[self._records.item].double()
        return Sample(X, self._records, Hyperparameters(modules), self.settings)

    def _rank(
        self, predictors: Sequence[RankPredictor], encoded: Tensor, observation_noise: bool
    ) -> GaussianRankPosterior:
        double, buckets = encoded.double(), predictors[0].buckets
        known = averaged([each.thresholds(double, observation_noise) for each in predictors])
        values = buckets.interpolate(known).to(encoded)
        utility = partial(self._utility, encoded, observation_noise)
        return GaussianRankPosterior(Thresholds(values, buckets.size.to(encoded)), utility)

    def _utility(self, encoded: Tensor, observation_noise: bool | Tensor) -> GPyTorchPosterior:
        if not isinstance(observation_noise, Tensor):
            observation_noise = observation_noise * self.noise.detach()
        return conditional.utility_law(self.predictor, encoded, observation_noise)


def _are_same(one: Sequence[Tensor], other: Sequence[Tensor]) -> bool:
    if len(one) != len(other):
        return False
    return all(a.device == b.device and a.equal(b) for a, b in zip(one, other, strict=True))
