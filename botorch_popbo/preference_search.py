"""Ask and tell for people who can compare but not measure."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, SupportsIndex

import torch
from botorch.exceptions import BotorchError, BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo._plain import whole
from botorch_popbo._replacing import replacing
from botorch_popbo.data import Order, from_comparisons
from botorch_popbo.data._checks import check_tensor
from botorch_popbo.models._fit.priors import default_kernel
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.search.challengers import draw_challengers
from botorch_popbo.settings import Settings
from botorch_popbo.space import Space, at_least

_FORMAT = 2
_NOT_SAVED = (KeyError, TypeError, ValueError, AttributeError, OverflowError, BotorchError)
_SAVED = "num_items", "num_initial", "seed"


class PreferenceSearch:
    """Find the point that a judge likes best, from answers to "which of these?".

    A champion meets challengers. First it is a tournament: the winner stays on and meets the next
    points of a Sobol design. Then the champion is the best point by a :class:`RankingGP` of all
    answers, and meets the points near it that promise the largest improvement. Answers may be noisy
    and may contradict each other. The same seed and answers give the same questions; the global
    random state is left as it was.

    Args:
        space: What each parameter may be, by its name, such as ``{"sugar": (0.0, 10.0), "cups":
            (1, 4), "milk": ["none", "oat"]}``; see :data:`~botorch_popbo.space.Notation`. Or lower
            and upper bounds, a ``2 x d`` tensor.
        num_items: Number of points that are shown at a time.
        num_initial: Number of questions about the Sobol design, at least one; by default twice the
            number of parameters, and six or more.
        seed: Seed of the design and of the samples.
        settings: What the model assumes, and how to search.

    Raises:
        BotorchTensorDimensionError: If bounds have the wrong shape.
        InputDataError: If a parameter is none, if there are fewer points than items, or if a number
            is too small or not whole.

    Example:
        >>> search = PreferenceSearch({"sugar": (0.0, 10.0), "milk": ["none", "oat", "cow"]})
        >>> for _ in range(30):
        >>>     pair = search.ask()
        >>>     search.tell(pair, winner=judge(pair))  # 0, 1, or None for a tie
        >>> search.space.decode(search.best)
    """

    def __init__(
        self,
        space: Tensor | Mapping[str, Any],
        num_items: int = 2,
        num_initial: int | None = None,
        seed: int = 0,
        settings: Settings | None = None,
    ) -> None:
        self.space, self.settings = Space.read(space), settings or Settings()
        dim = len(self.space.parameters)
        if num_initial is None:
            for_each, fewest = self.settings.search.num_initial_questions
            num_initial = max(fewest, for_each * dim)
        self.num_items = at_least(2, num_items=num_items)
        self.num_initial = at_least(1, num_initial=num_initial)
        self.seed = at_least(0, seed=seed)
        if self.num_items > self.space.num_points:
            raise InputDataError(
                f"num_items is at most the number of different points, but got {num_items}."
            )
        self._answers: list[tuple[Tensor, int | None]] = []
        self._model: RankingGP | None = None
        self._question: Tensor | None = None

    @property
    def num_answers(self) -> int:
        """Number of questions answered."""
        return len(self._answers)

    @property
    def X(self) -> Tensor:  # noqa: N802
        """All points that were shown, in this order, an ``n x d`` tensor."""
        return torch.cat([self.space.bounds[:0], *(items for items, _ in self._answers)])

    @property
    def model(self) -> RankingGP:
        """The model of all answers; it is fitted once for each.

        Raises:
            InputDataError: If no question has been answered.
        """
        if self._model is None:
            self._model = RankingGP(
                order=self._order(),
                covar_module=default_kernel(
                    self.space.encoded_dim,
                    self.settings.search.judge_lengthscale,
                    settings=self.settings.model,
                ),
                settings=self.settings.model,
                input_transform=self.space.input_transform(),
            ).fit()
        return self._model

    @property
    def best(self) -> Tensor:
        """The champion, of shape ``d``.

        During the tournament the last winner, then the shown point of the highest expected utility.

        Raises:
            InputDataError: If no question has been answered.
        """
        if self.num_answers == 0:
            raise InputDataError("No question has been answered, so there is no best point.")
        if self.num_answers <= self.num_initial:
            items, winner = self._answers[-1]
            return items[winner or 0].clone()
        known = self.model.known_X
        with torch.no_grad():
            utility: Any = self.model.posterior(known)
        return known[utility.mean.argmax()].clone()

    def ask(self) -> Tensor:
        """The next question, which does not change until it is answered.

        Returns:
            Different points, a ``num_items x d`` tensor; after the first answer the champion is
            the first of them.
        """
        if self._question is None:
            self._question = self._next()
        return self._question.clone()

    def tell(self, items: Tensor, winner: SupportsIndex | None) -> None:
        """Add an answer. The points need not be those that were asked for.

        Args:
            items: The points that were shown, an ``m x d`` tensor with at least two rows.
            winner: The row of the best one, or ``None`` if none of them is better than the first.

        Raises:
            BotorchTensorDimensionError: If ``items`` has the wrong shape.
            InputDataError: If ``items`` is no tensor, if ``winner`` is neither a row nor ``None``,
                if two points are equal, if one is not finite, or if one is not of the space.
        """
        self._add(items, winner)
        self._model = self._question = None

    def undo(self) -> None:
        """Take the last answer back: what was asked before it is asked again.

        Raises:
            InputDataError: If no question has been answered.
        """
        if self.num_answers == 0:
            raise InputDataError("No question has been answered, so there is nothing to take back.")
        self._answers.pop()
        self._model = self._question = None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write space, settings and answers to a JSON file, whole or not at all.

        Args:
            path: The file to write or replace.

        Raises:
            OSError: If it cannot be written.
        """
        said = {name: getattr(self, name) for name in _SAVED}
        answers = [{"items": items.tolist(), "winner": w} for items, w in self._answers]
        content = {"format": _FORMAT, "space": self.space.to_json(), **said, "answers": answers}
        with replacing(Path(path)) as partial:
            partial.write_text(json.dumps(content, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str], settings: Settings | None = None) -> Self:
        """Go on where a saved search was: the next question is the same.

        Args:
            path: A file that :meth:`save` wrote.
            settings: Those of the saved search, which the file does not hold.

        Returns:
            The search.

        Raises:
            OSError: If the file cannot be read.
            InputDataError: If it holds something else.
        """
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            if content["format"] != _FORMAT:
                raise ValueError(f"format {content['format']!r}")
            said = {name: content[name] for name in _SAVED}
            search = cls(content["space"], settings=settings, **said)
            for answer in content["answers"]:
                search._add(torch.tensor(answer["items"], dtype=torch.double), answer["winner"])
        except _NOT_SAVED as error:
            raise InputDataError(
                f"{path} holds no saved PreferenceSearch ({type(error).__name__}: {error})."
            ) from None
        return search

    def _add(self, items: Tensor, winner: SupportsIndex | None) -> None:
        check_tensor(items, "items")
        dim = len(self.space.parameters)
        if items.ndim != 2 or len(items) < 2 or items.shape[-1] != dim:
            raise BotorchTensorDimensionError(
                f"Expected items of shape m x {dim} with m >= 2, but got {tuple(items.shape)}."
            )
        row = None if winner is None else whole(winner)
        if winner is not None and (row is None or not 0 <= row < len(items)):
            raise InputDataError(
                f"winner is a row of items, 0 to {len(items) - 1}, or None for a tie, but got "
                f"{winner!r}."
            )
        if not bool(items.isfinite().all()) or len(items.unique(dim=0)) < len(items):
            raise InputDataError("A comparison needs different points with finite values.")
        self.space.check(items)
        self._answers.append((items.detach().to("cpu", torch.double, copy=True), row))

    def _order(self) -> Order:
        """The chosen point against each of the others; in a tie, the first against each."""
        first = 0
        decided: list[tuple[int, int]] = []
        tied: list[tuple[int, int]] = []
        for items, winner in self._answers:
            best = winner or 0
            pairs = [(first + best, first + i) for i in range(len(items)) if i != best]
            (tied if winner is None else decided).extend(pairs)
            first += len(items)
        parts = (torch.tensor(pairs, dtype=torch.long).view(-1, 2) for pairs in (decided, tied))
        return from_comparisons(self.X, *parts)

    def _next(self) -> Tensor:
        """The champion with challengers, or with points of the design where there are none."""
        number = len(self._answers)
        items = self.best.unsqueeze(0) if number else self.space.bounds[:0]
        if number >= self.num_initial:
            wanted = self.num_items - 1
            near = draw_challengers(
                self.model, items[0], self.space, wanted, number, self.seed, self.settings.search
            )
            items = torch.cat([items, near])
        drawn = number * (self.num_items - 1) + (number > 0)
        while len(items) < self.num_items:
            x = self.space.draw(drawn + 1, self.seed)[-1:]
            if not bool((items == x).all(-1).any()):
                items = torch.cat([items, x])
            drawn += 1
        return items
