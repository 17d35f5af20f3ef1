"""Ask and tell for people who can compare but not measure."""

from collections.abc import Mapping
from typing import Any, Self

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo._seeds import derive_seed
from botorch_popbo.columns import Column, Columns
from botorch_popbo.data._questions import Answers
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.optim.challengers import draw_challengers

_FORMAT = 1


class PreferenceSearch:
    """Find the point that a judge likes best, from answers to "which of these?".

    The champion, the best point so far by a :class:`RankingGP` of all answers, meets challengers:
    first points of a Sobol design, then those near it that a sample of the model holds for better.
    Answers may be noisy and may contradict each other. The same seed and answers give the same
    questions; the global random state is left as it was.

    Args:
        space: Lower and upper bounds, a ``2 x d`` tensor, or columns by name.
        num_items: Number of points that are shown at a time.
        num_initial: Number of questions about the Sobol design, at least one.
        seed: Seed of the design and of the samples.

    Raises:
        BotorchTensorDimensionError: If bounds have the wrong shape.
        InputDataError: If a bound is not finite, if a lower bound is not below the upper one, if
            there are fewer points than items, or if a number is too small.

    Example:
        >>> search = PreferenceSearch({"sugar": Column.continuous(0, 10), ...})
        >>> for _ in range(30):
        >>>     pair = search.ask()
        >>>     search.tell(pair, winner=judge(pair))  # 0, 1, or None for a tie
        >>> search.columns.describe(search.best)
    """

    def __init__(
        self,
        space: Tensor | Mapping[str, Column],
        num_items: int = 2,
        num_initial: int = 6,
        seed: int = 0,
    ) -> None:
        is_tensor = isinstance(space, Tensor)
        self.columns = Columns.from_bounds(space) if is_tensor else Columns(space)
        if num_initial < 1:
            raise InputDataError(f"num_initial is at least 1, but got {num_initial}.")
        if not 2 <= num_items <= float(self.columns.size.prod()):
            raise InputDataError(
                "num_items is at least 2 and at most the number of different points, but got "
                f"{num_items}."
            )
        self.num_items, self.num_initial, self.seed = num_items, num_initial, seed
        self._answers = Answers(self.columns.bounds.shape[-1])
        self._model: RankingGP | None = None
        self._question: Tensor | None = None

    @property
    def num_answers(self) -> int:
        """Number of questions answered."""
        return len(self._answers)

    @property
    def X(self) -> Tensor:  # noqa: N802
        """All points that were shown, in this order, an ``n x d`` tensor."""
        return self._answers.X

    @property
    def model(self) -> RankingGP:
        """The model of all answers; it is fitted once for each.

        Raises:
            InputDataError: If no question has been answered.
        """
        if self._model is None:
            transform = self.columns.input_transform()
            self._model = RankingGP(order=self._answers.order(), input_transform=transform).fit()
        return self._model

    @property
    def best(self) -> Tensor:
        """The shown point of the highest expected utility, of shape ``d``.

        Raises:
            InputDataError: If no question has been answered.
        """
        known = self.model.known_X
        with torch.no_grad():
            mean = self.model.posterior(known).mean
        return known[mean.argmax()]

    def ask(self) -> Tensor:
        """The next question, which does not change until it is answered.

        Returns:
            Different points, a ``num_items x d`` tensor; after the first answer the champion is
            the first of them.
        """
        if self._question is None:
            self._question = self._next()
        return self._question

    def tell(self, items: Tensor, winner: int | None) -> None:
        """Add an answer. The points need not be those that were asked for.

        Args:
            items: The points that were shown, an ``m x d`` tensor with at least two rows.
            winner: The row of the best one, or ``None`` if none of them is better than the first.

        Raises:
            BotorchTensorDimensionError: If ``items`` has the wrong shape.
            InputDataError: If ``winner`` is neither a row nor ``None``, if two points are equal, or
                if one is not finite.
        """
        self._answers.add(items, winner)
        self._model = self._question = None

    def to_json(self) -> dict[str, Any]:
        """Space, settings and answers, without loss.

        Returns:
            What :func:`json.dumps` takes.
        """
        settings = {name: getattr(self, name) for name in ("num_items", "num_initial", "seed")}
        space, answers = self.columns.to_json(), self._answers.to_json()
        return {"format": _FORMAT, "space": space, **settings, "answers": answers}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Go on where another search was: the next question is the same.

        Args:
            content: What :meth:`to_json` returned.

        Returns:
            The search.

        Raises:
            InputDataError: If it is something else.
        """
        try:
            if content["format"] != _FORMAT:
                raise ValueError(f"format {content['format']!r}")
            settings = {name: content[name] for name in ("num_items", "num_initial", "seed")}
            search = cls(Columns.from_json(content["space"]).by_name, **settings)
            search._answers.add_json(content["answers"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputDataError(f"This is no saved PreferenceSearch: {error!r}.") from None
        return search

    def _next(self) -> Tensor:
        """The champion with challengers, or with points of the design where there are none."""
        number = len(self._answers)
        items = self.best.unsqueeze(0) if number else self.columns.bounds[:0]
        if number >= self.num_initial:
            seed = derive_seed(self.seed, number)
            near = draw_challengers(self.model, items[0], self.columns, self.num_items - 1, seed)
            items = torch.cat([items, near])
        drawn = number * self.num_items
        while len(items) < self.num_items:
            x = self.columns.draw(drawn + 1, self.seed)[-1:]
            if not bool((items == x).all(-1).any()):
                items = torch.cat([items, x])
            drawn += 1
        return items
