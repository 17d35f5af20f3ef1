"""The law of the utility given an order, at certain hyperparameters."""

from typing import NamedTuple

from torch import Tensor

from botorch_popbo.models._buckets import Buckets
from botorch_popbo.models._evidence import Evidence
from botorch_popbo.models._hyperparameters import Hyperparameters
from botorch_popbo.models._predictor import Predictor
from botorch_popbo.models._rank_law import RankLaw
from botorch_popbo.models._records import Records


class Law(NamedTuple):
    """What is predicted with.

    Attributes:
        theta: The hyperparameters, of shape ``p + 1``.
        predictor: Utilities of new points.
        ranks: Ranks of new points.
    """

    theta: Tensor
    predictor: Predictor
    ranks: RankLaw


def condition_on_order(
    X: Tensor, records: Records, index: Tensor, hyperparameters: Hyperparameters, theta: Tensor
) -> Law:
    """Condition a Gaussian process on the order of records.

    Args:
        X: Encoded points of the ``n`` records to condition on, ``n x d``, in double precision.
        records: All records, among whose points new ones are ranked.
        index: Indices of the ``n`` records, of shape ``n``.
        hyperparameters: The hyperparameters.
        theta: Their values, of shape ``p + 1``.

    Returns:
        The law.
    """
    conditioned = Evidence(X, records.subset(index), hyperparameters).condition(theta)
    predictor = Predictor.from_fit(X, conditioned, hyperparameters.kernel(theta))
    target = records.is_target.nonzero().squeeze(-1)
    own = index[records.is_target[index]]  # they come first
    utilities = conditioned.utilities.utilities[: len(own)]
    buckets = Buckets.from_records(records.subset(target), own, utilities)
    return Law(theta, predictor, RankLaw.from_fit(conditioned, predictor, buckets))
