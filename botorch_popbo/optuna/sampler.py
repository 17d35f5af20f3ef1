"""An Optuna sampler that learns from the order of the trials."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import torch
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from botorch_popbo._reproducible import one_thread
from botorch_popbo.optuna._space import (
    Share,
    all_parameters,
    has_values,
    in_shares,
    places_of,
    space_of,
    value_at,
)
from botorch_popbo.optuna._trials import Kept, keep_suggestion, suggestions, trials_of
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trials
from botorch_popbo.settings import Settings
from botorch_popbo.space import Space, at_least

_ENDED = TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL


class PoPBOSampler(BaseSampler):
    """Suggest by a :class:`~botorch_popbo.RankingGP` of the order of a study's trials.

    The first trials are a scrambled Sobol design, all others those of the highest expected
    improvement of the utility behind the order, of several objectives those of the front. How far
    apart values are is heard as far as it can be believed. Failed trials are worse than every
    success; pruned ones have the place among the completed that they had at the step where they
    stopped; running ones are pending. Parameters that are asked for beside some values of others
    only are told apart as far as trials show it.

    A suggestion depends on nothing but the seed, the number of its trial and the trials before, so
    a study that goes on from a storage goes on as if it had not been interrupted, and workers that
    share one may have the same seed. The global random state is left as it was.

    Args:
        seed: Seed of the design and the search; by default another one for every sampler.
        n_startup_trials: Trials with outcomes before the model takes over, by default those of the
            settings. Two different points must be among them.
        deterministic_objective: Whether the same point always has the same outcome. Nothing is
            then taken for an outlier, and the best point is the best evaluated one.
        constraints_func: Values of constraints of an ended trial, larger than zero where violated,
            as other samplers of Optuna take it. Constraints of ``trial.set_constraint`` count, too.
        order_only: Whether nothing is heard of how far apart outcomes are, so that any increasing
            transform of them gives the same suggestions bit for bit.
        settings: What the model assumes, and how to search.

    Raises:
        InputDataError: If a number is too small or not whole.

    Example:
        >>> study = optuna.create_study(sampler=PoPBOSampler(seed=0))
        >>> study.optimize(objective, n_trials=50)
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        n_startup_trials: int | None = None,
        deterministic_objective: bool = False,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        order_only: bool = False,
        settings: Settings | None = None,
    ) -> None:
        settings = (settings or Settings()).with_order_only(order_only)
        seed = secrets.randbits(31) if seed is None else at_least(0, seed=seed)
        number = settings.search.num_initial if n_startup_trials is None else n_startup_trials
        self._search = Search(seed, settings, at_least(1, n_startup_trials=number))
        self._is_exact = deterministic_objective
        self._constraints_func = constraints_func

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """All parameters that any ended trial asked for."""
        return all_parameters(in_shares(study.get_trials(deepcopy=False, states=_ENDED)))

    @one_thread()
    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Suggest values of all parameters; see the class."""
        distributions, fixed = _with_fixed(study, trial, search_space)
        if not distributions.keys() - fixed.keys():
            return {}
        kept = suggestions(study)
        for _ in range(4):
            values = self._values(study, trial, distributions, fixed, kept)
            before, kept = kept, suggestions(study)
            if kept == before:  # else another process has suggested meanwhile, from the same
                break
        keep_suggestion(study, trial.number, values, distributions)
        # What is a share becomes a value of the range that the trial asks for.
        asked = {name for name, d in search_space.items() if not isinstance(d, Share)}
        return {name: value for name, value in values.items() if name in asked}

    def _values(
        self,
        study: Study,
        trial: FrozenTrial,
        distributions: Mapping[str, BaseDistribution],
        fixed: dict[str, Any],
        kept: Kept,
    ) -> dict[str, Any]:
        """Suggest values beside fixed ones, and beside what was suggested for other trials."""
        given = [t for t in study.get_trials(deepcopy=False) if t.number != trial.number]
        others = in_shares(given)
        names, done = distributions.keys(), TrialState.COMPLETE
        telling = [t for t in others if t.state == done or names <= t.params.keys()]
        space = space_of(distributions, telling, self._search.settings.search.max_listed)
        trials = trials_of(others, study.directions, space, distributions, kept, self._is_exact)
        part = space.at_places(places_of(fixed, space.parameters) or {})
        shares = {name for name, d in distributions.items() if isinstance(d, Share)}
        points = self._points(part, trials, trial.number)
        return _first_new((space.decode(x) | fixed for x in points), given, shares)

    def _points(self, space: Space, trials: Trials, index: int) -> Iterator[Tensor]:
        """Suggestions, each as if those before it were pending, and after them some of a design.

        The model does not know what decides which parameters a trial asks for.
        """
        search = self._search
        for is_drawn in [False] * 4 + [True] * 4:
            if is_drawn:
                x = search.draw(space, trials.known_X, index)
            else:
                x = search.suggest(space, trials, index)
            yield x
            trials = replace(trials, pending=torch.cat([trials.pending, x.unsqueeze(0)]))

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """The value at the share of a range of the trial's own that was suggested.

        A parameter that no trial before has asked for in this way is drawn at random.
        """
        entropy = [self._search.seed, trial.number, crc32(param_name.encode())]
        share = np.random.default_rng(entropy).random()
        suggested = dict(suggestions(study).values()).get(trial.number, {})
        if param_name in suggested:
            searched = self.infer_relative_search_space(study, trial).get(param_name)
            share = suggested[param_name] if isinstance(searched, Share) else share
        return value_at(share, param_distribution)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Ask for the constraints of an ended trial, and keep them where Optuna does."""
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)


def _first_new(
    suggestions: Iterator[dict[str, Any]], others: Sequence[FrozenTrial], shares: Set[str]
) -> dict[str, Any]:
    """The first at which a trial would not just ask for the values of an ended one; or the last.

    Those of a running one are other points to a search, unless they are shares of its own ranges.
    """
    ended = [trial for trial in others if trial.state.is_finished()]
    known: set[str] = set()
    optional: set[str] = set()  # what is not asked for though it is known, and so is not just new
    for trial in ended:
        if trial.params:
            optional |= known - trial.params.keys()
            known |= trial.params.keys()

    def repeats(values: dict[str, Any], trial: FrozenTrial) -> bool:
        missing = values.keys() - trial.params.keys()
        if not trial.params or not missing <= optional or not (missing or shares):
            return False
        ranges = trial.distributions
        asked = {name: v for name, v in trial.params.items() if has_values(ranges[name])}
        moved = {name: value_at(values[name], ranges[name]) for name in shares & asked.keys()}
        return asked.items() <= (values | moved).items()

    for values in suggestions:
        if not any(repeats(values, trial) for trial in (others if shares else ended)):
            break
    return values


def _with_fixed(
    study: Study, trial: FrozenTrial, search_space: Mapping[str, BaseDistribution]
) -> tuple[dict[str, BaseDistribution], dict[str, Any]]:
    """What is to be suggested with the parameters whose values are set, and these values.

    They were enqueued, or a sampler around this one keeps them out of the search space.
    """
    known, fixed = search_space, {}
    if isinstance(study.sampler, PartialFixedSampler):
        known = all_parameters(in_shares(study.get_trials(deepcopy=False, states=_ENDED)))
        for name in known.keys() - search_space.keys():
            fixed[name] = study.sampler.sample_independent(study, trial, name, known[name])
    fixed |= trial.system_attrs.get("fixed_params", {})
    # Which share of its range a value is shows when the trial asks for it.
    fixed = {n: fixed[n] for n, d in known.items() if n in fixed and not isinstance(d, Share)}
    sought = {**search_space, **{name: known[name] for name in fixed}}
    return {name: sought[name] for name in sorted(sought)}, fixed
