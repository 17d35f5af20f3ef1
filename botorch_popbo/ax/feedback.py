"""Feed an experiment with rankings instead of measurements."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import cast

import numpy as np
import torch
from ax.api.client import Client
from ax.core.experiment import Experiment
from ax.core.objective import Objective
from ax.core.trial_status import TrialStatus
from ax.exceptions.core import UserInputError
from numpy.typing import ArrayLike

from botorch_popbo._plain import whole
from botorch_popbo.likelihoods.propagation import propagate
from botorch_popbo.likelihoods.statements import Statements


def report_ranking(client: Client, ranking: Sequence[int | Sequence[int]]) -> None:
    """Report the order of the trials, best first; call it again whenever a trial is judged.

    Each ranked trial gets its position, counted from 1, as the value of the objective's metric (its
    negative if the metric is maximized), which replaces an earlier one; running trials are
    completed. Only the order matters to a rank-based strategy, so nothing is lost by it.

    Args:
        client: A client whose objective is one metric.
        ranking: Indices of trials, best first. Trials of one inner sequence are equally good.

    Raises:
        UserInputError: If the objective is not one metric, if there are constraints, if a trial is
            unknown, neither running nor completed or listed twice, or if a trial that was ranked
            before and is completed or running is missing. Nothing is then changed.
    """
    objective = _single_objective(client)
    [metric] = objective.metric_names
    if isinstance(ranking, Set | Mapping):
        raise UserInputError(f"A ranking must be a sequence, best first; got {ranking!r}.")
    groups = [_indices(group) for group in ranking]
    _check_listed(client._experiment, [index for group in groups for index in group], metric)
    position = 1
    for group in groups:
        for index in group:
            client.attach_data(index, {metric: position if objective.minimize else -position})
            if not client._experiment.trials[index].status.is_completed:
                client.complete_trial(index)
        position += len(group)


def report_comparisons(client: Client, comparisons: Iterable[tuple[int, int]]) -> None:
    """Report which of two trials was better, in any number of comparisons.

    The trials are ordered by the utilities that explain the comparisons best. A judge, whose
    answers are noisy, may contradict earlier ones and need not compare all pairs.

    Args:
        client: A client whose objective is one metric.
        comparisons: All comparisons so far, each the indices of the better and the worse trial.

    Raises:
        UserInputError: As in :func:`report_ranking`; or if there are no comparisons.
    """
    pairs = [tuple(_indices(pair)) for pair in comparisons]
    if not pairs:
        raise UserInputError("There are no comparisons. Pass pairs of (better, worse) trials.")
    for pair in pairs:
        if len(set(pair)) != 2 or len(pair) != 2:
            raise UserInputError(f"{pair} is not a pair of a better and a worse trial.")
    trials, positions = torch.tensor(pairs).unique(return_inverse=True)
    answers = Statements.answers(*positions.unbind(-1))
    # Of trials of which nothing else is known; exactly, so that those equally good are tied.
    judged = propagate(torch.eye(len(trials), dtype=torch.double), answers, tolerance=1e-12)
    strength = judged.utilities.round(decimals=7)
    levels = strength.unique().flip(0)
    report_ranking(client, [trials[strength == level].tolist() for level in levels])


def _single_objective(client: Client) -> Objective:
    config = client._experiment.optimization_config
    if config is not None and config.outcome_constraints:
        raise UserInputError(
            "A ranking lacks the metrics of outcome constraints. Leave the constraints "
            "out of configure_optimization, and rank what violates them last."
        )
    if config is None or not config.objective.is_single_objective:
        raise UserInputError(
            "A ranking is the value of one metric. Call client.configure_optimization("
            'objective="preference") with a name of your choice first.'
        )
    return config.objective


def _check_listed(experiment: Experiment, listed: list[int], metric: str) -> None:
    if repeated := sorted({index for index in listed if listed.count(index) > 1}):
        raise UserInputError(f"Trials {repeated} are listed twice. List every trial once.")
    by_status = experiment.trial_indices_by_status
    going = by_status[TrialStatus.RUNNING] | by_status[TrialStatus.COMPLETED]
    if ended := sorted(set(listed) - going):
        raise UserInputError(f"Trials {ended} are neither running nor completed. Leave them out.")
    df = experiment.lookup_data().df
    ranked = df.loc[df["metric_name"] == metric, "trial_index"]
    if missing := sorted(going.intersection(ranked) - set(listed)):
        raise UserInputError(
            f"Trials {missing} were ranked before and are missing. Positions are comparable only "
            "within one list, so list every trial judged so far."
        )


def _indices(trials: ArrayLike) -> list[int]:
    indices = [whole(index) for index in np.ravel(trials).tolist()]
    if None in indices:
        raise UserInputError(f"Trials are named by their indices, such as 2; got {trials!r}.")
    return cast(list[int], indices)
