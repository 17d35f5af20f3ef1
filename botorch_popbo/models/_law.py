"""The law of the utility given an order, at certain hyperparameters."""

from typing import NamedTuple

import torch
from torch import Tensor

from botorch_popbo.models._evidence import Evidence
from botorch_popbo.models._hyperparameters import Hyperparameters
from botorch_popbo.models._predictor import Predictor
from botorch_popbo.models._records import Records
from botorch_popbo.posteriors._thresholds import Thresholds


class Law(NamedTuple):
    """What is predicted with.

    Attributes:
        theta: The hyperparameters, of shape ``p + 1``.
        predictor: Utilities of new points.
        thresholds: Utilities of the records, between which a new point's rank is told.
    """

    theta: Tensor
    predictor: Predictor
    thresholds: Thresholds


def condition_on_order(
    X: Tensor, records: Records, hyperparameters: Hyperparameters, theta: Tensor
) -> Law:
    """Condition a Gaussian process on the order of records.

    Args:
        X: Encoded records, ``N x d``, in double precision.
        records: Their order.
        hyperparameters: The hyperparameters.
        theta: Their values, of shape ``p + 1``.

    Returns:
        The law.
    """
    conditioned = Evidence(X, records, hyperparameters).condition(theta)
    predictor = Predictor.from_fit(X, conditioned, hyperparameters.kernel(theta))
    levels = conditioned.utilities.levels
    better = torch.zeros_like(levels)
    better[records.level] = records.better  # records of one level are equally good
    return Law(theta, predictor, Thresholds.from_ranks(levels, better, records.num_points))
