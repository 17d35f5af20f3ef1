"""What judges say, what is learned from it, and who should meet the champion."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple, Self, SupportsIndex

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from botorch.generation import MaxPosteriorSampling
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo._plain import Value, as_float, whole
from botorch_popbo._reproducible import derive_seed, one_thread, seeded
from botorch_popbo.acquisition._log_improvement import log_improvement
from botorch_popbo.data import Order, from_comparisons
from botorch_popbo.data._checks import check_tensor
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.likelihoods.normal import hazard
from botorch_popbo.models.conditional import draw
from botorch_popbo.models.priors import default_kernel
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.search.domain import Domain, unseen_points
from botorch_popbo.settings import SearchSettings, Settings
from botorch_popbo.space import Space

#: Rows of shown things: the one that is better, or equal, and the other.
Pair = tuple[int, int]

# Samples of the utility, and points that may be the best: near the champion and anywhere.
_NUM_SAMPLES, _NUM_NEAR, _NUM_ANYWHERE = 1024, 256, 512


@dataclass(frozen=True)
class Answer:
    """What a judge said of the things that were shown.

    Attributes:
        items: Their points, an ``m x d`` tensor.
        better: Rows of pairs of which the first is better.
        equal: Rows of pairs that were said to be equal.
        judge: Who said so.
    """

    items: Tensor
    better: tuple[Pair, ...]
    equal: tuple[Pair, ...] = ()
    judge: str = ""

    def __post_init__(self) -> None:
        number = len(self.items)
        if self.items.ndim != 2 or number < 2:
            raise BotorchTensorDimensionError(
                f"Expected items of shape m x d with m >= 2, but got {tuple(self.items.shape)}."
            )
        if not bool(self.items.isfinite().all()) or len(self.items.unique(dim=0)) < number:
            raise InputDataError("A comparison needs different points with finite values.")
        if not isinstance(self.judge, str):
            raise InputDataError(f"judge must be a text, but got {self.judge!r}.")

    @classmethod
    def read(cls, items: Tensor, way: str, value: Value, judge: str) -> Self:
        """An answer that is given in one of the ways of :meth:`PreferenceSearch.tell`.

        Args:
            items: The points that were shown, an ``m x d`` tensor.
            way: ``"winner"``, ``"worst"``, ``"ranking"`` or ``"ratings"``.
            value: What is said in this way; ``None`` of a tie.
            judge: Who said so.

        Raises:
            BotorchTensorDimensionError: If ``items`` has the wrong shape.
            InputDataError: If ``items`` is not a tensor, if points are equal or not finite, or if
                what is said of them is not an answer.
        """
        check_tensor(items, "items")
        number = len(items)
        if way == "ratings":
            levels = _levels_of(value, number)
        else:
            rows = value if way == "ranking" else [] if value is None else [value]
            levels = [[row] for row in _rows(rows, way, number)]
            levels.append([row for row in range(number) if [row] not in levels])
        if way == "worst":
            levels.reverse()
        # Each against those of the next level: in a ranking the list does not say more.
        steps = pairwise(levels)
        better = tuple((high, low) for above, below in steps for high in above for low in below)
        alike = levels if way == "ratings" or value is None else []
        equal = tuple((level[0], row) for level in alike for row in level[1:])
        return cls(items.detach().to("cpu", torch.double, copy=True), better, equal, judge)

    @classmethod
    def from_json(cls, content: Mapping[str, Value]) -> Self:
        """What :meth:`to_json` gave.

        Raises:
            InputDataError: If it is something else.
        """
        items = torch.tensor(content["items"], dtype=torch.double)

        def pairs(name: str) -> tuple[Pair, ...]:
            rows = [_rows(pair, name, len(items)) for pair in content[name]]
            return tuple((one, other) for one, other in rows)

        return cls(items, pairs("better"), pairs("equal"), content["judge"])

    def to_json(self) -> dict[str, Value]:
        """What a file holds of it."""
        return vars(self) | {"items": self.items.tolist()}


class Best(NamedTuple):
    """A point that judges compared with others.

    Attributes:
        parameters: The value of each parameter.
        x: The same as a point, of shape ``d``.
        utility: Its expected utility, in units of the prior's standard deviation.
        chance: The probability that no point of the space is better by more than the standard
            deviation of an answer's noise, below which judges do not agree with themselves. It is
            calibrated from about twenty answers on (docs/results/judges.md).
    """

    parameters: dict[str, Value]
    x: Tensor
    utility: float
    chance: float


@dataclass(frozen=True)
class Interview:
    """All that was said of points of a space, and what is learned from it.

    Attributes:
        space: The space.
        answers: The answers.
        settings: What the model assumes, and how many candidates are how near.
        seed: Seed of the design, of candidates and of samples.
        num_initial: Answers that compare anything before the champion meets points near it.
    """

    space: Space
    answers: Sequence[Answer]
    settings: Settings
    seed: int
    num_initial: int

    @property
    def num_compared(self) -> int:
        """The number of answers that compare anything."""
        return sum(bool(answer.better or answer.equal) for answer in self.answers)

    @property
    def is_past_design(self) -> bool:
        """Whether the champion meets points near it."""
        return self.num_compared >= self.num_initial

    @cached_property
    def key(self) -> str:
        """Equal for the same answers about points of the same space."""
        return repr((self.space.key, [answer.to_json() for answer in self.answers]))

    @cached_property
    def model(self) -> RankingGP:
        """The fitted model of all answers.

        Raises:
            InputDataError: If nothing has been compared.
        """
        if not self.num_compared:
            raise InputDataError("No question has been answered, so there is nothing to learn.")
        model = self._fitted({})
        if len({answer.judge for answer in self.answers}) > 1:
            model = self._fitted(_noise_ratios(model, self.answers, self.settings.search))
        return model

    @cached_property
    @one_thread()
    def champion(self) -> Tensor:
        """The point of the highest expected utility, of shape ``d``.

        Raises:
            InputDataError: If nothing has been compared.
        """
        with torch.no_grad():
            return self.model.known_X[self.model(self.model.known_X).mean.argmax()]

    @cached_property
    @one_thread()
    def ranking(self) -> Sequence[Best]:
        """All points that were compared, the best expected utility first.

        Raises:
            InputDataError: If nothing has been compared.
        """
        space, known = self.space, self.model.known_X
        with seeded(derive_seed(self.seed, len(known))), torch.no_grad():
            near = self._near(self.champion)[:_NUM_NEAR]
            others = torch.cat([near, space.draw(_NUM_ANYWHERE, self.seed)]).unique(dim=0)
            others = others[~is_row_of(others, known)]
            drawn = draw(self.model(torch.cat([known, others])), _NUM_SAMPLES)
            mean = self.model(known).mean
            enough = drawn.amax(-1, keepdim=True) - (2.0 * self.model.noise).sqrt()
            chance = (drawn >= enough).double().mean(0)[: len(known)]
        order = mean.argsort(descending=True, stable=True)
        best = zip(known[order], mean[order].tolist(), chance[order].tolist(), strict=True)
        return [Best(space.decode(x), x, *numbers) for x, *numbers in best]

    def rivals(
        self, champion: Tensor | None, number: int, turn: int, index: int, known: Tensor
    ) -> Tensor:
        """Points to be shown next: challengers of the champion, else the next ones of the design.

        Args:
            champion: A point of shape ``d``; ``None`` if nobody challenges it yet.
            number: Number of points.
            turn: How many questions there were before.
            index: Where the design continues.
            known: Points that are not to be shown, an ``n x d`` tensor, the champion among them.

        Returns:
            Distinct points, ``m x d`` with ``m <= number``; fewer only where there are no others.
        """
        chosen = known[:0]
        if champion is not None and number:
            chosen = self.challengers(champion, number, turn, known)
        if len(chosen) < number:
            size = index + 128 * number  # of a small space most were shown before
            drawn = self.space.draw(size, self.seed)[index:]
            drawn = drawn[~is_row_of(drawn, torch.cat([known, chosen]))]
            domain = Domain.of(self.space, self.settings.search)
            if domain.is_table:  # which the draws need not exhaust
                left = unseen_points(domain, torch.cat([known, chosen, drawn]), number, self.seed)
                drawn = torch.cat([drawn, left])
            fresh = [*dict.fromkeys(map(tuple, drawn.tolist()))][: number - len(chosen)]
            chosen = torch.cat([chosen, drawn.new_tensor(fresh).view(-1, drawn.shape[-1])])
        return chosen

    def question(self, number: int, known: Tensor, turn: int) -> Tensor:
        """The champion, once anything was compared, and those that it should meet.

        Args:
            number: Number of points.
            known: Points that the champion should not meet, an ``n x d`` tensor.
            turn: How many questions there were before.

        Returns:
            Distinct points, ``m x d`` with ``m <= number``; fewer only where there are no others.
        """
        items = self.champion.unsqueeze(0) if self.num_compared else known[:0]
        champion = items[0] if self.is_past_design else None
        index = turn * (number - 1) + (turn > 0)
        known = torch.cat([items, known])
        return torch.cat([items, self.rivals(champion, number - len(items), turn, index, known)])

    def met(self, judge: str | None = None) -> Tensor:
        """Points that were shown beside the champion, it among them, an ``n x d`` tensor.

        Before anything was compared these are all points.

        Args:
            judge: To whom; by default to anybody.
        """
        shown = [answer.items for answer in self.answers if judge in (None, answer.judge)]
        if self.num_compared:
            champion = self.champion.unsqueeze(0)
            shown = [champion, *(items for items in shown if bool(is_row_of(champion, items)))]
        return torch.cat([self.space.bounds[:0], *shown]).unique(dim=0)

    @property
    def agreement(self) -> dict[str, tuple[int, int]]:
        """How many comparisons of each judge all other answers foretell, and how many there are.

        Raises:
            InputDataError: If nothing has been compared.
        """
        agreed = dict[str, list[bool]]()
        for answer in self.answers:
            if answer.better:
                mean, _ = _foreseen(self.model, answer, 2.0 * self.model.noise.detach())
                agreed.setdefault(answer.judge, []).extend((mean > 0).tolist())
        return {judge: (sum(each), len(each)) for judge, each in agreed.items()}

    @one_thread()
    def challengers(self, champion: Tensor, number: int, turn: int, known: Tensor) -> Tensor:
        """The most promising points near the champion.

        In even turns the first has the largest expected improvement on the champion, whose own
        utility is as uncertain as any. In odd turns it is the best in a sample of the utility
        (Thompson sampling), as the others always are.

        A few dozen answers say little of a whole space: from everywhere, challengers come from its
        corners, where nothing is known, and lose. Half of the candidates fill a box about the
        champion, the others are closer by a factor that is uniform on a logarithmic scale. A
        discrete column reaches the neighbouring value at least, and a categorical one changes as
        often as the box is wide.

        Args:
            champion: A point of shape ``d``.
            number: Number of challengers, at least one.
            turn: How many questions there were before.
            known: Points that are none, an ``n x d`` tensor with the champion among them.

        Returns:
            Distinct other points, ``n x d`` with ``n <= number``; fewer only where there are few
            others near.
        """
        model = self.model
        with seeded(derive_seed(self.seed, turn)), torch.no_grad():
            points = self._near(champion)
            near: Tensor = points[~is_row_of(points, known)].unique(dim=0)
            chosen = near[:0]
            if turn % 2 == 0 and len(near):
                differences = model.differences_from(model.encode(champion.unsqueeze(0))[0])
                mean, variance, _ = differences.moments(model.encode(near.unsqueeze(-2)))
                first = int(log_improvement(mean, variance).argmax())
                chosen, near = near[[first]], torch.cat([near[:first], near[first + 1 :]])
            left = min(number - len(chosen), len(near))
            if left == 0:
                return chosen
            sampled: Tensor = MaxPosteriorSampling(model, replacement=False)(near, num_samples=left)
            return torch.cat([chosen, sampled])

    def _near(self, champion: Tensor) -> Tensor:
        """Points about one of them."""
        space, number = self.space, 512
        center, widest = space.to_unit(champion), self.settings.search.challenger_radius
        corners = torch.stack([-torch.ones_like(center), torch.ones_like(center)])
        box: Tensor = draw_sobol_samples(corners, n=number, q=1).squeeze(1)
        scale = 10.0 ** (-2.0 * torch.rand(number, 1, dtype=center.dtype))  # to a hundredth
        scale[::2] = 1.0
        radius = torch.maximum(widest * scale, 1.0 / space.size)
        moved = (center + radius * box).abs()
        moved = 1.0 - (1.0 - moved).abs()  # reflected at the faces
        is_new = torch.rand(moved.shape, dtype=torch.float32) < 2.0 * widest * scale
        category = torch.where(is_new, torch.rand_like(moved), center)
        return space.filled(space.from_unit(torch.where(space.is_categorical, category, moved)))

    def _fitted(self, ratios: Mapping[str, float]) -> RankingGP:
        space, settings = self.space, self.settings
        scale = settings.search.judge_lengthscale
        return RankingGP(
            order=_order_of(self.answers, ratios),
            covar_module=default_kernel(space.encoded_dim, scale, settings=settings.model),
            settings=settings.model,
            input_transform=space.input_transform(),
        ).fit()


def _noise_ratios(
    model: RankingGP, answers: Sequence[Answer], settings: SearchSettings
) -> dict[str, float]:
    """How much larger the variance of each judge's noise is than the common one.

    The most probable ratio of a few, by how well each answer is foreseen by all the others.
    """
    ratios = torch.tensor(settings.judge_noise_ratios, dtype=torch.double)
    log_prior = -0.5 * (ratios.log() / 1.4).square()  # a factor of four is one deviation
    log_prob = {answer.judge: log_prior for answer in answers}
    noise = 2.0 * model.noise.detach()
    for answer in answers:
        if answer.better:
            mean, variance = _foreseen(model, answer, noise)
            scale = (noise * ratios + variance.unsqueeze(-1)).sqrt()
            fit = torch.special.log_ndtr(mean.unsqueeze(-1) / scale).sum(0)
            log_prob[answer.judge] = log_prob[answer.judge] + fit
    found = {judge: float(ratios[fit.argmax()].log()) for judge, fit in log_prob.items()}
    common = sum(found[answer.judge] for answer in answers) / len(answers)
    return {judge: math.exp(ratio - common) for judge, ratio in found.items()}


def _foreseen(model: RankingGP, answer: Answer, noise: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of each compared difference by all answers but this comparison.

    A normal factor with the slope and the curvature of its log-probability at the mean, which is
    near its site, is divided out.
    """
    one, other = torch.tensor(answer.better).T
    with torch.no_grad():
        law = model(answer.items)
    mean, covariance = law.mean, law.covariance_matrix
    difference, variance = mean[one] - mean[other], covariance.diagonal()
    spread = (variance[one] + variance[other] - 2.0 * covariance[one, other]).clamp_min(1e-9)
    score = difference / noise.sqrt()
    rate = hazard(score)
    slope, curvature = rate / noise.sqrt(), rate * (score + rate) / noise
    precision = (1.0 / spread - curvature).clamp_min(1e-6)
    return (difference / spread - curvature * difference - slope) / precision, 1.0 / precision


def _order_of(answers: Sequence[Answer], ratios: Mapping[str, float]) -> Order:
    starts = accumulate((len(answer.items) for answer in answers), initial=0)
    placed = [*zip(starts, answers, strict=False)]
    better = [(start + one, start + other) for start, a in placed for one, other in a.better]
    equal = [(start + one, start + other) for start, a in placed for one, other in a.equal]
    pairs = [torch.tensor(rows, dtype=torch.long).view(-1, 2) for rows in (better, equal)]
    order = from_comparisons(torch.cat([answer.items for answer in answers]), *pairs)
    # Of each pair that is no tie there are two entries, which come first.
    errs = [ratios.get(a.judge, 1.0) for a in answers for _ in range(2 * len(a.better))]
    noise = order.judge_noise.clone()
    noise[: len(errs)] = torch.tensor(errs, dtype=torch.double)
    return replace(order, judge_noise=noise)


def _rows(rows: Sequence[SupportsIndex], name: str, number: int) -> list[int]:
    """Different rows of so many."""
    numbers = [*map(whole, rows)] if isinstance(rows, Iterable) else [None]
    if len({*numbers}) < len(numbers) or not {*numbers} <= {*range(number)}:
        raise InputDataError(
            f"{name} must name rows of items, 0 to {number - 1}, each once, but got {rows!r}."
        )
    return [row for row in numbers if row is not None]


def _levels_of(ratings: Sequence[float], number: int) -> list[list[int]]:
    """Rows of equal ratings, the best first."""
    values = [*map(as_float, ratings)] if isinstance(ratings, Iterable) else []
    if len(values) != number or any(value is None or value != value for value in values):
        raise InputDataError(f"Pass a number for each of the {number} items, not {ratings!r}.")
    levels = sorted({value for value in values if value is not None}, reverse=True)
    return [[row for row, value in enumerate(values) if value == level] for level in levels]
