"""Expected improvement of the utility behind the ranks."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from botorch_popbo.acquisition._log_improvement import (
    deviation_of,
    log_augmentation,
    log_improvement,
)
from botorch_popbo.acquisition.rank_acquisition import UtilityFunction, log_remoteness
from botorch_popbo.models.input_transforms import OneHotCategories, part_of
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.settings import AcquisitionSettings


class LogExpectedUtilityImprovement(UtilityFunction):
    r"""Logarithm of the expected improvement of the utility over the incumbent's.

    .. math::

        \alpha(x) = \log\left(E[\max(z(x) - z(x^*), 0)] + \epsilon\,s(x)\right)
            + \log\left(1 - \frac{\sigma}{\sqrt{v(x) + \sigma^2}}\right),

    where the incumbent :math:`x^*` is the evaluated point whose neighbours vouch for it: with
    noise the best rank belongs to a lucky outcome. Its utility is as uncertain as any, so the
    expectation is over the difference. Of the difference's deviation :math:`s` only the share
    ``exploration`` counts: a whole one is drawn to corners, of which nothing is known (De Ath et
    al., 2021). In many columns all of it counts. Where the model is certain that nothing is to be
    gained, the improvement is largest beside what is known. It may be wrong: the tiny share
    :math:`\epsilon` of the deviation, ``doubt``, then leads to where least is known. With
    categories it is larger. The second term is the augmentation of Huang et al. (2006): where the
    noise :math:`\sigma^2` is larger than the variance :math:`v` that evaluations of the point would
    remove, another one adds little. Beside a certain optimum it keeps a search from copies. The
    numerics of the logarithm are BoTorch's (Ament et al., 2023).

    Where runs have failed, the probability of success is a factor: that the utility is above that
    of the worst success. A failure's place is below it, so an optimum at the edge of what fails
    repels nobody.

    Under constraints the improvement is one over the best feasible point, and the probability of
    feasibility is a factor, too (Gardner et al., 2014). Every constraint is known by the utility of
    its slack: a new point satisfies it if that is above the utility of a slack of zero. As long as
    no evaluated point is feasible there is nothing to improve on, and only the probability counts.

    Args:
        model: A fitted model of the objective, feasible or not.
        X_pending: Points being evaluated, an ``m x d`` tensor.
        X_baseline: The evaluated points that could be suggested; see the base class.
        slack_models: Fitted models of the constraints' slacks, whose outcomes are at least zero
            where a constraint is satisfied.
        settings: ``exploration``, 1 for the expectation itself, ``many_columns`` and both doubts.

    Raises:
        UnsupportedError: If a model has no uncertainty.
    """

    def __init__(
        self,
        model: RankingGP,
        X_pending: Tensor | None = None,
        X_baseline: Tensor | None = None,
        slack_models: Sequence[RankingGP] = (),
        settings: AcquisitionSettings = AcquisitionSettings(),  # noqa: B008  # frozen
    ) -> None:
        super().__init__(model, X_baseline, slack_models)
        self._exploration = settings.exploration_in(model.num_active)
        has_categories = part_of(model.input_transform, OneHotCategories) is not None
        self._doubt = settings.doubt_of_categories if has_categories else settings.doubt
        self.set_X_pending(X_pending)

    def _prepare(self) -> None:
        super()._prepare()
        is_feasible = self.satisfies_all(self._informed.known_X) & self._is_eligible
        self._has_feasible = bool(is_feasible.any())
        among = is_feasible if self._has_feasible else None
        incumbent = self._informed.incumbent_among(among).unsqueeze(0)
        self._differences = self._informed.differences_from(self._informed.encode(incumbent)[0])
        self._margin = self._find_margin()

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        if not self._has_feasible:  # there is nothing to improve on
            return log_remoteness(distance)
        mean, variance, removable = self._differences.moments(encoded)
        value = log_improvement(mean, self._exploration**2 * variance)
        deviation = deviation_of(variance)
        if self._doubt > 0.0:
            value = torch.logaddexp(value, deviation.log() + math.log(self._doubt))
        value = value + log_augmentation(removable, self._informed.noise.detach())
        if self._margin is not None:
            value = value + torch.special.log_ndtr((mean + self._margin) / deviation)
        return value + log_remoteness(distance)

    def _find_margin(self) -> Tensor | None:
        """By how much the incumbent is better than the worst success, if there are failures."""
        failed = self.model.has_failed
        if bool(failed.all()) or not bool(failed.any()):
            return None
        succeeded = self._informed.encode(self.model.known_X[~failed]).unsqueeze(-2)
        with torch.no_grad():
            lead, *_ = self._differences.moments(succeeded)
        return -lead.min().clamp_max(0.0)
