"""An Optuna sampler that learns from the order of the trials, and what ends a study by it."""

import logging
import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from zlib import crc32

import numpy as np
import torch
from botorch.exceptions import InputDataError, UnsupportedError
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from botorch_popbo._plain import Value, as_float
from botorch_popbo._reproducible import one_thread
from botorch_popbo.optuna._distributions import Share, all_parameters, places_of, value_at
from botorch_popbo.optuna._trials import Suggestions, is_repeated, read_study
from botorch_popbo.optuna.pruner import signs_of
from botorch_popbo.search.outlook import Outlook, outlook, why
from botorch_popbo.search.suggest import Search
from botorch_popbo.settings import Settings, read_settings
from botorch_popbo.space import at_least, check_function, is_number

_logger = logging.getLogger("botorch_popbo")

_ENDED = TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL


class PoPBOSampler(BaseSampler):
    """Suggest by a :class:`~botorch_popbo.RankingGP` of the order of a study's trials.

    The first trials are a scrambled Sobol design, all others those of the highest expected
    improvement of the utility behind the order, of several objectives those of the front. Distances
    between values count as far as they are plausible. Failed trials are worse than every success.
    Pruned ones are what they would have been, as :class:`PoPBOPruner` foresees it, whoever pruned
    them. Running ones are pending. The sampler learns from the trials which parameters exist only
    beside some values of others.

    A suggestion depends on nothing but the seed, the number of its trial and the trials before, so
    a study that is resumed from a storage continues as if it had not been interrupted, and workers
    that share one may have the same seed. The global random state is left as it was.

    Args:
        seed: Seed of the design and the search; by default another one for every sampler.
        n_startup_trials: Trials with outcomes before the model takes over, by default those of the
            settings. Two different points must be among them.
        deterministic_objective: Whether the same point always has the same outcome. Nothing is
            then taken for an outlier, and the best point is the best evaluated one.
        constraints_func: Values of constraints of an ended trial, larger than zero where violated,
            as other samplers of Optuna take it. Constraints of ``trial.set_constraint`` count, too.
        order_only: Whether to ignore how far apart outcomes are. Any increasing transform of them
            then gives the same suggestions, bit for bit.
        settings: What the model assumes, and how to search.
        explain: Whether each trial has a user attribute ``why``: what it was suggested for, in
            words. It is a column of ``trials_dataframe`` and of Optuna's dashboard.

    Raises:
        InputDataError: If a number is too small or not whole, or constraints_func is no function.

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
        explain: bool = False,
    ) -> None:
        settings = read_settings(settings, order_only)
        seed = secrets.randbits(31) if seed is None else at_least(0, seed=seed)
        number = settings.search.num_initial if n_startup_trials is None else n_startup_trials
        self._search = Search(seed, settings, at_least(1, n_startup_trials=number))
        variance = 0.0 if deterministic_objective else math.nan
        self._place = partial(read_study, variance=variance, max_listed=settings.search.max_listed)
        check_function("constraints_func", constraints_func, "a trial")
        self._constraints_func, self._explains = constraints_func, explain

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """All parameters that any ended trial asked for."""
        return self._searched(study)

    @one_thread()
    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, object]:
        """Suggest values of all parameters; see the class."""
        distributions, fixed = self._with_fixed(study, trial, search_space)
        if not distributions.keys() - fixed.keys():
            return {}
        suggestions = Suggestions(study)
        for _ in range(4):
            values, reason = self._suggest(trial.number, distributions, fixed, suggestions)
            before, suggestions = suggestions, Suggestions(study)
            if suggestions.by_key == before.by_key:  # else another process has suggested meanwhile
                break
        numbers = {name: distributions[name].to_internal_repr(values[name]) for name in values}
        suggestions.keep(trial.number, numbers)
        if reason:
            study._storage.set_trial_user_attr(trial._trial_id, "why", reason)
        # What is a share becomes a value of the range that the trial asks for.
        asked = {name for name, d in search_space.items() if not isinstance(d, Share)}
        return {name: value for name, value in values.items() if name in asked}

    def _with_fixed(
        self, study: Study, trial: FrozenTrial, search_space: Mapping[str, BaseDistribution]
    ) -> tuple[Mapping[str, BaseDistribution], dict[str, object]]:
        """The search space with the parameters whose values are fixed, and these values.

        They were enqueued, or a sampler around this one keeps them out of the search space.
        """
        parameters, values = search_space, trial.system_attrs.get("fixed_params", {})
        if isinstance(study.sampler, PartialFixedSampler):
            parameters = self.infer_relative_search_space(study, trial)
            for name in parameters.keys() - search_space.keys() - values.keys():
                value = study.sampler.sample_independent(study, trial, name, parameters[name])
                values = values | {name: value}
        # Which share of its range a value is shows when the trial asks for it.
        is_share = {name for name, d in parameters.items() if isinstance(d, Share)}
        fixed = {name: values[name] for name in parameters if name in values.keys() - is_share}
        needed = search_space.keys() | fixed.keys()
        return {name: d for name, d in parameters.items() if name in needed}, fixed

    def _suggest(
        self,
        number: int,
        distributions: Mapping[str, BaseDistribution],
        fixed: dict[str, object],
        suggestions: Suggestions,
    ) -> tuple[dict[str, object], str]:
        """Suggest values beside fixed ones, and beside what was suggested for other trials.

        If it is to explain them, it also says why.

        The model does not know what decides which parameters a trial asks for. So a suggestion is
        passed over, as if it were pending, if the trial may ask for nothing but the values of
        another one; after four of them points of a design are tried.
        """
        search, listed = self._search, suggestions.study.get_trials(deepcopy=False)
        others = [trial for trial in listed if trial.number != number]
        space, trials, _ = self._place(others, distributions, suggestions)
        part = space.at_places(places_of(fixed, space.parameters))
        for attempt in range(8):
            if attempt < 4:
                x = search.suggest(part, trials, number)
            else:
                x = search.draw(part, trials.known_X, number)
            values = part.decode(x) | fixed
            if not is_repeated(values, others, distributions):
                break
            trials = replace(trials, pending=torch.cat([trials.pending, x.unsqueeze(0)]))
        return values, why(search, part, trials, x) if self._explains else ""

    def _searched(self, study: Study) -> dict[str, BaseDistribution]:
        """See :meth:`infer_relative_search_space`."""
        return all_parameters(study.get_trials(deepcopy=False, states=_ENDED), with_shares=True)

    def best_trial(self, study: Study) -> FrozenTrial:
        """The trial whose parameters to use: the best value that the model believes.

        ``study.best_trial`` may be an outlier. This one is complete, satisfies all constraints and
        lies within the last ranges.

        Args:
            study: The study, of any sampler.

        Raises:
            UnsupportedError: If there are several objectives.
            InputDataError: If there is no such trial.
            TypeError: If it is not a study.
        """
        if len(getattr(study, "directions", ())) > 1:
            raise UnsupportedError("With several objectives, use best_trials(study).")
        return self.best_trials(study)[0]

    @one_thread()
    def best_trials(self, study: Study) -> list[FrozenTrial]:
        """The trials that are expected to be the best trade-offs between the objectives.

        Args:
            study: The study, of any sampler.

        Returns:
            Trials like :meth:`best_trial`, by their numbers. No point is there twice.

        Raises:
            InputDataError: If there is none.
            TypeError: If it is not a study.
        """
        if not isinstance(study, Study):
            raise TypeError(f"Pass an Optuna study, not {study!r}.")
        listed = study.get_trials(deepcopy=False)
        numbers = self._recommended(study, listed)
        if not numbers:
            raise InputDataError(
                "No trial can be recommended. It must be complete, satisfy all constraints and lie "
                "within the latest ranges. At least one parameter must have more than one value."
            )
        return [deepcopy(listed[number]) for number in numbers]

    def _recommended(self, study: Study, listed: Sequence[FrozenTrial]) -> list[int]:
        """The numbers of the recommended ones among all trials."""
        distributions = self._searched(study)
        if not distributions:
            return []
        space, trials, points = self._place(listed, distributions, Suggestions(study))
        X = torch.stack([*points.values()]) if points else trials.X[:0]
        X = X[space.contains(X)]
        if len(X) and len(trials.X.unique(dim=0)) > 1:
            X = self._search.models(space, trials).recommended(X)
        signs = signs_of(study)

        def outcome(number: int) -> list[float]:
            return [sign * v for sign, v in zip(signs, listed[number].values, strict=True)]

        best_at = {tuple(points[n].tolist()): n for n in sorted(points, key=outcome)}
        return sorted({best_at[tuple(x.tolist())] for x in X})

    def outlook(self, study: Study, margin: float | None = None) -> Outlook:
        """Whether anything better is left to be found; see :class:`PoPBOTerminator`.

        Args:
            study: The study, of any sampler.
            margin: By how much to be better, in the unit of the objective.

        Returns:
            The chance, which is NaN before the end of the design, and the margin.
        """
        distributions = self._searched(study)
        if not distributions:
            return Outlook(math.nan, math.nan)
        listed = study.get_trials(deepcopy=False)
        space, trials, _ = self._place(listed, distributions, Suggestions(study))
        return outlook(self._search, space, trials, margin)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> object:
        """The value at the share of a range of the trial's own that was suggested.

        A parameter that no trial before has asked for in this way is drawn at random.
        """
        entropy = [self._search.seed, trial.number, crc32(param_name.encode())]
        share = np.random.default_rng(entropy).random()
        suggested = Suggestions(study).of(trial.number)
        if param_name in suggested:
            searched = self.infer_relative_search_space(study, trial).get(param_name)
            share = suggested[param_name] if isinstance(searched, Share) else share
        return value_at(share, param_distribution)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Ask for the constraints of an ended trial, and keep them where Optuna does."""
        if (ask := self._constraints_func) is None:
            return

        def checked(trial: FrozenTrial) -> Sequence[float]:
            said: Value = ask(trial)
            numbers: list[Value] = [*map(as_float, said)] if isinstance(said, Iterable) else [None]
            if None in numbers:
                raise InputDataError(f"constraints_func must give a list of numbers, not {said!r}.")
            return numbers

        _process_constraints_after_trial(checked, study, trial, state)


class PoPBOTerminator:
    """End a study once it is unlikely that anything better is left.

    It is a callback of ``study.optimize``, and :meth:`should_terminate` serves those who ask and
    tell. The chance is that of the model of :class:`PoPBOSampler`: of the study's own, with which
    it shares the fit, or else of one with the defaults, beside any other sampler. It is never
    before the end of that design, and a line in the log says so. Optuna's own ``Terminator``, which
    compares a bound in the unit of the objective with an error, ends with Optuna 6.

    Args:
        chance: The chance at which to end.
        margin: By how much to be better, in the unit of the objective; by default a hundredth of
            the distance between the best value and the median one of the design. Of several
            objectives it is a share of the front's hypervolume, by default a hundredth. Where the
            order alone counts, any margin above zero is half a place.

    Raises:
        InputDataError: If the chance is not between 0 and 1.

    Example:
        >>> study.optimize(objective, n_trials=100, callbacks=[PoPBOTerminator(0.05)])
    """

    def __init__(self, chance: float = 0.05, margin: float | None = None) -> None:
        if not (is_number(chance) and 0.0 < chance < 1.0):
            raise InputDataError(f"chance must be a number between 0 and 1, but got {chance!r}.")
        self.chance, self.margin = chance, margin
        self._sampler = PoPBOSampler(seed=0)

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """End the study if there is no reason to continue."""
        if self.should_terminate(study):
            study.stop()

    def should_terminate(self, study: Study) -> bool:
        """Whether there is no reason to continue, which the log then says."""
        sampler = study.sampler if isinstance(study.sampler, PoPBOSampler) else self._sampler
        found = sampler.outlook(study, self.margin)
        is_over = found.chance <= self.chance
        if is_over:
            _logger.warning("stopped after %s trials: %s", len(study.trials), found)
        return is_over
