"""From trials to a suggestion: models of what a search is after, and the best point by them."""

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from typing import Self

import torch
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo._reproducible import derive_seed, one_thread
from botorch_popbo.acquisition import (
    LogExpectedFrontImprovement,
    LogExpectedUtilityImprovement,
    RankAcquisitionFunction,
)
from botorch_popbo.data import Order
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models import RankingGP
from botorch_popbo.models.rank_model import SILENT
from botorch_popbo.search.domain import Domain
from botorch_popbo.search.maximize import maximize
from botorch_popbo.search.trials import Trials
from botorch_popbo.settings import Settings
from botorch_popbo.space import Space


@dataclass(frozen=True)
class Models:
    """Fitted models of what a search is after.

    Attributes:
        objectives: One of each objective, or of an order of all that counts.
        slacks: One of each constraint that a success violates, unless it is part of that order.
        settings: What is maximized, and how to search.
    """

    objectives: Sequence[RankingGP]
    slacks: Sequence[RankingGP] = ()
    settings: Settings = Settings()  # noqa: RUF009  # frozen

    @classmethod
    def fit(cls, trials: Trials, space: Space, settings: Settings = Settings()) -> Self:  # noqa: B008
        """Fit them to at least two distinct points.

        Args:
            trials: What is known of points.
            space: The space of the points.
            settings: What the models assume, and how to search.

        Returns:
            The models.
        """

        def fitted(order: Order) -> RankingGP:
            transform = space.input_transform()
            return RankingGP(order=order, input_transform=transform, settings=settings.model).fit()

        objectives = [fitted(order) for order in trials.objective_orders()]
        slacks = [fitted(order) for order in trials.slack_orders().values()]
        is_table = Domain.of(space, settings.search).is_table
        return cls(objectives, slacks, settings.with_list(is_table))

    def improvement(
        self, X_pending: Tensor | None, X_baseline: Tensor | None, thresholds: Tensor | None = None
    ) -> RankAcquisitionFunction:
        """What is maximized: the improvement of one objective, under constraints, or of a front.

        Args:
            X_pending: Points being evaluated, a ``p x d`` tensor.
            X_baseline: The evaluated points that could be suggested, an ``n x d`` tensor. Where
                there is none, the worst point of all is improved on: the best expected one comes
                first.
            thresholds: Values below which an objective is not worth having, one for each.

        Returns:
            The acquisition function.
        """
        first, *others = self.objectives
        known = first.known_X
        known = known[~first.has_failed] if others else known  # no failure is part of a front
        if X_baseline is not None and not bool(is_row_of(X_baseline, known).any()):
            ranked = first.best_points(len(first.known_X))
            X_baseline = ranked[is_row_of(ranked, known)][-1:]
        points, settings = (X_pending, X_baseline), self.settings.acquisition
        if others:
            return LogExpectedFrontImprovement(
                self.objectives, *points, self.slacks, settings, thresholds
            )
        return LogExpectedUtilityImprovement(first, *points, self.slacks, settings)

    def improvement_in(self, space: Space, X_pending: Tensor | None) -> RankAcquisitionFunction:
        """What is maximized in a space."""
        known = self.objectives[0].known_X
        return self.improvement(X_pending, known[space.contains(known)])

    def recommended(self, X: Tensor) -> Tensor:
        """The points to use: the best outcomes that the model believes.

        Args:
            X: Evaluated points that may be recommended, an ``n x d`` tensor.

        Returns:
            One of them, or of several objectives their front, ``m x d``; none if no point satisfies
            all constraints.
        """
        acquisition = self.improvement(None, X)
        if not bool((eligible := acquisition.recommendable).any()):
            return X[:0]
        if isinstance(acquisition, LogExpectedFrontImprovement):
            return acquisition.front
        return self.objectives[0].recommended_among(eligible).unsqueeze(0)

    def suggest(self, space: Space, X_pending: Tensor, seed: int) -> Tensor:
        """The point of the highest expected improvement.

        Args:
            space: Where to search.
            X_pending: Points not to be suggested again, a ``p x d`` tensor.
            seed: Seed of the starting points.

        Returns:
            A point, of shape ``d``.
        """
        known = self.objectives[0].known_X
        X_pending = X_pending.unique(dim=0)
        X_pending = X_pending[~is_row_of(X_pending, known)]
        acquisition = self.improvement_in(space, X_pending)
        domain = Domain.of(space, self.settings.search)
        return maximize(acquisition, domain, torch.cat([known, X_pending]), seed)


class Search:
    """A design first, then suggestions of the models.

    A suggestion depends on the seed, its index and the trials alone. Models are fitted once for
    the same trials. A design that has become twice as long, as too few trials succeed, is warned of
    once.

    Args:
        seed: Seed of the design and the search.
        settings: What the models assume, and how to search.
        num_initial: Trials with outcomes before the models take over.
    """

    def __init__(self, seed: int, settings: Settings, num_initial: int) -> None:
        self.seed, self.settings, self.num_initial = seed, settings, num_initial
        self._key: Hashable = None
        self._models = Models(())
        self._has_warned = False

    def __getstate__(self) -> dict[str, object]:
        """All but the models, which are fitted again."""
        return self.__dict__ | {"_key": None, "_models": Models(())}

    def has_model(self, trials: Trials) -> bool:
        """Whether the models have taken over."""
        return trials.num_successes >= self.num_initial and len(trials.X.unique(dim=0)) > 1

    @one_thread()
    @torch.enable_grad()
    def suggest(self, space: Space, trials: Trials, index: int) -> Tensor:
        """The next point.

        Args:
            space: The space.
            trials: What is known of points.
            index: The number of trials before.

        Returns:
            A point, of shape ``d``.
        """
        if self.has_model(trials):
            seed = derive_seed(self.seed, index)
            return self.models(space, trials).suggest(space, trials.pending, seed)
        num_ended = index - len(trials.pending)
        if num_ended >= 2 * self.num_initial and not self._has_warned:
            self._has_warned, succeeded = True, trials.num_successes
            failed = len(trials.X) - succeeded
            text = (
                f"Of {num_ended} trials {succeeded} have succeeded, {failed} have failed and "
                f"{num_ended - succeeded - failed} say nothing. A model needs {self.num_initial} "
                "successes at two points or more, so suggestions are still those of the design. "
                "See why others did not succeed, or ask for a shorter design."
            )
            warnings.warn(text, InputDataWarning, stacklevel=2)
        return self.draw(space, trials.known_X, index)

    def draw(self, space: Space, X_known: Tensor, index: int) -> Tensor:
        """The next point of the design that is not known.

        Args:
            space: The space.
            X_known: Points not to be suggested again, an ``m x d`` tensor.
            index: The number of trials before.

        Returns:
            A point, of shape ``d``.
        """
        # Of a table of twelve points one that is not known is then hardly ever missed.
        drawn = space.draw(index + 128, self.seed)[index:]
        return drawn[int(is_row_of(drawn, X_known).long().argmin())]

    @one_thread()
    @torch.enable_grad()
    def models(self, space: Space, trials: Trials) -> Models:
        """Models of at least two distinct points."""
        parts = [getattr(trials, f.name) for f in fields(trials) if f.name != "pending"]
        key = (space.key, *(part.numpy().tobytes() for part in parts))
        if self._key != key:
            with warnings.catch_warnings():
                # Of what says nothing there has been a warning already.
                before = [*self._models.objectives, *self._models.slacks]
                if any(model.order.says_nothing for model in before):
                    warnings.filterwarnings("ignore", SILENT)
                self._models = Models.fit(trials, space, self.settings)
            self._key = key
        return self._models
