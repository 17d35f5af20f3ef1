"""An Optuna sampler that learns from the order of the trials."""

import secrets
from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import Any
from zlib import crc32

import numpy as np
import torch
from botorch.exceptions import InputDataError
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from botorch_popbo._plain import whole
from botorch_popbo._seeds import derive_seed
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.optuna._axis import Axis, has_values
from botorch_popbo.optuna._search import Models
from botorch_popbo.optuna._sharing import share_point
from botorch_popbo.optuna._space import Space, all_parameters
from botorch_popbo.optuna._trials import Evidence, evidence_of, points_of

_NUM_TRIED = 32  # points of the design, for one that is not known
_MOST_COLLISIONS = 8
# A thread waits for the others' points, and for torch's global generator, which models put back.
_LOCK = Lock()


class PoPBOSampler(BaseSampler):
    """Suggest by a :class:`~botorch_popbo.RankingGP` of the order of a study's trials.

    The first trials are a scrambled Sobol design, all others those of the highest expected
    improvement of the utility behind the order, of several objectives those of the front. Only
    which of two values is better matters, so an increasing transform of an objective changes no
    suggestion. Failed trials are worse than every success; pruned ones have the place among the
    completed that they had at the step where they stopped; running ones are pending. Parameters
    that are asked for beside some values of others only are told apart as far as trials show it.

    A suggestion depends on nothing but the seed, the number of its trial and the trials before, so
    a study that goes on from a storage goes on as if it had not been interrupted, and workers that
    share one may have the same seed. The global random state is left as it was.

    Args:
        seed: Seed of the design and the search; by default another one for every sampler.
        n_startup_trials: Trials with outcomes before the model takes over. Two different points
            must be among them.
        deterministic_objective: Whether the same point always has the same outcome. Nothing is
            then taken for an outlier, and the best point is the best evaluated one.
        constraints_func: Values of constraints of an ended trial, larger than zero where violated,
            as other samplers of Optuna take it. Constraints of ``trial.set_constraint`` count, too.

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
        n_startup_trials: int = 10,
        deterministic_objective: bool = False,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        own_seed = secrets.randbits(31) if seed is None else whole(seed)
        number = whole(n_startup_trials)
        if number is None or number < 1 or own_seed is None or own_seed < 0:
            raise InputDataError(
                "n_startup_trials and seed are whole numbers of at least 1 and at least 0, but got "
                f"{n_startup_trials!r} and {seed!r}."
            )
        self._seed, self._n_startup_trials = own_seed, number
        self._is_exact = deterministic_objective
        self._constraints_func = constraints_func
        self._fitted: tuple[Hashable, Models] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """All but the models, which are fitted again."""
        return self.__dict__ | {"_fitted": None}

    def reseed_rng(self) -> None:
        """Do nothing: two copies of a sampler never suggest for one trial."""

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """All parameters that any ended trial asked for."""
        return all_parameters(t for t in study.get_trials(deepcopy=False) if t.state.is_finished())

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Suggest values of all parameters; see the class."""
        distributions = {name: d for name, d in search_space.items() if has_values(d)}
        if not distributions:
            return {}
        with _LOCK, torch.enable_grad():
            for _ in range(_MOST_COLLISIONS):
                others = _others(study, trial)
                space = Space(distributions, others)
                evidence = evidence_of(
                    others, study.directions, space, distributions, self._is_exact
                )
                point = self._next(trial, space, evidence)
                parameters = space.parameters(point)
                share_point(study, trial, parameters, distributions)
                # Another process may have chosen the same point meanwhile.
                ended = {other.number for other in others if other.state.is_finished()}
                late = [other for other in _others(study, trial) if other.number not in ended]
                late_points, x = points_of(late, space, distributions), point.unsqueeze(0)
                if is_row_of(x, evidence.pending) or not is_row_of(x, late_points):
                    break
        return parameters

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Draw a value of a parameter that no trial before has asked for in this way."""
        entropy = [self._seed, trial.number, crc32(param_name.encode())]
        axis = Axis(param_distribution)
        return axis.value(axis.at(np.random.default_rng(entropy).random()))

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Ask for the constraints of an ended trial, and keep them where Optuna does."""
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)

    def _next(self, trial: FrozenTrial, space: Space, evidence: Evidence) -> Tensor:
        X, pending = evidence.measured.X, evidence.pending
        if evidence.num_successes < self._n_startup_trials or len(X.unique(dim=0)) < 2:
            drawn = space.draw(trial.number + _NUM_TRIED, self._seed)[trial.number :]
            is_known = is_row_of(drawn, X) | is_row_of(drawn, pending)
            return drawn[int(is_known.long().argmin())]
        # Not the study's name: two that are kept in memory may have the same.
        known = [part.numpy().tobytes() for part in vars(evidence.measured).values()]
        key = (space.key, *known)
        if self._fitted is None or self._fitted[0] != key:
            self._fitted = (key, Models.fit(evidence.measured, space))
        return self._fitted[1].suggest(space.domain, pending, derive_seed(self._seed, trial.number))


def _others(study: Study, trial: FrozenTrial) -> list[FrozenTrial]:
    return [other for other in study.get_trials(deepcopy=False) if other.number != trial.number]
