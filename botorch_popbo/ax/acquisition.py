"""Ax's acquisition wrapper with random numbers of its own."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any, cast

import torch
from ax.core.search_space import SearchSpaceDigest
from ax.exceptions.core import SearchSpaceExhausted, UserInputError
from ax.generators.torch.botorch_modular.acquisition import Acquisition, determine_optimizer
from ax.generators.torch_base import TorchOptConfig
from ax.generators.utils import mk_discrete_choices
from botorch.acquisition import AcquisitionFunction
from botorch.generation.sampling import SamplingStrategy
from botorch.models.model import Model
from torch import Tensor

from botorch_popbo._seeds import derive_seed, seeded
from botorch_popbo.acquisition.front_improvement import LogExpectedFrontImprovement
from botorch_popbo.acquisition.rank_acquisition import find_baseline
from botorch_popbo.acquisition.utility_improvement import (
    LogConstrainedExpectedUtilityImprovement,
    LogExpectedUtilityImprovement,
)
from botorch_popbo.ax._checks import check_fixed
from botorch_popbo.ax._goal import Goal
from botorch_popbo.ax._hierarchy import inactive_columns, points_inside
from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models import RankingGP, RankModel
from botorch_popbo.optim._maximize import Domain, unless_known
from botorch_popbo.optim._optimizer_options import OPTIMIZER_OPTIONS, default_options
from botorch_popbo.optim._tables import (
    MAX_CANDIDATES,
    MAX_FRONT_CANDIDATES,
    NUM_PAPER_CANDIDATES,
    is_table,
    unseen_points,
)

_BOUNDARY = 1e-6  # relative width of the boundary of a linear constraint


class RankAcquisition(Acquisition):
    """Optimise a rank acquisition function reproducibly.

    A goal of one metric is searched with that metric's model, any other with models of its own,
    which the surrogate fits; see :meth:`RankSurrogate.goal_models`. The expected improvement of a
    utility becomes that of a front where there are several objectives.

    The optimizer's random numbers come from ``options["seed"]`` and the number of evaluated and
    pending points, so one seed gives one sequence of candidates and the global random state is
    left as it was. On a fully discrete space of few values each, without linear constraints, the
    best of all points that are neither evaluated nor pending is taken, or of 100,000 random ones if
    there are more (with several objectives of 2048, for a network of 1000 as in the paper);
    elsewhere Ax chooses BoTorch's optimizer.

    Raises:
        UserInputError: If the surrogate is no :class:`~botorch_popbo.ax.surrogate.RankSurrogate`.
    """

    surrogate: RankSurrogate
    X_observed: Tensor
    _model: RankModel

    def __init__(
        self,
        surrogate: RankSurrogate,
        search_space_digest: SearchSpaceDigest,
        torch_opt_config: TorchOptConfig,
        botorch_acqf_class: type[AcquisitionFunction] | None,
        **options: Any,
    ) -> None:
        if not isinstance(surrogate, RankSurrogate):
            raise UserInputError(
                "A RankAcquisition needs surrogate=RankSurrogate(...) in the generator_kwargs, in "
                "place of surrogate_spec."
            )
        # Candidates end on the boundary up to rounding. Ax would take those beyond it for points of
        # another space, and a running one would be suggested again.
        if torch_opt_config.linear_constraints is not None:
            A, b = torch_opt_config.linear_constraints
            wider = b + _BOUNDARY * b.abs().clamp_min(1.0)
            torch_opt_config = replace(torch_opt_config, linear_constraints=(A, wider))
        self._in_design = partial(
            points_inside, digest=search_space_digest, inactive=surrogate.inactive
        )
        self._feasible = partial(
            self._in_design,
            linear_constraints=torch_opt_config.linear_constraints,
            fixed_features=torch_opt_config.fixed_features,
        )
        # Ax leaves pending points out whose inactive parameters are beyond the search space.
        own, pending = inactive_columns(search_space_digest), torch_opt_config.pending_observations
        if own is not None and pending is not None:
            pending = [own(X) if len(X) else X for X in pending]
            torch_opt_config = replace(torch_opt_config, pending_observations=pending)
        self._separate = botorch_acqf_class is LogExpectedUtilityImprovement
        super().__init__(
            surrogate, search_space_digest, torch_opt_config, botorch_acqf_class, **options
        )

    def _subset_model(
        self,
        model: Model,
        objective_weights: Tensor,
        outcome_constraints: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Model, Tensor, tuple[Tensor, Tensor] | None]:
        """The model of the goal, of several objectives the first one's, without constraints.

        Ax calls this before it builds the acquisition function from what is returned.
        """
        inactive = self.surrogate.inactive
        if inactive is not None and self.X_pending is not None:
            self.X_pending = inactive(self.X_pending)
        observed = torch.unique(torch.cat(self.surrogate.Xs), dim=0)
        choices = (self._feasible(observed), self._in_design(observed), observed)
        self.X_observed = next(X for X in choices if len(X))
        goal = Goal(objective_weights, outcome_constraints, self._objective_thresholds)
        models = self.surrogate.goal_models(goal, self.options.get("seed", 0), self._separate)
        self._goal_models = models
        self._await_unranked(models.objectives[0].known_X)
        return models.objectives[0], torch.ones_like(objective_weights[:1, :1]), None

    def _await_unranked(self, ranked: Tensor) -> None:
        """Take what lacks a metric for pending, lest it be suggested again, and no ranked point."""
        is_ranked = is_row_of(self.X_observed, ranked)
        pending, self.X_observed = self.X_observed[~is_ranked], self.X_observed[is_ranked]
        if self.X_pending is not None:
            # Of a hundred trials and more Ax takes all that run for pending, with data or without.
            unknown = self.X_pending[~is_row_of(self.X_pending, ranked)]
            pending = torch.cat([unknown, pending[~is_row_of(pending, unknown)]])
        self.X_pending = pending if len(pending) else None

    def _construct_botorch_acquisition(
        self,
        botorch_acqf_class: type[AcquisitionFunction],
        botorch_acqf_options: dict[str, Any],
        model: Model,
    ) -> AcquisitionFunction:
        options = dict(botorch_acqf_options)
        objectives = cast(list[RankingGP], self._goal_models.objectives)
        slacks = cast(list[RankingGP], self._goal_models.slacks)
        if len(objectives) > 1:
            return LogExpectedFrontImprovement(
                objectives,
                slacks,
                self._objective_thresholds,
                self.X_pending,
                self._seed,
                self.X_observed,
            )
        if slacks:
            botorch_acqf_class = LogConstrainedExpectedUtilityImprovement
            options["slack_models"] = slacks
        if "best_f" in signature(botorch_acqf_class).parameters:
            # Ax would take the best outcome, but the model answers in utilities.
            is_eligible = find_baseline(self._model, self.X_observed)
            best: Any = model.posterior(self._model.incumbent_among(is_eligible).unsqueeze(0))
            options.setdefault("best_f", best.mean.detach().squeeze())
        with seeded(self._seed):  # some of BoTorch's functions prune their baseline by samples
            acquisition: AcquisitionFunction = super()._construct_botorch_acquisition(
                botorch_acqf_class, options, model
            )
        return acquisition

    def _update_objective_thresholds(self, torch_opt_config: TorchOptConfig) -> None:
        """Infer none: a front finds its reference point itself, and an order needs none."""

    @property
    def objective_thresholds(self) -> Tensor | None:
        """What Ax notes beside a suggestion: all thresholds, because it cannot note one alone."""
        given = self._objective_thresholds
        return None if given is None or bool(given.isnan().any()) else given

    @property
    def _max_candidates(self) -> int:
        if len(self._goal_models.objectives) > 1:
            return MAX_FRONT_CANDIDATES
        return MAX_CANDIDATES if self._model.has_uncertainty else NUM_PAPER_CANDIDATES

    @property
    def _seed(self) -> int:
        """Another one for every number of points known."""
        return derive_seed(self.options.get("seed", 0), len(self._X_known))

    @property
    def _X_known(self) -> Tensor:  # noqa: N802
        """Points evaluated or pending, ``m x d``."""
        pending = [] if self.X_pending is None else [self.X_pending]
        return torch.cat([self.X_observed, *pending])

    @torch.enable_grad()
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
        check_fixed(fixed_features or {}, search_space_digest)
        X_known, seed = self._X_known, self._seed
        choices = mk_discrete_choices(search_space_digest, fixed_features)
        constrained = bool(inequality_constraints or equality_constraints)
        if (
            candidate_set is None
            and not constrained
            and is_table(choices, len(search_space_digest.feature_names))
        ):
            candidate_set = self._unseen(choices, X_known, seed)
        optimizer = determine_optimizer(search_space_digest, self.acqf, choices)
        options = default_options(optimizer, is_smooth=self._model.has_uncertainty)
        if optimizer in OPTIMIZER_OPTIONS:  # the others look at every point of a discrete space
            options |= optimizer_options or {}
        with seeded(seed), warnings.catch_warnings():
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
            if candidate_set is None and not constrained:
                bounds = X_known.new_tensor(search_space_digest.bounds).T
                snap = rounding_func or Tensor.clone
                domain = Domain(bounds, choices, (), snap, self.surrogate.inactive)
                result = self._unless_known(result, domain, X_known)
        return result

    def _unseen(self, choices: Mapping[int, Sequence[float]], X_known: Tensor, seed: int) -> Tensor:
        """Points of a fully discrete space that are not known, ``n x d``."""
        like = torch.empty(0, dtype=self.dtype, device=self.device)
        unseen = unseen_points(
            choices, X_known, self._max_candidates, seed, like, self.surrogate.inactive
        )
        if len(unseen) == 0:
            raise SearchSpaceExhausted(
                "No point is left: each one of the search space, with the fixed parameters if "
                "there are any, is evaluated or running. Widen the space or fix fewer parameters."
            )
        return unseen

    def _unless_known(
        self, result: tuple[Tensor, Tensor, Tensor], domain: Domain, X_known: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What an optimizer has found, with others in place of known points."""
        candidates, values, weights = result
        found = unless_known(self.acqf, domain, candidates, X_known)
        if not found.equal(candidates):
            values = self.evaluate(found.unsqueeze(-2)).detach().squeeze()
        return found, values, weights
