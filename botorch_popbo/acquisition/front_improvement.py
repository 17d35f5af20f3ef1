"""Expected improvement of a Pareto front of utilities."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import torch
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.utils import get_default_partitioning_alpha
from botorch.exceptions import BotorchTensorDimensionError, UnsupportedError
from botorch.models import ModelListGP
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from botorch.utils.multi_objective.pareto import is_non_dominated
from torch import Tensor

from botorch_popbo._seeds import seeded
from botorch_popbo.acquisition._checks import check_model
from botorch_popbo.acquisition._known_points import log_remoteness
from botorch_popbo.acquisition._tied_levels import TiedLevels
from botorch_popbo.acquisition.rank_acquisition import RankAcquisitionFunction
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.posteriors._thresholds import Thresholds
from botorch_popbo.settings import AcquisitionSettings


class LogExpectedFrontImprovement(RankAcquisitionFunction):
    """Logarithm of the expected gain in hypervolume of a front of utilities.

    Every objective has a model of its own order, so an increasing transform of an objective changes
    nothing: the volume is one of utilities. The gain is BoTorch's
    ``qLogNoisyExpectedHypervolumeImprovement`` (Daulton et al., 2021; Ament et al., 2023), which
    draws the utilities of new, pending and evaluated points jointly. An order leaves open what an
    evaluated point's utility is, and against fixed ones its own would be the best place to improve.
    Of equal outcomes it leaves open, too, whose utility is larger; here they are one value, which a
    point surpasses if it is better than all of them. Evaluated and pending points are not suggested
    again. Constraints count as in
    :class:`~botorch_popbo.LogConstrainedExpectedUtilityImprovement`: as long as no evaluated point
    is feasible, nothing else does.

    Args:
        models: Fitted models of the ``c`` objectives, all of the same points.
        slack_models: Fitted models of the constraints' slacks, whose outcomes are at least
            zero where a constraint is satisfied.
        thresholds: Values of the objectives, in the units of the models' outcomes, below which a
            point is not worth having, of shape ``c``; NaN where there is none. By default a
            little below the worst of the front (Ishibuchi et al., 2011).
        X_pending: Points being evaluated, an ``m x d`` tensor.
        seed: Seed of the samples.
        X_baseline: The evaluated points that could be suggested; see the base class.
        settings: Numbers of samples, and how coarse volumes are.

    Attributes:
        front: The feasible points that no other one is expected to dominate, ``n x d``; if none is
            feasible, the best point of the first objective.

    Raises:
        BotorchTensorDimensionError: If there is not one threshold for each model.
        UnsupportedError: If there are fewer than two models, or one of them has no uncertainty.
    """

    _log = True

    front: Tensor
    gain: qLogNoisyExpectedHypervolumeImprovement | None
    _feasible: Tensor
    _reference: Tensor

    def __init__(
        self,
        models: Sequence[RankingGP],
        slack_models: Sequence[RankingGP] = (),
        thresholds: Tensor | None = None,
        X_pending: Tensor | None = None,
        seed: int = 0,
        X_baseline: Tensor | None = None,
        settings: AcquisitionSettings = AcquisitionSettings(),  # noqa: B008  (frozen)
    ) -> None:
        _check_objectives(models, thresholds)
        super().__init__(models[0], X_baseline, slack_models)
        self._known_radius = min(model.known_radius for model in models)
        self.seed, self.settings = seed, settings
        # Samples of points that are close to each other need double precision.
        doubles: list[Any] = [deepcopy(model).double() for model in models]
        self.objectives = ModelListGP(*doubles)
        self.levels = TiedLevels(doubles, seed, settings)
        self._find_front(models, thresholds)
        self.set_X_pending(X_pending)

    def _prepare(self) -> None:
        super()._prepare()
        self.gain = None
        if len(self._feasible) == 0:
            return
        # The boxes into which a volume is cut grow fast in number with the objectives. So of many
        # there are fewer samples, and boxes that are a small share of the volume are not cut.
        number, settings = len(self._reference), self.settings
        samples, alpha = settings.num_samples, 0.0
        if number > settings.few_objectives:
            samples = settings.num_samples_of_many
            alpha = max(settings.coarseness, get_default_partitioning_alpha(number))
        with seeded(self.seed):  # points are pruned by samples without a seed of their own
            self.gain = qLogNoisyExpectedHypervolumeImprovement(
                self.objectives,
                self._reference,
                self._feasible,
                objective=self.levels,
                sampler=SobolQMCNormalSampler(torch.Size([samples]), seed=self.seed),
                X_pending=None if self.X_pending is None else self.X_pending.double(),
                prune_baseline=True,
                alpha=alpha,
            )

    @property
    def _models(self) -> Sequence[RankingGP]:
        models: Any = self.objectives.models
        return list(models)

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        value = log_remoteness(distance)
        if self.gain is not None:
            # Another number of batch dimensions would draw other samples.
            flat = self.gain(X.double().reshape(-1, 1, X.shape[-1]))
            value = value + flat.to(value).reshape(value.shape)
        return value

    def _find_front(self, models: Sequence[RankingGP], thresholds: Tensor | None) -> None:
        known = self.model.known_X
        is_feasible = self._satisfies_all(known) & self._is_baseline
        self.register_buffer("_feasible", known[is_feasible].double(), persistent=False)
        self.register_buffer("front", self.model.best_points(1), persistent=False)
        if not bool(is_feasible.any()):
            return
        with torch.no_grad():
            utility = self.levels(self.objectives.posterior(self._feasible).mean)
        is_best = is_non_dominated(utility)
        limits = None
        if thresholds is not None:
            limits = self.levels(_utilities(models, thresholds).to(utility))
        reference = _reference_point(utility[is_best], limits, self.settings.margin)
        self.register_buffer("_reference", reference, persistent=False)
        self.register_buffer("front", known[is_feasible][is_best], persistent=False)


def _check_objectives(models: Sequence[RankingGP], thresholds: Tensor | None) -> None:
    number = len(models)
    if number < 2:
        raise UnsupportedError(
            f"A front has several objectives, but got {number} models. Take "
            "LogExpectedUtilityImprovement for one."
        )
    if thresholds is not None and thresholds.shape != (number,):
        raise BotorchTensorDimensionError(
            f"Expected thresholds of shape {number}, one for each model and NaN where there is "
            f"none, but got {tuple(thresholds.shape)}."
        )
    for model in models:
        check_model(model, needs_uncertainty=True)


def _reference_point(front: Tensor, limits: Tensor | None, margin: float) -> Tensor:
    """Where the volume begins, of shape ``c``: limits where they are given.

    Args:
        front: Utilities of the front, ``n x c``.
        limits: Utilities of the thresholds, of shape ``c``; NaN where there is none.
        margin: How far it begins below a front of one level.
    """
    reference: Tensor = infer_reference_point(front, limits)
    worst, best = front.amin(0), front.amax(0)
    # There is no range of which to take a part, and the level of a utility means nothing.
    is_free = worst == best
    if limits is not None:
        is_free &= limits.isnan()
    return reference.where(~is_free, worst - margin)


def _utilities(models: Sequence[RankingGP], thresholds: Tensor) -> Tensor:
    """Where thresholds lie among the utilities of the evaluated points, of shape ``c``."""
    limits = []
    for model, threshold in zip(models, thresholds.tolist(), strict=True):
        with torch.no_grad():
            expected = model.predictor.mean(model.encode(model.known_X).double())
        utility = expected[model.order.item.to(expected.device)]
        is_above = model.order.score.to(utility) >= threshold
        # The outcomes decide who is above, noise may have mixed the utilities up.
        parts = (utility[mask].sort(descending=True).values for mask in (is_above, ~is_above))
        thresholds_ = Thresholds(torch.cat(list(parts)), torch.ones_like(utility))
        limit = thresholds_.border(int(is_above.sum())).clamp_min(utility.min())
        limits.append(limit if threshold == threshold else torch.full_like(limit, torch.nan))
    return torch.stack(limits)
