"""What judges say, and what is learned from it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, Self, SupportsIndex

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from torch import Tensor

from botorch_popbo._plain import as_float, whole
from botorch_popbo._seeds import derive_seed
from botorch_popbo._threads import one_thread
from botorch_popbo.data import Order, from_comparisons
from botorch_popbo.data._checks import check_tensor
from botorch_popbo.likelihoods.normal import hazard
from botorch_popbo.models._fit.priors import default_kernel
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.sampling._pathwise import square_root
from botorch_popbo.settings import SearchSettings, Settings
from botorch_popbo.space import Space

#: Rows of shown things: the one that is better, or equal, and the other.
Pair = tuple[int, int]

_NUM_SAMPLES = 1024


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
            raise InputDataError(f"A judge is known by a text, but got {self.judge!r}.")

    @classmethod
    def read(
        cls,
        items: Tensor,
        winner: SupportsIndex | None = None,
        worst: SupportsIndex | None = None,
        ranking: Sequence[SupportsIndex] | None = None,
        ratings: Sequence[float] | None = None,
        judge: str = "",
    ) -> Self:
        """An answer as it is given; see :meth:`botorch_popbo.PreferenceSearch.tell`.

        Raises:
            BotorchTensorDimensionError: If ``items`` has the wrong shape.
            InputDataError: If ``items`` is no tensor, if points are equal or not finite, or if what
                is said of them is no answer.
        """
        check_tensor(items, "items")
        given = {"winner": winner, "worst": worst, "ranking": ranking, "ratings": ratings}
        said = {way: value for way, value in given.items() if value is not None}
        if len(said) > 1:
            raise InputDataError("Pass one of winner, worst, ranking and ratings.")
        number = len(items)
        told: dict[str, Any] = said or {"ranking": []}
        ((way, value),) = told.items()
        if way == "ratings":
            levels = _levels_of(value, number)
        else:
            levels = [[row] for row in _rows(value if way == "ranking" else [value], way, number)]
            levels.append([row for row in range(number) if [row] not in levels])
        if way == "worst":
            levels.reverse()
        # Each against those of the next level: in a ranking the list does not say more.
        steps = pairwise(levels)
        better = tuple((high, low) for above, below in steps for high in above for low in below)
        says_equal = not said or way == "ratings"
        equal = tuple((level[0], row) for level in levels for row in level[1:] if says_equal)
        return cls(items.detach().to("cpu", torch.double, copy=True), better, equal, judge)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Self:
        """What :meth:`to_json` gave.

        Raises:
            InputDataError: If it is something else.
        """
        items = torch.tensor(said["items"], dtype=torch.double)
        better, equal = (
            tuple(
                (one, other)
                for one, other in (_rows(pair, name, len(items)) for pair in said[name])
            )
            for name in ("better", "equal")
        )
        return cls(items, better, equal, said["judge"])

    def to_json(self) -> dict[str, Any]:
        """What a file holds of it."""
        return vars(self) | {"items": self.items.tolist()}

    @property
    def says_something(self) -> bool:
        """Whether any two were compared."""
        return bool(self.better or self.equal)


class Best(NamedTuple):
    """A point that judges compared with others.

    Attributes:
        parameters: The value of each parameter.
        x: The same as a point, of shape ``d``.
        utility: Its expected utility, in units of the prior's standard deviation.
        chance: The probability that no point that was compared is better by more than the standard
            deviation of an answer's noise, below which judges do not agree with themselves.
    """

    parameters: dict[str, Any]
    x: Tensor
    utility: float
    chance: float


def model_of(answers: Sequence[Answer], space: Space, settings: Settings) -> RankingGP:
    """The fitted model of all that was said.

    Raises:
        InputDataError: If nothing was compared.
    """
    model = _fitted(answers, {}, space, settings)
    if len({answer.judge for answer in answers}) < 2:
        return model
    return _fitted(answers, _noise_ratios(model, answers, settings.search), space, settings)


def _fitted(
    answers: Sequence[Answer], ratios: Mapping[str, float], space: Space, settings: Settings
) -> RankingGP:
    return RankingGP(
        order=_order_of(answers, ratios),
        covar_module=default_kernel(
            space.encoded_dim, settings.search.judge_lengthscale, settings=settings.model
        ),
        settings=settings.model,
        input_transform=space.input_transform(),
    ).fit()


@one_thread()
def standings(model: RankingGP, space: Space, seed: int) -> list[Best]:
    """All points that were compared, the best expected utility first."""
    known = model.known_X
    generator = torch.Generator().manual_seed(derive_seed(seed, len(known)))
    with torch.no_grad():
        utility: Any = model.posterior(known)
        normal = torch.randn(_NUM_SAMPLES, len(known), generator=generator, dtype=torch.double)
        root = square_root(utility.distribution.covariance_matrix)
        mean = utility.mean.squeeze(-1)
        drawn = mean + normal @ root.T
        enough = drawn.amax(-1, keepdim=True) - (2.0 * model.noise).sqrt()
        chance = (drawn >= enough).double().mean(0)
    order = mean.argsort(descending=True, stable=True)
    told = zip(known[order], mean[order].tolist(), chance[order].tolist(), strict=True)
    return [Best(space.decode(x), x, *numbers) for x, *numbers in told]


def _noise_ratios(
    model: RankingGP, answers: Sequence[Answer], settings: SearchSettings
) -> dict[str, float]:
    """How much larger the variance of each judge's noise is than the common one.

    The most probable ratio of a few, by how well each answer is foreseen by all the others.
    """
    ratios = torch.tensor(settings.judge_noise_ratios, dtype=torch.double)
    log_prior = -0.5 * (ratios.log() / settings.judge_noise_spread).square()
    log_prob = {answer.judge: log_prior for answer in answers}
    noise = 2.0 * model.noise.detach()
    for answer in answers:
        if answer.better:
            mean, variance = _foreseen(model, answer, noise)
            scale = (noise * ratios + variance.unsqueeze(-1)).sqrt()
            said = torch.special.log_ndtr(mean.unsqueeze(-1) / scale).sum(0)
            log_prob[answer.judge] = log_prob[answer.judge] + said
    found = {judge: float(ratios[said.argmax()].log()) for judge, said in log_prob.items()}
    common = sum(found[answer.judge] for answer in answers) / len(answers)
    return {judge: math.exp(ratio - common) for judge, ratio in found.items()}


def _foreseen(model: RankingGP, answer: Answer, noise: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of each compared difference by all answers but this comparison.

    Laplace's method has made a normal factor of each, with the slope and the curvature of its
    log-probability at the mean; it is divided out.
    """
    one, other = torch.tensor(answer.better).T
    with torch.no_grad():
        law: Any = model.posterior(answer.items)
    mean, covariance = law.mean.squeeze(-1), law.distribution.covariance_matrix
    difference, variance = mean[one] - mean[other], covariance.diagonal()
    spread = (variance[one] + variance[other] - 2.0 * covariance[one, other]).clamp_min(1e-9)
    score = difference / noise.sqrt()
    rate = hazard(score)
    slope, curvature = rate / noise.sqrt(), rate * (score + rate) / noise
    precision = (1.0 / spread - curvature).clamp_min(1e-6)
    return (difference / spread - curvature * difference - slope) / precision, 1.0 / precision


def _order_of(answers: Sequence[Answer], ratios: Mapping[str, float]) -> Order:
    parts: dict[str, list[Pair]] = {"better": [], "equal": []}
    first = 0
    for answer in answers:
        for name, pairs in parts.items():
            pairs.extend((first + one, first + other) for one, other in getattr(answer, name))
        first += len(answer.items)
    X = torch.cat([answer.items for answer in answers])
    tensors = (torch.tensor(pairs, dtype=torch.long).view(-1, 2) for pairs in parts.values())
    order = from_comparisons(X, *tensors)
    errs = [
        ratios.get(answer.judge, 1.0) for answer in answers for _ in answer.better for _ in "12"
    ]
    # Of each answer that is no tie there are two entries, which come first.
    known = torch.tensor(errs, dtype=torch.double)
    variance = order.variance.clone()
    variance[: len(known)] = torch.where(known == 1.0, torch.nan, known)
    return replace(order, variance=variance)


def _rows(said: Sequence[SupportsIndex], name: str, number: int) -> list[int]:
    """Different rows of so many."""
    rows = [whole(row) for row in said]
    if len({*rows}) < len(rows) or not {*rows} <= {*range(number)}:
        raise InputDataError(
            f"{name} names rows of items, 0 to {number - 1}, each once, but got {said!r}."
        )
    return [row for row in rows if row is not None]


def _levels_of(ratings: Sequence[float], number: int) -> list[list[int]]:
    """Rows of equal ratings, the best first."""
    values = [as_float(rating) for rating in ratings]
    if len(values) != number or any(value is None or value != value for value in values):
        raise InputDataError(f"Pass a number for each of the {number} items, not {ratings!r}.")
    levels = sorted({value for value in values if value is not None}, reverse=True)
    return [[row for row, value in enumerate(values) if value == level] for level in levels]
