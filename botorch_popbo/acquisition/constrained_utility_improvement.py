"""Expected improvement of the utility where constraints are likely to be satisfied."""

from collections.abc import Sequence

from torch import Tensor
from torch.nn import ModuleList

from botorch_popbo.acquisition._ranked_constraint import RankedConstraint, all_satisfied
from botorch_popbo.acquisition.utility_improvement import LogExpectedUtilityImprovement
from botorch_popbo.models.ranking_gp import RankingGP


class LogConstrainedExpectedUtilityImprovement(LogExpectedUtilityImprovement):
    r"""Expected improvement over the best feasible point times the probability of feasibility.

    .. math::

        \alpha(x) = \alpha_{EI}(x) + \sum_j \log P(c_j(x) \ge 0),

    after Gardner et al. (2014), with every constraint known by the order of its slacks: a new point
    satisfies it if it ranks before the worst evaluated point that does. As long as no evaluated
    point is feasible there is nothing to improve on, and only the probability counts.

    Args:
        model: A fitted model of the objective, feasible or not.
        slack_models: Fitted models of the constraints' slacks, whose outcomes are at least
            zero where a constraint is satisfied.
        X_pending: Points being evaluated, an ``m x d`` tensor.
        X_baseline: The evaluated points that could be suggested; see the base class.

    Raises:
        UnsupportedError: If a model has no uncertainty.
    """

    def __init__(
        self,
        model: RankingGP,
        slack_models: Sequence[RankingGP],
        X_pending: Tensor | None = None,
        X_baseline: Tensor | None = None,
    ) -> None:
        constraints = [RankedConstraint(slack_model) for slack_model in slack_models]
        self._has_feasible = False
        super().__init__(model, X_baseline=X_baseline)
        self.slack_constraints = ModuleList(constraints)
        self.set_X_pending(X_pending)

    def _prepare(self) -> None:
        super()._prepare()
        # The base class calls this before there are constraints.
        for constraint in getattr(self, "slack_constraints", []):
            constraint.set_X_pending(self.X_pending)

    def _evaluate(self, X: Tensor, encoded: Tensor, distance: Tensor) -> Tensor:
        value = super()._evaluate(X, encoded, distance)
        for constraint in self.slack_constraints:
            value = value + constraint(X)
        return value

    def _find_incumbent(self, model: RankingGP) -> Tensor:
        satisfied = all_satisfied(getattr(self, "slack_constraints", []), model.known_X)
        is_feasible = satisfied & self._is_eligible
        self._has_feasible = bool(is_feasible.any())
        return model.incumbent_among(is_feasible if self._has_feasible else None)

    def _log_improvement(self, encoded: Tensor) -> Tensor:
        if self._has_feasible:
            return super()._log_improvement(encoded)
        return encoded.new_zeros(encoded.shape[:-1])
