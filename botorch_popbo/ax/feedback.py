"""Feed an experiment with rankings instead of measurements."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, cast

import numpy as np
import torch
from ax.api.client import Client
from ax.core.objective import Objective
from ax.exceptions.core import UserInputError

from botorch_popbo._plain import whole
from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.order import order_utilities


def report_ranking(client: Client, ranking: Sequence[int | Sequence[int]]) -> None:
    """Tell the order of the trials, best first; call it again whenever a trial is judged.

    Each ranked trial gets its position, counted from 1, as the value of the objective's metric (its
    negative if the metric is maximised), which replaces an earlier one; running trials are
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
        raise UserInputError(f"A ranking is a sequence, best first; got {ranking!r}.")
    groups = [_indices(group) for group in ranking]
    _check_listed(client, [index for group in groups for index in group], metric)
    sign = 1.0 if objective.minimize else -1.0
    position = 1
    for group in groups:
        for index in group:
            client.attach_data(index, {metric: sign * position})
            if not client._experiment.trials[index].status.is_completed:
                client.complete_trial(index)
        position += len(group)


def report_comparisons(client: Client, comparisons: Iterable[tuple[int, int]]) -> None:
    """Tell which of two trials was better, in any number of comparisons.

    The trials are ordered by the utilities that explain the comparisons best. A judge, whose
    answers are noisy, may contradict earlier ones and need not compare all pairs.

    Args:
        client: A client whose objective is one metric.
        comparisons: All comparisons so far, each the indices of the better and the worse trial.

    Raises:
        UserInputError: As in :func:`report_ranking`; or if there are no comparisons.
    """
    found = [tuple(_indices(pair)) for pair in comparisons]
    if not found:
        raise UserInputError("There are no comparisons. Pass pairs of (better, worse) trials.")
    for pair in found:
        if len(set(pair)) != 2 or len(pair) != 2:
            raise UserInputError(f"{pair} is no pair of a better and a worse trial.")
    pairs = torch.tensor(found)
    trials, positions = pairs.unique(return_inverse=True)
    answers = Comparisons.judged(*positions.unbind(-1))
    # Of trials of which nothing else is known; exactly, so that those equally good are tied.
    start = torch.zeros(len(trials), dtype=torch.double)
    prior = torch.ones_like(start).diag()
    judged = order_utilities(prior, answers, start, tolerance=1e-16)
    strength = judged.utilities.round(decimals=7)
    levels = strength.unique().flip(0)
    report_ranking(client, [trials[strength == level].tolist() for level in levels])


def _single_objective(client: Client) -> Objective:
    config = client._experiment.optimization_config
    if config is not None and config.outcome_constraints:
        raise UserInputError(
            "A ranking tells nothing of the metrics of outcome constraints. Leave the constraints "
            "out of configure_optimization, and rank what violates them last."
        )
    if config is None or not config.objective.is_single_objective:
        raise UserInputError(
            "A ranking is the value of one metric. Call client.configure_optimization("
            'objective="preference") with a name of your choice first.'
        )
    return config.objective


def _check_listed(client: Client, listed: list[int], metric: str) -> None:
    trials = client._experiment.trials
    if repeated := sorted({index for index in listed if listed.count(index) > 1}):
        raise UserInputError(f"Trials {repeated} are listed twice. List every trial once.")
    going = {
        index for index, one in trials.items() if one.status.is_running or one.status.is_completed
    }
    if ended := sorted(set(listed) - going):
        raise UserInputError(
            f"Trials {ended} are neither running nor completed. Leave them out of the list."
        )
    measured = client._experiment.lookup_data().df
    ranked = measured.loc[measured["metric_name"] == metric, "trial_index"]
    if missing := sorted(going.intersection(ranked) - set(listed)):
        raise UserInputError(
            f"Trials {missing} were ranked before and are missing. Positions are comparable only "
            "within one list, so list every trial judged so far."
        )


def _indices(trials: Any) -> list[int]:
    found = [whole(index) for index in np.ravel(trials).tolist()]
    if None in found:
        raise UserInputError(f"Trials are named by their indices, such as 2; got {trials!r}.")
    return cast(list[int], found)
