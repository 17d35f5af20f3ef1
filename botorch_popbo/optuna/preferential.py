"""A sampler for studies whose trials are compared by people, as on Optuna's dashboard."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from botorch.exceptions import InputDataError
from optuna.distributions import BaseDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from botorch_popbo._plain import Value
from botorch_popbo._reproducible import one_thread
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.optuna._distributions import all_parameters, place_trials
from botorch_popbo.optuna.sampler import PoPBOSampler
from botorch_popbo.search.answers import Answer, Interview, Pair
from botorch_popbo.settings import Settings

# As Optuna's dashboard names them among the system attributes of a study.
# Before the id of an answer: pairs of trials.
_PREFERENCES = "preference:values"
# Before the id of a trial that a judge wanted to see no more.
_SKIPPED = "preference:skip_trial:"
_ON_PAGE = TrialState.RUNNING, TrialState.COMPLETE


class DashboardStudy(Protocol):
    """A ``PreferentialStudy`` of Optuna's dashboard."""

    _study: Study


class RankedTrial(NamedTuple):
    """A trial that was compared.

    Attributes:
        trial: The trial.
        utility: Its expected utility, in units of the prior's standard deviation.
        chance: The probability that nothing in the space is better by more than the standard
            deviation of an answer's noise, below which judges do not agree with themselves.
    """

    trial: FrozenTrial
    utility: float
    chance: float


class PreferentialPoPBOSampler(PoPBOSampler):
    """Suggest what to show next to judges who compare trials, as on Optuna's dashboard.

    It takes the place of ``PreferentialGPSampler`` in
    ``optuna_dashboard.preferential.create_study``. The first trials are a scrambled Sobol design.
    Then the best trial by a :class:`~botorch_popbo.RankingGP` of all answers meets points near it
    that promise an improvement; where it was taken from the page by a slip, it is shown once more.
    "The worst of several" is taken for what it says: each of the others is better, and nothing of
    them among each other. An answer that was taken back, and a trial that was skipped, say nothing.
    Parameters may be of every kind, and asked for beside some values of others only.

    A suggestion depends on nothing but the seed, the trials and the answers, so a study that is
    resumed from a storage continues as if it had not been interrupted. The global random state is
    left as it was.

    Args:
        seed: Seed of the design and the search; by default another one for every sampler.
        settings: What the model assumes, and how to search.

    Raises:
        InputDataError: If the seed is negative or not whole.

    Example:
        >>> study = create_study(n_generate=2, sampler=PreferentialPoPBOSampler(seed=0))
        >>> while study.should_generate():
        >>>     show(study.ask({"sugar": FloatDistribution(0.0, 10.0)}))
    """

    def __init__(self, *, seed: int | None = None, settings: Settings | None = None) -> None:
        super().__init__(seed=seed, settings=settings)
        self._interview: Interview | None = None

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """All parameters that any trial asked for."""
        return all_parameters(study.get_trials(deepcopy=False))

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, object]:
        """Suggest values of all parameters; see the class."""
        return self._read(study).suggest(trial.number) if search_space else {}

    @one_thread()
    def ranking(self, study: Study | DashboardStudy) -> list[RankedTrial]:
        """The trials that were compared and not skipped, the best expected utility first.

        Args:
            study: A preferential study.

        Returns:
            The trials; none before the first answer.
        """
        return self._read(study).ranking()

    def best_trial(self, study: Study | DashboardStudy) -> FrozenTrial:
        """The trial of the highest expected utility.

        Args:
            study: A preferential study.

        Raises:
            InputDataError: If nothing has been compared.
        """
        ranking = self.ranking(study)
        if not ranking:
            raise InputDataError("No trials have been compared, so there is no best one.")
        return ranking[0].trial

    def best_trials(self, study: Study | DashboardStudy) -> list[FrozenTrial]:
        """That of :meth:`best_trial`: answers are about one goal."""
        return [self.best_trial(study)]

    def shown(self, study: Study | DashboardStudy) -> list[int]:
        """Numbers of the trials that are on the page of a preferential study."""
        return self._read(study).shown

    def _read(self, study: Study | DashboardStudy) -> "_JudgedTrials":
        study = study if isinstance(study, Study) else study._study
        attrs = study._storage.get_study_system_attrs(study._study_id)
        trials = study.get_trials(deepcopy=False)  # later, so that every answer is about some
        answers = read_answers(attrs, range(len(trials)))
        lost = {loser for pairs in answers for _, loser in pairs}
        skipped = {trial.number for trial in trials if f"{_SKIPPED}{trial._trial_id}" in attrs}
        on_page = [trial.number for trial in trials if trial.state in _ON_PAGE]
        shown = [number for number in on_page if number not in lost | skipped]
        compared = {number for pairs in answers for pair in pairs for number in pair}
        params, is_telling = [t.params for t in trials], [t.number in compared for t in trials]
        settings = self._search.settings
        parameters, most = all_parameters(trials), settings.search.max_listed
        space, X = place_trials(params, is_telling, parameters, most)
        said = [answer for pairs in answers if (answer := answer_of(X, pairs)) is not None]
        number = settings.search.questions_of_design(len(space.parameters))
        interview = Interview(space, said, settings, self._search.seed, number)
        if self._interview is None or self._interview.key != interview.key:
            self._interview = interview  # else there may be a fitted model of the same answers
        return _JudgedTrials(trials, X, self._interview, shown, skipped)


@dataclass(frozen=True)
class _JudgedTrials:
    """What is known of the trials of a study.

    Attributes:
        trials: All trials.
        X: The point of each trial that has one, by its number, of shape ``d``.
        interview: The answers about these points.
        shown: Numbers of the trials on the page.
        skipped: Numbers of the trials that a judge wanted to see no more.
    """

    trials: Sequence[FrozenTrial]
    X: dict[int, Tensor]
    interview: Interview
    shown: list[int]
    skipped: Set[int]

    @one_thread()
    @torch.enable_grad()
    def suggest(self, number: int) -> dict[str, object]:
        """The values of a new trial of this number."""
        interview, shown = self.interview, self.points(self.shown)
        champion = None
        if interview.is_past_design and (ranking := self.ranking()):
            champion = self.X[ranking[0].trial.number]
            if not bool(is_row_of(champion.unsqueeze(0), shown)):
                return interview.space.decode(champion)
        # What was never shown, or else, where there is nothing else, what is not shown now.
        for known in (self.points(self.X), shown):
            x = interview.rivals(champion, 1, number, number, known)
            if len(x):
                break
        else:
            x = interview.space.draw(1, interview.seed)
        return interview.space.decode(x[0])

    def ranking(self) -> list[RankedTrial]:
        """The trials that were compared and not skipped, the best first."""
        if not self.interview.answers:
            return []
        trial_at = {
            tuple(x.tolist()): self.trials[number]
            for number, x in reversed(self.X.items())
            if number not in self.skipped
        }
        found = [(trial_at.get(tuple(best.x.tolist())), best) for best in self.interview.ranking]
        return [RankedTrial(t, best.utility, best.chance) for t, best in found if t is not None]

    def points(self, numbers: Iterable[int]) -> Tensor:
        """The points of some trials, ``n x d``."""
        points = [self.X[n] for n in numbers if n in self.X]
        return torch.stack(points) if points else self.interview.space.bounds[:0]


def read_answers(attrs: Mapping[str, Value], numbers: Collection[int]) -> list[list[Pair]]:
    """The pairs of trials of each answer, of which the first is better.

    Whatever a program wrote: only what is about trials is an answer.
    """
    found = [pairs for key, pairs in attrs.items() if key.startswith(_PREFERENCES)]
    return sorted(
        sorted((a, b) for a, b in pairs if a in numbers and b in numbers) for pairs in found
    )


def answer_of(X: Mapping[int, Tensor], pairs: Sequence[Pair]) -> Answer | None:
    """An answer about the points of trials, which may be equal; ``None`` if it says nothing."""
    compared = [(a, b) for a, b in pairs if {a, b} <= X.keys() and not X[a].equal(X[b])]
    if not compared:
        return None
    numbers = sorted({number for pair in compared for number in pair})
    items, row = torch.stack([X[n] for n in numbers]).unique(dim=0, return_inverse=True)
    place = dict(zip(numbers, row.tolist(), strict=True))
    return Answer(items, tuple(sorted({(place[one], place[other]) for one, other in compared})))
