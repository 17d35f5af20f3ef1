"""Ax's acquisition wrapper with random numbers of its own."""

import math
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from inspect import signature
from typing import Any, cast

import torch
from ax.core.search_space import SearchSpaceDigest
from ax.exceptions.core import SearchSpaceExhausted, UserInputError
from ax.generators.torch.botorch_modular.acquisition import Acquisition, determine_optimizer
from ax.generators.torch.utils import get_rounding_func
from ax.generators.torch_base import TorchOptConfig
from ax.generators.utils import get_observed, mk_discrete_choices
from botorch.acquisition import AcquisitionFunction, OneShotAcquisitionFunction
from botorch.acquisition.input_constructors import get_acqf_input_constructor
from botorch.exceptions import CandidateGenerationError
from botorch.posteriors import GPyTorchPosterior
from torch import Tensor

import botorch_popbo.acquisition.input_constructors  # noqa: F401  (registers ours)
from botorch_popbo._plain import Value
from botorch_popbo._reproducible import derive_seed, one_thread, seeded
from botorch_popbo.acquisition.rank_acquisition import find_baseline
from botorch_popbo.acquisition.utility_improvement import LogExpectedUtilityImprovement
from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.search.domain import Domain
from botorch_popbo.search.maximize import (
    default_options,
    searching,
    table_candidates,
    unless_known,
)
from botorch_popbo.search.outlook import Outlook, chance_of_better, compared, purpose
from botorch_popbo.search.suggest import Models
from botorch_popbo.settings import Settings

#: Points, the value of each, and its weight.
Found = tuple[Tensor, Tensor, Tensor]


class RankAcquisition(Acquisition):
    """Optimize a rank acquisition function reproducibly.

    A goal of one metric is searched with that metric's model, any other with models of its own,
    which the surrogate fits; see :meth:`RankSurrogate.goal_models`. The expected improvement of a
    utility becomes that of a front where there are several objectives.

    The optimizer's random numbers come from ``options["seed"]`` and the number of evaluated and
    pending points, so one seed gives one sequence of candidates and the global random state is
    left as it was. On a fully discrete space of few values each, without linear constraints, the
    best of all points that are neither evaluated nor pending is taken; of a large one the best of
    some random points and of those to which a local search leads (for a network of 1000 random
    ones, as in the paper). Elsewhere Ax chooses BoTorch's optimizer. ``options["settings"]`` are
    :class:`~botorch_popbo.settings.Settings`.

    Raises:
        UserInputError: If it is not a :class:`~botorch_popbo.ax.surrogate.RankSurrogate`.
    """

    surrogate: RankSurrogate

    def __init__(
        self,
        surrogate: RankSurrogate,
        search_space_digest: SearchSpaceDigest,
        torch_opt_config: TorchOptConfig,
        botorch_acqf_class: type[AcquisitionFunction],
        botorch_acqf_options: dict[str, object] | None = None,
        options: dict[str, Any] | None = None,
        **_: object,
    ) -> None:
        # Not Ax's own constructor: it would take the metrics' models for the goal's.
        if not isinstance(surrogate, RankSurrogate):
            raise UserInputError(
                "Pass surrogate=RankSurrogate(...) in the generator_kwargs, not a surrogate_spec."
            )
        self.surrogate, self.search_space_digest = surrogate, search_space_digest
        self.options = options or {}
        self.settings: Settings = self.options.get("settings") or Settings()
        self._pruning_target_point = torch_opt_config.pruning_target_point
        self.num_pruned_dims = None
        self._config = torch_opt_config
        self.goal = surrogate.goal(torch_opt_config)
        is_improvement = botorch_acqf_class is LogExpectedUtilityImprovement
        seed = self.options.get("seed", 0)
        self.models = surrogate.goal_models(self.goal, seed, is_improvement)
        self.model = self.models[0][0]
        self._find_known(torch_opt_config)
        self._seed = derive_seed(seed, len(self._X_known))
        if is_improvement:
            settings = self.settings.with_list(self._domain.is_table)
            models = Models(*self.models, settings)  # type: ignore[arg-type]  # Gaussian
            self.acqf = self._function = models.improvement(
                self.X_pending, self._improvable, self.goal.objective_thresholds
            )
        else:
            self.acqf = self._other_function(botorch_acqf_class, {**(botorch_acqf_options or {})})
        self.models_used, self.acq_function_sequence = [surrogate.model_name_by_metric], None

    def _find_known(self, config: TorchOptConfig) -> None:
        """Set the points to improve on, and the pending ones.

        What lacks a metric is pending, lest it be suggested again, and what is ranked is not.
        """
        inside = partial(self.surrogate.points_inside, digest=self.search_space_digest)
        self._feasible = feasible = partial(
            inside,
            linear_constraints=_inequalities(config),
            fixed_features=config.fixed_features,
        )
        observed = torch.unique(torch.cat(self.surrogate.Xs), dim=0)
        self._improvable = feasible(observed)
        X_observed = next(X for X in (self._improvable, inside(observed), observed) if len(X))
        ranked = self.model.known_X
        is_ranked = is_row_of(X_observed, ranked)
        self.X_observed, unranked = X_observed[is_ranked], X_observed[~is_ranked]
        if config.pending_observations is not None:
            goal = config.objective_weights, config.outcome_constraints
            running = feasible(get_observed(config.pending_observations, *goal))
            # Of a hundred trials and more Ax takes all that run for pending, with data or without.
            running = running[~is_row_of(running, ranked)]
            unranked = torch.cat([running, unranked[~is_row_of(unranked, running)]])
        self.X_pending = unranked if len(unranked) else None
        self._X_known = torch.cat([self.X_observed, unranked])

    def _other_function(
        self, function: type[AcquisitionFunction], options: dict[str, object]
    ) -> AcquisitionFunction:
        """An acquisition function of the first model, of the paper or of BoTorch."""
        arguments = signature(function).parameters
        if "seed" in arguments:
            options.setdefault("seed", self.options.get("seed", 0))
        if "best_f" in arguments:
            # Ax would take the best outcome, but the model answers in utilities.
            is_eligible = find_baseline(self.model, self.X_observed)
            incumbent = self.model.incumbent_among(is_eligible).unsqueeze(0)
            best = cast(GPyTorchPosterior, self.model.posterior(incumbent))
            options.setdefault("best_f", best.mean.detach().squeeze())
        if self.X_pending is not None:
            options["X_pending"] = self.X_pending
        with seeded(self._seed):  # some of BoTorch's functions prune their baseline by samples
            inputs = get_acqf_input_constructor(function)(
                model=self.model,
                training_data=self.surrogate.training_data[0],
                bounds=self.search_space_digest.bounds,
                X_baseline=self.X_observed,
                **options,
            )
            return function(**inputs)

    @property
    def objective_weights(self) -> Tensor:
        """What Ax notes beside a suggestion."""
        return self.goal.objective_weights * self.surrogate.signs

    @property
    def objective_thresholds(self) -> Tensor | None:
        """What Ax notes beside a suggestion: all thresholds, because it cannot note one alone."""
        given = self.goal.objective_thresholds
        return None if given is None or bool(given.isnan().any()) else given

    @torch.enable_grad()
    def optimize(  # type: ignore[override]  # Ax names what it passes
        self,
        n: int,
        search_space_digest: SearchSpaceDigest,
        *,
        fixed_features: dict[int, float] | None = None,
        optimizer_options: Mapping[str, object] | None = None,
        candidate_set: Tensor | None = None,
        **others: Any,
    ) -> Found:
        """See :meth:`ax.generators.torch.botorch_modular.acquisition.Acquisition.optimize`."""
        _check_fixed(fixed_features or {}, search_space_digest)
        domain, search = self._domain, self.settings.search
        is_box = not (others.get("inequality_constraints") or others.get("equality_constraints"))
        if candidate_set is None and is_box and domain.is_table:
            candidate_set = table_candidates(self.acqf, domain, self._X_known, self._seed)
            if not len(candidate_set):
                raise SearchSpaceExhausted(
                    "No point is left: all are evaluated or running. Widen the space or fix fewer."
                )
        optimizer = determine_optimizer(search_space_digest, self.acqf, domain.choices)
        options = default_options(optimizer, self.model.has_uncertainty, search)
        if isinstance(self.acqf, OneShotAcquisitionFunction):  # whose starts BoTorch makes
            options.pop("ic_generator", None)
        if options:  # the others look at every point of a discrete space
            options |= optimizer_options or {}
        search_for = partial(
            super().optimize,
            search_space_digest=search_space_digest,
            fixed_features=fixed_features,
            optimizer_options=options,
            candidate_set=candidate_set,
            **others,
        )
        climbing = one_thread() if candidate_set is None else nullcontext()
        with searching(self._seed), climbing:
            if candidate_set is not None:
                found, values, weights = search_for(n=n)
            else:
                found, values, weights = self._in_turn(search_for, n)
                points = unless_known(self.acqf, domain, found, self._X_known, self._feasible_near)
                if not points.equal(found):
                    found, values = points, self.evaluate(points.unsqueeze(-2)).detach().squeeze()
        self._found = found
        return found, values, weights

    def outlook(self, margin: float | None) -> Outlook:
        """Whether anything better is left to be found, by an expected improvement of utilities.

        Args:
            margin: By how much to be better; see
                :class:`~botorch_popbo.ax.RankGlobalStopping`.

        Returns:
            The chance.
        """
        measured = self.goal.measured(self.surrogate.training_data)
        what = self._function, self._domain, measured, self.settings.search.num_initial
        return chance_of_better(*what, margin, self._seed, self._feasible_near)

    def why(self, index: int, x: dict[str, Value], best: dict[str, Value] | None) -> str:
        """What a suggestion is for, where an expected improvement of utilities is maximized.

        Args:
            index: Which of those that were suggested last.
            x: Its parameters.
            best: Those of the point that the model recommends, if there is one.

        Returns:
            A sentence or two.
        """
        digest, found = self.search_space_digest, self._found[index]
        sentence, incumbent = purpose(self._function, found)
        if incumbent is None or best is None:
            return sentence
        low, high = found.new_tensor(digest.bounds).T
        away = (found - incumbent).abs() / (high - low)
        away[digest.categorical_features] = away[digest.categorical_features].sign()
        shares = dict(zip(digest.feature_names, away.tolist(), strict=True))
        return f"{sentence} {compared(shares, x, best)}"

    @property
    def _domain(self) -> Domain:
        digest, config = self.search_space_digest, self._config
        bounds = self._X_known.new_tensor(digest.bounds).T
        choices = mk_discrete_choices(digest, config.fixed_features)
        snap = get_rounding_func(config.rounding_func) or Tensor.clone
        return Domain(bounds, choices, (), snap, self.surrogate.inactive, self.settings.search)

    def _in_turn(self, search_for: Callable[..., Found], n: int) -> Found:
        """Points one after another, each with those before it pending: values are of one point."""
        found = [search_for(n=1)]
        if n == 1:  # of a function that may know no pending points
            return found[0]
        running = self.acqf.X_pending
        while len(found) < n:
            chosen = torch.cat([point for point, _, _ in found])
            self.acqf.set_X_pending(chosen if running is None else torch.cat([running, chosen]))
            found.append(search_for(n=1))
        self.acqf.set_X_pending(running)
        points, values, weights = zip(*found, strict=True)
        return torch.cat(points), torch.stack(values).flatten(), torch.cat(weights)

    def _feasible_near(self, X: Tensor) -> Tensor:
        """Points moved to where equalities hold, all but listed columns, if feasible then."""
        if self._config.equality_constraints is not None:
            A, b = self._config.equality_constraints
            free = A.clone()
            free[:, [*self._domain.choices]] = 0.0
            X = X - (X @ A.T - b.T) @ torch.linalg.pinv(free).T
        return self._feasible(X)


def _inequalities(config: TorchOptConfig) -> tuple[Tensor, Tensor] | None:
    """All linear constraints as ``A x <= b``, with some slack.

    Candidates end on the boundary up to rounding. Those beyond it would be taken for points of
    another space, and a running one would be suggested again.
    """
    halves = [] if config.linear_constraints is None else [config.linear_constraints]
    if config.equality_constraints is not None:
        A, b = config.equality_constraints
        halves += [(A, b), (-A, -b)]
    if not halves:
        return None
    A, b = map(torch.cat, zip(*halves, strict=True))
    return A, b + 1e-6 * b.abs().clamp_min(1.0)


def _check_fixed(fixed_features: Mapping[int, float], digest: SearchSpaceDigest) -> None:
    """Refuse fixed parameters outside of the space, which some optimizers move into it.

    Where parameters depend on others, all are refused: Ax then completes the fixed ones to a point,
    with the middle of each other range, and nothing would be left to search.

    Raises:
        CandidateGenerationError: If there is one.
    """
    if fixed_features and digest.hierarchical_dependencies:
        raise CandidateGenerationError(
            "Where some parameters depend on others, Ax fixes all as soon as one is fixed or "
            "disabled. Leave out fixed_parameters, and attach points of your own: "
            "client.attach_trial(point)."
        )
    for column, value in fixed_features.items():
        low, high = digest.bounds[column]
        slack = 1e-9 * (high - low)
        choices = digest.discrete_choices.get(column, [value])
        is_choice = any(math.isclose(value, choice, abs_tol=1e-9) for choice in choices)
        if not (is_choice and low - slack <= value <= high + slack):
            raise CandidateGenerationError(
                f"{digest.feature_names[column]!r} is fixed at a value outside of the search space."
            )
