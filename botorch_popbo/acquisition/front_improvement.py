"""Expected improvement of a Pareto front of utilities."""

from collections.abc import Sequence
from typing import cast

import torch
from botorch.acquisition.multi_objective.utils import get_default_partitioning_alpha
from botorch.exceptions import BotorchTensorDimensionError, UnsupportedError
from botorch.models.model import Model
from botorch.utils.multi_objective.box_decompositions import (
    FastNondominatedPartitioning,
    NondominatedPartitioning,
)
from botorch.utils.multi_objective.pareto import is_non_dominated
from botorch.utils.safe_math import log1mexp
from torch import Tensor
from torch.nn import ModuleList

from botorch_popbo.acquisition._log_improvement import log_improvement
from botorch_popbo.acquisition._slack_constraint import place_of
from botorch_popbo.acquisition.rank_acquisition import UtilityFunction, check_model, log_remoteness
from botorch_popbo.models.conditional import draw, utility_law
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.settings import AcquisitionSettings


class LogExpectedFrontImprovement(UtilityFunction):
    r"""Logarithm of the expected gain in hypervolume of a front of utilities.

    Every objective has a model of its own, so its unit does not matter: the volume is one of
    utilities. What no known point dominates is cut into boxes from :math:`l_k` to :math:`u_k`, and
    the objectives are independent, so that the gain of a point with utilities :math:`z` is

    .. math::

        \log \sum_k \prod_j \left(E[(z_j - l_{kj})_+] - E[(z_j - u_{kj})_+]\right)

    (Yang et al., 2019). Utilities of known points, pending ones among them, are taken for what is
    expected of them. Known points are not suggested again. Constraints count as in
    :class:`~botorch_popbo.LogExpectedUtilityImprovement`: as long as no evaluated point is
    feasible, nothing else does.

    Args:
        models: Fitted models of the ``c`` objectives, all of the same points.
        X_pending: Points being evaluated, an ``m x d`` tensor.
        X_baseline: The evaluated points that could be suggested; see the base class.
        slack_models: Fitted models of the constraints' slacks, whose outcomes are at least
            zero where a constraint is satisfied.
        settings: Where the volume begins.
        thresholds: Values of the objectives, in the units of the models' outcomes, below which a
            point is not worth having, of shape ``c``; NaN where there is none. By default a
            little below the worst of all feasible points.

    Attributes:
        front: The feasible points that no other one is expected to dominate, ``n x d``; if none is
            feasible, the best point of the first objective.
        reference: Where the volume begins, of shape ``c``; there is none if no point is feasible.
        volume: That which the front dominates, pending points included; likewise.

    Raises:
        BotorchTensorDimensionError: If there is not one threshold for each model.
        UnsupportedError: If there are fewer than two models, if they are not of the same points, or
            if one of them has no uncertainty.
    """

    objectives: Sequence[RankingGP]
    front: Tensor
    _lower: Tensor
    _upper: Tensor

    def __init__(
        self,
        models: Sequence[RankingGP],
        X_pending: Tensor | None = None,
        X_baseline: Tensor | None = None,
        slack_models: Sequence[RankingGP] = (),
        settings: AcquisitionSettings = AcquisitionSettings(),  # noqa: B008  # frozen
        thresholds: Tensor | None = None,
    ) -> None:
        _check_objectives(models, thresholds)
        super().__init__(models[0], X_baseline, slack_models)
        self._known_radius = min(model.known_radius for model in models)
        self.objectives = cast(list[RankingGP], ModuleList(models))
        self.thresholds = thresholds
        self.settings = settings
        self.set_X_pending(X_pending)

    def _prepare(self) -> None:
        super()._prepare()
        known, is_feasible = self.model.known_X, self.recommendable
        self.register_buffer("front", self.model.best_points(1), persistent=False)
        self._has_feasible = bool(is_feasible.any())
        if not self._has_feasible:
            return
        others = [model.with_pending(self.X_pending) for model in self.objectives[1:]]
        informed = [self._informed, *others]
        self._laws = [model.predictor.believing() for model in informed]
        expected = torch.stack([_expected_utilities(model) for model in informed], dim=-1)
        utility = expected[: len(known)][is_feasible]
        is_best = is_non_dominated(utility)
        self.register_buffer("front", known[is_feasible][is_best], persistent=False)
        self.reference = self._begin(informed, utility)
        self._cut(torch.cat([utility, expected[len(known) :]]))

    def _begin(self, models: Sequence[RankingGP], utility: Tensor) -> Tensor:
        """Where the volume begins, of shape ``c``, by the feasible utilities, ``n x c``."""
        worst, best = utility.amin(0), utility.amax(0)
        reference = worst - self.settings.margin * (best - worst).clamp_min(1.0)
        if self.thresholds is not None:
            for objective, threshold in enumerate(self.thresholds.tolist()):
                if threshold == threshold:
                    place = place_of(models[objective], threshold)
                    reference[objective] = reference[objective].maximum(place)
        return reference

    def _cut(self, utility: Tensor) -> None:
        """Cut what is not dominated by some utilities, ``n x c``, into boxes."""
        alpha = get_default_partitioning_alpha(utility.shape[-1])
        boxes = (
            NondominatedPartitioning(self.reference, Y=utility, alpha=alpha)
            if alpha  # boxes of many objectives are too many, so small ones are left whole
            else FastNondominatedPartitioning(self.reference, Y=utility)
        )
        lower, upper = boxes.get_hypercell_bounds()
        self.register_buffer("_lower", lower, persistent=False)
        # No utility reaches the end of a box that had none.
        self.register_buffer("_upper", upper.clamp_max(1e3), persistent=False)
        self.volume = float(boxes.compute_hypervolume())

    def draw_gains(self, X: Tensor, number: int) -> Tensor:
        """Draw by how much each point would enlarge the volume, if known ones are as expected.

        Args:
            X: Points, an ``n x d`` tensor.
            number: Number of draws, with torch's global random state.

        Returns:
            A ``number x n`` tensor.
        """
        drawn = []
        for model, law in zip(self.objectives, self._laws, strict=True):
            encoded = model.encode(X).double()
            drawn.append(draw(utility_law(law, encoded, encoded.new_zeros(1)).distribution, number))
        # One draw at a time: of many objectives there are thousands of boxes.
        utility = torch.stack(drawn, dim=-1).unsqueeze(-2)
        sides = (z.minimum(self._upper).sub(self._lower).clamp_min(0.0) for z in utility)
        return torch.stack([side.prod(-1).sum(-1) for side in sides])

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        value = log_remoteness(distance)
        if not self._has_feasible:
            return value
        laws = zip(self.objectives, self._laws, strict=True)
        moments = zip(*(law.moments(model.encode(X).double()) for model, law in laws), strict=True)
        mean, variance = (torch.stack(each, dim=-1).unsqueeze(-2) for each in moments)
        # shape: (batch_shape, 1, boxes, c)
        lower, upper = mean - self._lower, mean - self._upper
        above = log_improvement(lower, variance.expand_as(lower))
        beyond = log_improvement(upper, variance.expand_as(upper))
        # A side of less than 1e-15 of the distance would be lost to rounding.
        side = above + log1mexp((beyond - above).clamp_max(-1e-15))
        return value + side.sum(-1).logsumexp(-1).to(value)


def _check_objectives(models: Sequence[RankingGP], thresholds: Tensor | None) -> None:
    if isinstance(models, Model) or (number := len(models)) < 2:
        raise UnsupportedError(
            "A front needs a list of models, one for each of several objectives. For a single "
            "objective, use LogExpectedUtilityImprovement."
        )
    if thresholds is not None and thresholds.shape != (number,):
        raise BotorchTensorDimensionError(
            f"Expected thresholds of shape {number}, one for each model and NaN where there is "
            f"none, but got {tuple(thresholds.shape)}."
        )
    for model in models:
        check_model(model, needs_uncertainty=True)
        if not torch.equal(model.known_X, models[0].known_X):
            raise UnsupportedError("All models of a front must have the same points.")


@torch.no_grad()
def _expected_utilities(model: RankingGP) -> Tensor:
    """What is expected of known points, those that are tied for the best being hard to surpass.

    The order does not say whose utility is the largest. A point that will tie with them would count
    as an improvement, and be sought where the objective cannot get any better. So it surpasses them
    from two deviations above what is expected of them on: on DTLZ2 the volume after 40 trials is
    .383 with and .343 without (two seeds).
    """
    order, known = model.order, model.encode(model.known_X).double()
    expected = model.predictor.mean(known)
    if order.num_lists != 1 or not bool(order.score.isfinite().any()):
        return expected
    tied = order.item[order.score == order.score.max()]
    if len(tied) > 1:
        mean, variance = model.predictor.moments(known[tied])
        expected[tied] = (mean + 2.0 * variance.clamp_min(0.0).sqrt()).max()
    return expected
