"""Expected improvement of the utility where constraints are likely to be satisfied."""

from collections.abc import Sequence

import torch
from botorch.utils.transforms import t_batch_mode_transform
from torch import Tensor

from botorch_popbo.acquisition.expected_utility_improvement import LogExpectedUtilityImprovement
from botorch_popbo.acquisition.feasibility import RankedConstraint
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.models.utility import UtilityModel


class LogConstrainedExpectedUtilityImprovement(LogExpectedUtilityImprovement):
    r"""Expected improvement over the best feasible point times the probability of feasibility.

    .. math::

        \alpha(x) = \alpha_{EI}(x) + \sum_j \log P(c_j(x) \ge 0),

    after Gardner et al. (2014), with every constraint known by the order of its slacks; see
    :class:`RankedConstraint`. As long as no evaluated point is feasible there is nothing to improve
    on, and only the probability counts.

    Args:
        model: A fitted rank model of the objective, feasible or not, or its utility model.
        slack_models: Fitted rank models of the constraints' slacks, whose outcomes are at least
            zero where a constraint is satisfied.
        X_pending: Points being evaluated, an ``m x d`` tensor.

    Raises:
        UnsupportedError: If a model has a network, which knows no uncertainty of its rate.
    """

    def __init__(
        self,
        model: PoissonRankModel | UtilityModel,
        slack_models: Sequence[PoissonRankModel],
        X_pending: Tensor | None = None,
    ) -> None:
        self.constraints = [RankedConstraint(slack_model) for slack_model in slack_models]
        self.has_feasible = False
        super().__init__(model, X_pending)

    @t_batch_mode_transform(expected_q=1)  # type: ignore[arg-type]  # typed for its base class
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate the acquisition function.

        Args:
            X: Points, a ``batch_shape x 1 x d`` tensor.

        Returns:
            A ``batch_shape`` tensor, larger being better.
        """
        value: Tensor = super().forward(X)
        for constraint in self.constraints:
            value = value + constraint.log_probability(X).squeeze(-1)
        return value

    def _eligible(self, X: Tensor) -> Tensor | None:
        feasible = torch.ones(len(X), dtype=torch.bool, device=X.device)
        for constraint in self.constraints:
            feasible &= constraint.is_satisfied(X)
        self.has_feasible = bool(feasible.any())
        return feasible if self.has_feasible else None

    def _log_improvement(self, encoded: Tensor) -> Tensor:
        if self.has_feasible:
            return super()._log_improvement(encoded)
        return encoded.new_zeros(encoded.shape[:-1])
