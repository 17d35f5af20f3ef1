"""Ask and tell for people who can compare but not measure."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import EllipsisType
from typing import Any, Self, SupportsIndex

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo._plain import Value
from botorch_popbo._saved import save, saved
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.search.answers import Answer, Best, Interview
from botorch_popbo.settings import Settings, read_settings
from botorch_popbo.space import Space, at_least

_FORMAT = 3
_SAVED = "num_items", "num_initial", "seed"


class PreferenceSearch:
    """Find the point that judges like best, from answers to "which of these?".

    The champion is the best point by a :class:`RankingGP` of all answers. First it meets the next
    points of a Sobol design, then the points near it that promise the largest improvement. Answers
    may be noisy and may contradict each other. The same seed and answers give the same questions;
    the global random state is left as it was.

    Args:
        space: What each parameter may be, by its name, such as ``{"sugar": (0.0, 10.0), "cups":
            (1, 4), "milk": ["none", "oat"]}``; see :data:`~botorch_popbo.space.Notation`. Or lower
            and upper bounds, a ``2 x d`` tensor.
        num_items: Number of points that are shown at a time.
        num_initial: Number of questions about the Sobol design, at least one; by default twice the
            number of parameters, and six or more.
        seed: Seed of the design and of the samples.
        settings: What the model assumes, and how to search.

    Attributes:
        space: The space.
        interview: All answers, and what is learned from them.

    Raises:
        BotorchTensorDimensionError: If bounds have the wrong shape.
        InputDataError: If a parameter is written wrongly, if there are fewer points than items, or
            if a number is too small or not whole.

    Example:
        >>> search = PreferenceSearch({"sugar": (0.0, 10.0), "milk": ["none", "oat", "cow"]})
        >>> for _ in range(30):
        >>>     pair = search.ask()
        >>>     search.tell(pair, winner=judge(pair))  # 0, 1, or None for a tie
        >>> search.best.parameters, search.best.chance
    """

    def __init__(
        self,
        space: Tensor | Mapping[str, Value] | Space,
        num_items: int = 2,
        num_initial: int | None = None,
        seed: int = 0,
        settings: Settings | None = None,
    ) -> None:
        self.space, self.settings = Space.read(space), read_settings(settings)
        self._is_named = not isinstance(space, Tensor)
        if num_initial is None:
            num_initial = self.settings.search.questions_of_design(len(self.space.parameters))
        self.num_items = at_least(2, num_items=num_items)
        self.num_initial = at_least(1, num_initial=num_initial)
        self.seed = at_least(0, seed=seed)
        if self.num_items > self.space.num_points:
            raise InputDataError(
                f"num_items must be at most {self.space.num_points}, the number of different "
                f"points, but got {num_items}."
            )
        self.interview = Interview(self.space, (), self.settings, self.seed, self.num_initial)
        self._question: Tensor | None = None

    def _begin(self, answers: Sequence[Answer]) -> None:
        """Have nothing but some answers; the model and the next question wait until asked for."""
        self.interview, self._question = replace(self.interview, answers=tuple(answers)), None

    def __repr__(self) -> str:
        names = ", ".join(self.space.parameters)
        return f"<PreferenceSearch of {names}: {self.num_answers} answers>"

    @property
    def num_answers(self) -> int:
        """Number of questions answered."""
        return len(self.answers)

    @property
    def answers(self) -> Sequence[Answer]:
        """All answers, in the order in which they were given."""
        return self.interview.answers

    @property
    def X(self) -> Tensor:  # noqa: N802
        """All points that were shown, in this order, an ``n x d`` tensor."""
        return torch.cat([self.space.bounds[:0], *(answer.items for answer in self.answers)])

    @property
    def model(self) -> RankingGP:
        """The model of all answers; it is fitted once for each.

        Raises:
            InputDataError: If nothing has been compared.
        """
        return self.interview.model

    @property
    def ranking(self) -> list[Best]:
        """All points that were compared, the best expected utility first.

        Raises:
            InputDataError: If nothing has been compared.
        """
        return [*self.interview.ranking]

    @property
    def best(self) -> Best:
        """The champion, the point of the highest expected utility, and how sure it is.

        Raises:
            InputDataError: If nothing has been compared.
        """
        return self.ranking[0]

    @property
    def is_complete(self) -> bool:
        """Whether the champion has met all other points, so that questions would repeat."""
        interview = self.interview
        return bool(interview.num_compared) and len(interview.met()) >= self.space.num_points

    def ask(self) -> Any:
        """The next question, which does not change until it is answered.

        Returns:
            Different points: a list of ``num_items`` dictionaries, or a ``num_items x d`` tensor if
            the space was given by bounds. After an answer that compares anything the champion is
            the first of them. It meets again what it has met only if there is nothing else.
        """
        return [*map(self.space.decode, self.question)] if self._is_named else self.question

    @property
    def question(self) -> Tensor:
        """The same as points, ``num_items x d``."""
        if self._question is None:
            self._question = self._next()
        return self._question.clone()

    def tell(
        self,
        items: Tensor | Sequence[Mapping[str, Value]],
        winner: SupportsIndex | EllipsisType | None = ...,
        *,
        worst: SupportsIndex | None = None,
        ranking: Sequence[SupportsIndex] | None = None,
        ratings: Sequence[float] | None = None,
        judge: str = "",
    ) -> None:
        """Add an answer, said in one of four ways. The points need not be those asked for.

        Args:
            items: The points that were shown, as :meth:`ask` gives them: at least two dictionaries,
                or an ``m x d`` tensor.
            winner: The row of the best one; ``None`` if none of them is better than the first.
            worst: The row of the worst one; nothing is said of the others among each other.
            ranking: Rows, best first, and better than those that are not named; ``[]`` says
                nothing, and other points are asked for.
            ratings: A number for each, larger being better; equal ones are equally good. They are
                compared with each other, never with those of another answer.
            judge: Who answered. Judges err as they do: each has a noise of their own.

        Raises:
            BotorchTensorDimensionError: If ``items`` has the wrong shape.
            InputDataError: If ``items`` are neither, if what is said of them is not one answer, if
                two points are equal, if one is not finite, or if one is not of the space.
        """
        ways: dict[str, Value] = {"worst": worst, "ranking": ranking, "ratings": ratings}
        given = [(way, value) for way, value in ways.items() if value is not None]
        if winner is not ...:
            given.append(("winner", winner))
        if len(given) != 1:
            raise InputDataError(
                "Pass one of winner, worst, ranking and ratings; winner=None if none is better."
            )
        answer = Answer.read(self._points(items), *given[0], judge)
        self._begin([*self.answers, self._checked(answer)])

    def undo(self, judge: str | None = None) -> None:
        """Take the last answer back: what was asked before it is asked again.

        Args:
            judge: Whose; by default anybody's.

        Raises:
            InputDataError: If no question has been answered.
        """
        for place in reversed(range(self.num_answers)):
            if judge in (None, self.answers[place].judge):
                self._begin([*self.answers[:place], *self.answers[place + 1 :]])
                return
        raise InputDataError("No question has been answered, so there is nothing to undo.")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write space, settings and answers to a JSON file, whole or not at all.

        Args:
            path: The file to write or replace.

        Raises:
            OSError: If it cannot be written.
        """
        options = {name: getattr(self, name) for name in _SAVED}
        answers = [answer.to_json() for answer in self.answers]
        space = {"space": self.space.to_json(), "is_named": self._is_named}
        save(path, {"format": _FORMAT, **space, **options, "answers": answers})

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
        with saved(path, cls.__name__, _FORMAT) as content:
            options = {name: content[name] for name in _SAVED}
            search = cls(content["space"], settings=settings, **options)
            search._is_named = bool(content["is_named"])
            search._begin([search._checked(Answer.from_json(a)) for a in content["answers"]])
        return search

    def _checked(self, answer: Answer) -> Answer:
        dim = len(self.space.parameters)
        if answer.items.shape[-1] != dim:
            raise BotorchTensorDimensionError(
                f"Expected items of {dim} columns, but got {answer.items.shape[-1]}."
            )
        self.space.check(answer.items)
        return replace(answer, items=self.space.snap(answer.items))

    def _points(self, items: Value) -> Value:
        """Dictionaries as points; what is anything else is checked later."""
        if not isinstance(items, list | tuple) or not all(isinstance(i, Mapping) for i in items):
            return items
        if len(items) < 2:
            raise InputDataError(f"A judge compares at least two items, not {len(items)}.")
        try:
            return torch.stack([self.space.encode(item) for item in items])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise InputDataError(f"{items!r} are not points of the space: {error!r}.") from None

    def _next(self) -> Tensor:
        """The champion with those it has not met, or with any where there are too few."""
        for known in (self.interview.met(), self.space.bounds[:0]):
            items = self.interview.question(self.num_items, known, self.num_answers)
            if len(items) == self.num_items:
                break
        return items
