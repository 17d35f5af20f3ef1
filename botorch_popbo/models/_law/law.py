"""The law of the utility given an order, at certain hyperparameters."""

from dataclasses import dataclass

import torch
from torch import Tensor

from botorch_popbo.models._fit.evidence import Evidence
from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._law.buckets import Buckets
from botorch_popbo.models._law.differences import Differences, make_differences
from botorch_popbo.models._law.predictor import Predictor
from botorch_popbo.models._law.rank_law import RankLaw
from botorch_popbo.models._records.records import Records


@dataclass
class Law:
    """What is predicted with.

    Attributes:
        theta: The hyperparameters, of shape ``p + 1``.
        predictor: Utilities of new points.
        ranks: Ranks of new points.
        plausible: Laws of the rank at plausible hyperparameters, once they were asked for.
    """

    theta: Tensor
    predictor: Predictor
    ranks: RankLaw
    plausible: list[RankLaw] | None = None
    _differences: tuple[Tensor, Differences] | None = None

    def differences_from(self, reference: Tensor) -> Differences:
        """Predictions relative to a reference, prepared unless they were for the same one.

        Args:
            reference: One encoded point, of shape ``d``, in double precision.

        Returns:
            The law of the differences.
        """
        known = self._differences
        if known is None or not known[0].equal(reference):
            with torch.no_grad():
                known = reference, make_differences(self.predictor, reference)
            self._differences = known
        return known[1]


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
