"""Ax's acquisition wrapper with random numbers of its own."""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from ax.core.search_space import SearchSpaceDigest
from ax.exceptions.core import SearchSpaceExhausted
from ax.generators.torch.botorch_modular.acquisition import Acquisition, determine_optimizer
from ax.generators.torch.botorch_modular.surrogate import Surrogate
from ax.generators.torch_base import TorchOptConfig
from ax.generators.utils import mk_discrete_choices
from botorch.acquisition import AcquisitionFunction
from botorch.generation.sampling import SamplingStrategy
from botorch.models.model import Model
from botorch.optim.optimize_mixed import MAX_CARDINALITY_FOR_LOCAL_SEARCH
from botorch.utils.sampling import manual_seed
from torch import Tensor

from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.ax.goal import Goal
from botorch_popbo.ax.inputs import rank_model_inputs
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.optim.candidates import unseen_candidates
from botorch_popbo.optim.initial_conditions import (
    constrained_initial_conditions,
    rank_initial_conditions,
)
from botorch_popbo.seeds import derive_seed

_NUM_DISCRETE_CANDIDATES = 1000  # the paper's number
_MAX_DISCRETE_CANDIDATES = 100_000
_BOUNDARY = 1e-6  # relative width of the boundary of a linear constraint

#: Options of each of Ax's optimizers. Both rates are evaluated for hundreds of points as fast as
#: for a few, so starts are screened in one batch. A network's maxima have kinks, where more
#: iterations or a retry gain nothing.
OPTIMIZER_OPTIONS: dict[str, dict[str, Any]] = {
    "optimize_acqf": {
        "num_restarts": 16,
        "raw_samples": 512,
        "ic_generator": constrained_initial_conditions,
        "retry_on_optimization_warning": False,
        "options": {"init_batch_limit": 512, "batch_limit": 16, "maxiter": 100},
    },
    "optimize_acqf_mixed": {
        "num_restarts": 8,
        "raw_samples": 256,
        "ic_generator": constrained_initial_conditions,
        "retry_on_optimization_warning": False,
        "options": {"init_batch_limit": 256, "batch_limit": 8, "maxiter": 50},
    },
    "optimize_acqf_mixed_alternating": {
        "num_restarts": 8,
        "raw_samples": 512,
        "options": {"init_batch_limit": 512, "maxiter_alternating": 8},
    },
}

# A Gaussian process is smooth, and its maxima get narrower as the search converges.
_SMOOTH_OPTIONS: dict[str, Any] = {
    "num_restarts": 4,
    "ic_generator": rank_initial_conditions,
    "options": {"maxiter": 60},
}


class RankAcquisition(Acquisition):
    """Optimise a rank acquisition function reproducibly.

    A goal of one metric is searched with that metric's model. Several objectives and outcome
    constraints become one ranking, with a model of its own; see
    :class:`~botorch_popbo.ax.goal.Goal`.

    The optimizer's random numbers come from ``options["seed"]`` and the number of evaluated and
    pending points, so one seed gives one sequence of candidates and the global random state is
    left as it was. On a fully discrete space of few values each, without linear constraints, the
    best of all points that are neither evaluated nor pending is taken, or of 100,000 random ones if
    there are more (for a network of 1000, as in the paper); elsewhere Ax chooses BoTorch's
    optimizer.
    """

    def __init__(
        self,
        surrogate: Surrogate,
        search_space_digest: SearchSpaceDigest,
        torch_opt_config: TorchOptConfig,
        botorch_acqf_class: type[AcquisitionFunction] | None,
        **options: Any,
    ) -> None:
        # Candidates end on the boundary up to rounding. Ax would take those beyond it for points of
        # another space, and a running one would be suggested again.
        if torch_opt_config.linear_constraints is not None:
            A, b = torch_opt_config.linear_constraints
            wider = b + _BOUNDARY * b.abs().clamp_min(1.0)
            torch_opt_config = replace(torch_opt_config, linear_constraints=(A, wider))
        super().__init__(
            surrogate, search_space_digest, torch_opt_config, botorch_acqf_class, **options
        )

    def _subset_model(
        self,
        model: Model,
        objective_weights: Tensor,
        outcome_constraints: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Model, Tensor, tuple[Tensor, Tensor] | None]:
        """The model of the goal, which is maximised without constraints.

        Ax calls this before it builds the acquisition function from what is returned.
        """
        self.X_observed = torch.unique(torch.cat(self.surrogate.Xs), dim=0)
        goal = Goal(objective_weights, outcome_constraints, self._objective_thresholds)
        if goal.is_one_metric:
            model = model.subset_output(goal.metrics)
        else:
            [config] = self.surrogate.surrogate_spec.model_configs
            counts = goal.rank_counts(self.surrogate.training_data, self.options.get("seed", 0))
            model = PoissonRankModel(
                rank_counts=counts,
                **rank_model_inputs(self.search_space_digest, counts.X, config.model_options),
            ).fit()
        return model, torch.ones_like(objective_weights[:1, :1]), None

    def _update_objective_thresholds(self, torch_opt_config: TorchOptConfig) -> None:
        """Infer none: domination needs no reference point."""

    def optimize(
        self,
        n: int,
        search_space_digest: SearchSpaceDigest,
        inequality_constraints: list[tuple[Tensor, Tensor, float]] | None = None,
        equality_constraints: list[tuple[Tensor, Tensor, float]] | None = None,
        fixed_features: dict[int, float] | None = None,
        rounding_func: Callable[[Tensor], Tensor] | None = None,
        optimizer_options: dict[str, Any] | None = None,
        candidate_set: Tensor | None = None,
        sampling_strategy: SamplingStrategy | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """See :meth:`ax.generators.torch.botorch_modular.acquisition.Acquisition.optimize`."""
        known = [X for X in (self.X_observed, self.X_pending) if X is not None]
        X_known = torch.cat(known) if known else None
        seed = derive_seed(self.options.get("seed", 0), 0 if X_known is None else len(X_known))
        choices = mk_discrete_choices(search_space_digest, fixed_features)
        constrained = bool(inequality_constraints or equality_constraints)
        is_table = _is_table(choices, len(search_space_digest.feature_names))
        if candidate_set is None and is_table and not constrained:
            candidate_set = self._unseen(choices, X_known, seed)
        optimizer = determine_optimizer(search_space_digest, self.acqf, choices)
        options = self._optimizer_options(optimizer)
        if optimizer in OPTIMIZER_OPTIONS:  # the others look at every point of a discrete space
            options |= optimizer_options or {}
        with manual_seed(seed), warnings.catch_warnings():
            # A ReLU network has kinks: the line search ends at one, which is no failure.
            warnings.filterwarnings("ignore", "Optimization failed", RuntimeWarning)
            result: tuple[Tensor, Tensor, Tensor] = super().optimize(
                n=n,
                search_space_digest=search_space_digest,
                inequality_constraints=inequality_constraints,
                equality_constraints=equality_constraints,
                fixed_features=fixed_features,
                rounding_func=rounding_func,
                optimizer_options=options,
                candidate_set=candidate_set,
                sampling_strategy=sampling_strategy,
            )
        return result

    @property
    def _has_network(self) -> bool:
        """Whether the acquisition function asks a network."""
        return isinstance(self.acqf, RectifiedAcquisitionFunction) and (
            self.acqf.model.preset.rate == "mlp"
        )

    def _optimizer_options(self, optimizer: str) -> dict[str, Any]:
        options = dict(OPTIMIZER_OPTIONS.get(optimizer, {}))
        if optimizer == "optimize_acqf" and not self._has_network:
            options |= _SMOOTH_OPTIONS
        return options

    def _unseen(
        self, choices: Mapping[int, Sequence[float]], X_known: Tensor | None, seed: int
    ) -> Tensor:
        """Random points of a fully discrete space that are neither evaluated nor pending."""
        candidates = unseen_candidates(
            [
                torch.tensor(choices[i], dtype=self.dtype, device=self.device)
                for i in range(len(choices))
            ],
            X_known,
            _NUM_DISCRETE_CANDIDATES if self._has_network else _MAX_DISCRETE_CANDIDATES,
            torch.Generator().manual_seed(seed),
        )
        if candidates.shape[0] == 0:
            raise SearchSpaceExhausted("Every point of the discrete search space was evaluated.")
        return candidates


def _is_table(choices: Mapping[int, Sequence[float]], num_features: int) -> bool:
    """Whether the space is fully discrete and not one of wide ranges of integers.

    Those are searched like continuous ones, unless there are few points in all.
    """
    if len(choices) < num_features:
        return False
    sizes = [len(values) for values in choices.values()]
    few_points = math.prod(sizes) <= _NUM_DISCRETE_CANDIDATES
    return few_points or max(sizes) <= MAX_CARDINALITY_FOR_LOCAL_SEARCH
