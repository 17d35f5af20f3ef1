"""A sampler for studies whose trials are compared by people, as on Optuna's dashboard."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from botorch.exceptions import InputDataError
from optuna.distributions import BaseDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from botorch_popbo._reproducible import one_thread
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.optuna._space import all_parameters, places_of, points_of, space_of
from botorch_popbo.optuna.sampler import PoPBOSampler
from botorch_popbo.search.answers import Answer, Interview, Pair
from botorch_popbo.search.suggest import Search
from botorch_popbo.settings import Settings

# As Optuna's dashboard names them among the system attributes of a study.
_PREFERENCES = "preference:values"
#: Before the id of a trial that is on the page no more: true if a judge wanted to see it no more.
SKIPPED = "preference:skip_trial:"
ON_PAGE = TrialState.RUNNING, TrialState.COMPLETE
#: Before the id of an answer: who gave it.
JUDGE = "popbo:judge:"


class RankedTrial(NamedTuple):
    """A trial that was compared.

    Attributes:
        trial: The trial.
        utility: Its expected utility, in units of the prior's standard deviation.
        chance: The probability that no trial that was compared is better by more than the standard
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

    A suggestion depends on nothing but the seed, the trials and the answers, so a study that goes
    on from a storage goes on as if it had not been interrupted. The global random state is left as
    it was.

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
    ) -> dict[str, Any]:
        """Suggest values of all parameters; see the class."""
        return self._next(self._read(study), trial.number) if search_space else {}

    def foresee(self, study: Any, worst: int) -> dict[str, Any]:
        """What is suggested next if a judge now says that a trial is the worst of those shown.

        Args:
            study: A preferential study.
            worst: The number of the trial.

        Returns:
            The values of the parameters.
        """
        state = self._read(study, worst)
        return self._next(state, len(state.trials))

    @one_thread()
    def ranking(self, study: Any) -> list[RankedTrial]:
        """The trials that were compared and not skipped, the best expected utility first.

        Args:
            study: A preferential study.

        Returns:
            The trials; none before the first answer.
        """
        return self._read(study).ranking()

    def best_trial(self, study: Any) -> FrozenTrial:
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

    def shown(self, study: Any) -> list[int]:
        """Numbers of the trials that are on the page of a preferential study."""
        return [*self._read(study).shown]

    def model(self, study: Any) -> RankingGP:
        """The model of what was said in a preferential study, of points of its space.

        Raises:
            InputDataError: If nothing has been compared.
        """
        return self._read(study).interview.model

    def _read(self, study: Any, worst: int | None = None) -> "_State":
        own = getattr(study, "_study", study)  # that of the dashboard holds Optuna's
        state = _State(own, self._search, worst)
        if self._interview is None or self._interview.key != state.interview.key:
            self._interview = state.interview
        state.interview = self._interview  # with a model that is fitted once for the same answers
        return state

    @one_thread()
    @torch.enable_grad()
    def _next(self, state: "_State", number: int) -> dict[str, Any]:
        return state.space.decode(self._challenger(state, number))

    def _challenger(self, state: "_State", number: int) -> Tensor:
        """The point to be shown next, of shape ``d``."""
        space, interview, shown = state.space, state.interview, state.points(state.shown)
        champion = None
        in_design = self._search.settings.search.questions_of_design(len(space.parameters))
        if interview.num_told >= in_design and (ranking := state.ranking()):
            champion = state.X[ranking[0].trial.number]
            if not bool(is_row_of(champion.unsqueeze(0), shown)):
                return champion
        # What was never shown, or else, where there is nothing else, what is not shown now.
        for taken in (state.points(state.X), shown):
            near = shown[:0]
            if champion is not None:
                near = interview.challengers(champion, 1, number, taken)
            x = near[0] if len(near) else self._search.draw(space, taken, number)
            if not bool(is_row_of(x.unsqueeze(0), taken)):
                break
        return x


class _State:
    """What a study knows.

    Args:
        study: The study.
        search: Settings and seed.
        worst: A trial that one more answer calls the worst of those shown.

    Attributes:
        space: The space of all parameters that were asked for.
        trials: All trials.
        X: The point of each trial that has one, by its number, of shape ``d``.
        interview: What was said of them; the same answers are in the same order.
        shown: Numbers of the trials on the page.
        skipped: Numbers of the trials that a judge wanted to see no more.
    """

    def __init__(self, study: Study, search: Search, worst: int | None) -> None:
        attrs = study._storage.get_study_system_attrs(study._study_id)  # before the trials
        self.trials = trials = study.get_trials(deepcopy=False)
        left = {t.number: attrs.get(f"{SKIPPED}{t._trial_id}") for t in trials}
        self.skipped = {number for number, is_skipped in left.items() if is_skipped is True}
        said: list[tuple[str, list[Pair]]] = []
        for key, pairs in attrs.items():
            if key.startswith(_PREFERENCES):
                judge = str(attrs.get(JUDGE + key.removeprefix(_PREFERENCES), ""))
                # Whatever a program wrote: only what is about trials is an answer.
                said.append((judge, sorted((a, b) for a, b in pairs if {a, b} <= left.keys())))

        def shown() -> list[int]:
            lost = {loser for _, pairs in said for _, loser in pairs}
            rest = (t.number for t in trials if t.state in ON_PAGE and left[t.number] is None)
            return [number for number in rest if number not in lost]

        if worst is not None:
            said.append(("", [(other, worst) for other in shown() if other != worst]))
        compared = {number for _, pairs in said for pair in pairs for number in pair}
        telling = [trials[number] for number in compared]
        max_listed = search.settings.search.max_listed
        self.space = space = space_of(all_parameters(trials), telling, max_listed)
        required = set(space.parameters).intersection(*(trial.params for trial in telling))
        places = [places_of(trial.params, space.parameters) for trial in trials]
        points = enumerate(points_of(places, space, required))
        self.X = {number: x for number, x in points if x is not None}
        read = (_answer(self.X, pairs, judge) for judge, pairs in sorted(said))
        answers = [answer for answer in read if answer is not None]
        self.interview = Interview(space, answers, search.settings, search.seed)
        self.shown = shown()

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
        return torch.stack(points) if points else self.space.bounds[:0]


def _answer(X: Mapping[int, Tensor], pairs: Sequence[Pair], judge: str) -> Answer | None:
    """What was said of the points of trials, of which some may be equal; ``None`` if nothing."""
    told = [(a, b) for a, b in pairs if {a, b} <= X.keys() and not X[a].equal(X[b])]
    if not told:
        return None
    numbers = sorted({number for pair in told for number in pair})
    items, row = torch.stack([X[n] for n in numbers]).unique(dim=0, return_inverse=True)
    place = dict(zip(numbers, row.tolist(), strict=True))
    better = sorted({(place[one], place[other]) for one, other in told})
    return Answer(items, tuple(better), (), judge)
