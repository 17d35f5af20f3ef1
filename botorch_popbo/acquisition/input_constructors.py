"""How BoTorch and Ax build the acquisition functions from what they know."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import torch
from botorch.acquisition.input_constructors import acqf_input_constructor
from botorch.acquisition.objective import PosteriorTransform, ScalarizedPosteriorTransform
from botorch.exceptions import UnsupportedError
from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedRankImprovement,
    LogExpectedUtilityImprovement,
    LogRankConfidenceBound,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.models.outcome_model import OutcomeModel
from botorch_popbo.models.rank_model import RankModel
from botorch_popbo.settings import AcquisitionSettings


@acqf_input_constructor(
    ExpectedRankingImprovement,
    LogExpectedRankImprovement,
    LogExpectedUtilityImprovement,
    LogRankConfidenceBound,
    RectifiedLowerConfidenceBound,
)
def construct_inputs_of_rank_acquisition(
    model: RankModel | OutcomeModel,
    posterior_transform: PosteriorTransform | None = None,
    constraints_tuple: tuple[Tensor, Tensor] | None = None,
    X_pending: Tensor | None = None,
    X_baseline: Tensor | None = None,
    slack_models: Sequence[RankModel] | None = None,
    settings: AcquisitionSettings | None = None,
    K_m: int | None = None,
    beta: float | None = None,
    share: float | _DefaultType | None = DEFAULT,
    poisson_deviation: bool | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """Constructor arguments of every acquisition function of a rank model.

    Args:
        model: A fitted model, or what Ax predicts with by one.
        posterior_transform: ``None``, or a weight of the outcome, as Ax says whether it is
            maximized. Of a negative one a model of the mirrored order is fitted.
        constraints_tuple: Must be ``None`` unless there are models of the slacks.
        X_pending: Points being evaluated.
        X_baseline: The evaluated points that could be suggested.
        slack_models: Fitted models of the constraints' slacks.
        settings: What is maximized by a model with uncertainty.
        K_m: Worst tolerable rank.
        beta: Weight of the standard deviation.
        share: Share of the evaluated points that a promising point may rank behind;
            ``None`` rectifies nothing.
        poisson_deviation: Whether the deviation is the square root of the expected count.
        seed: Seed of the random numbers of unpromising points.

    Returns:
        Keyword arguments of the acquisition function; what was not given keeps its default.

    Raises:
        UnsupportedError: If another posterior_transform is given, or constraints without models of
            slacks.
    """
    # All arguments but those left out, of which no constructor should hear; a share may be None.
    given = {
        name: value
        for name, value in locals().items()
        if value is not DEFAULT and (value is not None or name == "share")
    }
    given["model"] = _larger_better(model, given.pop("posterior_transform", None))
    if given.pop("constraints_tuple", None) is not None and slack_models is None:
        raise UnsupportedError(
            "Rank-based acquisition functions take no outcome constraints, because constraints "
            "belong in the order: fit the model to from_constrained_outcomes(X, Y, violations). "
            "Or pass models of the slacks to LogExpectedUtilityImprovement, as slack_models."
        )
    return given


def _larger_better(
    model: RankModel | OutcomeModel, transform: PosteriorTransform | None
) -> RankModel:
    """A model of what is maximized: orders are taken of outcomes as given, larger ones first."""
    weight = float(transform is None)
    if isinstance(transform, ScalarizedPosteriorTransform):
        weights = cast(Tensor, transform.weights)
        weight = float(weights) if weights.numel() == 1 else 0.0
    if isinstance(model, OutcomeModel):  # a RankSurrogate's, beside an acquisition of Ax
        weight, model = weight * model.sign, model.ranks
    if weight > 0.0:
        return model
    order = getattr(model, "order", None)  # of several metrics Ax passes a list of models
    is_mirrored = weight < 0.0 and order is not None and not getattr(model, "tasks", None)
    if order is None or not is_mirrored or bool(order.is_censored.any()):
        raise UnsupportedError(
            "Rank-based acquisition functions only take a weight of the outcome as "
            "posterior_transform, and a negative one only if the model learned from outcomes "
            "alone. Rank the transformed outcomes instead: negate a minimized one before fitting "
            "(in Ax, use popbo_generation_strategy), and reduce several objectives to one."
        )
    score = torch.where(order.score.isneginf(), order.score, -order.score)  # failures stay last
    return model.with_order(replace(order, score=score)).fit()
