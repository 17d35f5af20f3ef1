"""What the acquisition functions refuse."""

from botorch.exceptions import BotorchTensorDimensionError, InputDataError, UnsupportedError
from botorch.models.model import Model
from torch import Tensor

from botorch_popbo.models.rank_model import RankModel


def check_points(X: Tensor, dim: int, name: str) -> None:
    """Refuse what are no points of ``dim`` columns.

    Args:
        X: Points, an ``m x dim`` tensor or an empty one.
        dim: The number of columns.
        name: What they are called.

    Raises:
        BotorchTensorDimensionError: If they have another shape.
        InputDataError: If they hold NaN or infinite values.
    """
    if X.numel() and (X.ndim != 2 or X.shape[-1] != dim):
        raise BotorchTensorDimensionError(
            f"Expected {name} of shape m x {dim}, but got {tuple(X.shape)}. Pass it as "
            f"{name}.reshape(-1, {name}.shape[-1]) if it has a batch."
        )
    if not bool(X.isfinite().all()):
        raise InputDataError(f"{name} holds NaN or infinite values. Leave those points out.")


def check_model(model: Model, needs_uncertainty: bool) -> None:
    """Refuse another model than one of an order, or one that does not know where it is ignorant.

    Args:
        model: The model.
        needs_uncertainty: Whether it has to know.

    Raises:
        UnsupportedError: If it is not one of ours, or has no uncertainty where that is needed.
    """
    if not isinstance(model, RankModel):
        raise UnsupportedError(
            "The acquisition function needs a model of an order, such as "
            f"RankingGP(train_X, train_Y).fit(), but got a {type(model).__name__}. For a model of "
            "values use BoTorch's own functions."
        )
    if needs_uncertainty and not model.has_uncertainty:
        raise UnsupportedError(
            f"{type(model).__name__} has no uncertainty of its own; use RankingGP. Or use an "
            "acquisition function over ranks, such as ExpectedRankingImprovement, and put feasible "
            "points first with from_constrained_outcomes where there are constraints."
        )
