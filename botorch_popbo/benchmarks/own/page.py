"""The page beside a table of experiments: what was learned from it, in words and pictures."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, tostring

import torch

from botorch_popbo._evaluation import Parameters
from botorch_popbo._plain import Value
from botorch_popbo._replacing import replacing
from botorch_popbo.optimizer import Expected, Optimizer
from botorch_popbo.search.outlook import Outlook

_MARK = '<meta name="generator" content="popbo next">'
_MAX_LISTED, _NUM_ALONG = 12, 41
# Where the lines of a picture are, in its pixels.
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 308, 8, 160
_EFFECTS = (
    "Each picture changes only one parameter of the best recipe (red). The line is what is "
    "expected, and two of three results should fall into the band. What matters most comes first."
)


def write_page(path: Path, report: "Report") -> str:
    """Write a page in place of an older one, and nothing in place of another program's.

    Args:
        path: The file.
        report: What the page says.

    Returns:
        What became of it, in words.
    """
    try:
        if path.exists() and _MARK.encode() not in path.read_bytes():
            return f"{path} is not a page of popbo next, and stays as it is"
        text = tostring(report.page(), encoding="unicode", method="html")
        with replacing(path) as partial:
            partial.write_text(f"<!DOCTYPE html>\n{text}\n", encoding="utf-8")
    except OSError as error:
        return f"the page could not be written: {error}"
    return f"what was learned is in {path}"


def _tag(name: str, /, *content: Element | str, **attributes: object) -> Element:
    """An element, whose texts are escaped when it is written."""
    keys = {"class_": "class", "anchor": "text-anchor"}
    element = Element(name, {keys.get(key, key): str(one) for key, one in attributes.items()})
    for part in content:
        if isinstance(part, Element):
            element.append(part)
        else:  # which comes first
            element.text = part
    return element


def in_words(row: Mapping[str, str]) -> str:
    """Names and values in a line."""
    return ", ".join(f"{name} {text}" for name, text in row.items())


class Place(NamedTuple):
    """A place along a parameter, its value in words, and what is expected there."""

    x: float
    text: str
    expected: Expected


@dataclass(frozen=True)
class Chart:
    """A picture of numbers over numbers.

    Attributes:
        x_ends: The least and the largest number across.
        y_ends: The same upwards.
    """

    x_ends: tuple[float, float]
    y_ends: tuple[float, float]

    def path(self, points: Sequence[tuple[float, float]], kind: str, mark: str = "") -> Element:
        """A line through points, or a mark at each of them."""
        (left, right), (low, high) = self.x_ends, self.y_ends
        wide, tall = (_RIGHT - _LEFT) / ((right - left) or 1.0), (_BOTTOM - _TOP) / (high - low)
        at = [
            f"{_LEFT + (x - left) * wide:.1f} {_BOTTOM - (y - low) * tall:.1f}" for x, y in points
        ]
        return _tag(
            "path",
            d="".join(f"M{one}{mark}" for one in at) if mark else f"M{'L'.join(at)}",
            class_=kind,
        )

    def draw(self, *paths: Element, ends: Sequence[str]) -> Element:
        """The picture, with texts at the two ends across and round numbers upwards."""
        low, high = self.y_ends
        step = 10.0 ** math.floor(math.log10((high - low) / 2.0))
        step *= max(k for k in (1, 2, 5) if k * step <= (high - low) / 2.0)
        parts = []
        for y in (step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)):
            parts.append(line := self.path([(x, y) for x in self.x_ends], "grid"))
            height = line.get("d", "").split()[-1]
            parts.append(_tag("text", f"{y:g}", x=_LEFT - 6, y=height, dy=4, anchor="end"))
        for x, anchor, text in zip((_LEFT, _RIGHT), ("start", "end"), ends, strict=True):
            parts.append(_tag("text", text, x=x, y=_BOTTOM + 18, anchor=anchor))
        return _tag("svg", *parts, *paths, viewBox=f"0 0 320 {_BOTTOM + 26}")


def _ends(numbers: Sequence[float]) -> tuple[float, float]:
    """The least and the largest number, apart from each other."""
    finite = [number for number in numbers if math.isfinite(number)] or [0.0]
    low, high = min(finite), max(finite)
    margin = 1e-9 * max(-low, high)
    return (
        (low, high) if margin < high - low < math.inf else (low - 1.0 - margin, low + 1.0 + margin)
    )


@dataclass(frozen=True)
class Report:
    """What the page says.

    Attributes:
        title: Name of the table.
        optimizer: What has learned from it, and suggested.
        asked: Its suggestions, each with the reason.
        texts: The values of a point in words.
        parts: The names of parts that make a whole.
    """

    title: str
    optimizer: Optimizer
    asked: Sequence[tuple[Parameters, str]]
    texts: Callable[[Parameters], Mapping[str, str]]
    parts: Sequence[str]

    @cached_property
    def front(self) -> list[Parameters]:
        """What is recommended, the first one first; nothing before a success."""
        with suppress(RuntimeError):
            return self.optimizer.front
        return []

    @cached_property
    def outlook(self) -> Outlook:
        """Whether anything better is left to be found."""
        return self.optimizer.outlook()

    @property
    def has_model(self) -> bool:
        """Whether enough is known to say what to expect."""
        return not math.isnan(self.outlook.chance)

    def expected(self, points: Sequence[Parameters]) -> list[dict[str, str]]:
        """What is expected of objectives; nothing as long as too little is known."""
        found = self.optimizer.predict(points) if self.has_model else [{}] * len(points)
        return [{name: f"{m:.3g} ± {s:.2g}" for name, (m, s) in each.items()} for each in found]

    @property
    def count(self) -> str:
        """How many experiments there are, in words."""
        ended, number = self.optimizer.observations, len(self.optimizer.pending) - len(self.asked)
        failed = sum(not one.outcomes for one in ended)
        words = f"{len(ended)} experiments, {failed} failed; {number} without a result"
        return words if ended else "no results yet"

    def page(self) -> Element:
        """The document."""
        ended, style = self.optimizer.observations, files(__package__).joinpath("page.css")
        failed = [one.parameters for one in ended if not one.outcomes]
        body = [_tag("h1", self.title), _tag("p", self.count), *self._best(), *self._next()]
        for name in self.optimizer.outcomes if self.front else ():
            body += self._result(name)
        if failed:
            number = f", the last {_MAX_LISTED}" * (len(failed) > _MAX_LISTED)
            body += [_tag("h2", f"What failed{number}"), self._table(failed[-_MAX_LISTED:])]
        head = [
            _tag("meta", charset="utf-8"),
            _tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            _tag("meta", name="generator", content="popbo next"),
            _tag("title", self.title),
            _tag("style", style.read_text(encoding="utf-8")),
        ]
        return _tag("html", _tag("head", *head), _tag("body", *body), lang="en")

    def _table(self, points: Sequence[Parameters], *reasons: str) -> Element:
        """Points, what is expected of them, and perhaps why they are suggested."""
        rows = [
            {**self.texts(x), **{f"expected {name}": y for name, y in expected.items()}}
            for x, expected in zip(points, self.expected(points), strict=True)
        ]
        table = [_tag("tr", *(_tag("th", name) for name in rows[0]))]
        for row, reason in zip_longest(rows, reasons):
            table.append(_tag("tr", *(_tag("td", cell) for cell in row.values())))
            if reason:  # in a row of its own, as a column would be narrow
                why = _tag("td", _tag("p", reason), colspan=len(row))
                table.append(_tag("tr", why, class_="why"))
        return _tag("div", _tag("table", *table), class_="wide")

    def _best(self) -> list[Element]:
        """What is recommended, and how sure that is."""
        if not self.front:
            return [_tag("h2", "Best so far"), _tag("p", "Nothing has succeeded yet.")]
        best, optimizer, lines = self.front[0], self.optimizer, []
        values = [_tag("div", name, _tag("b", text)) for name, text in self.texts(best).items()]
        for name in optimizer.outcomes:
            looks = [o.outcomes.get(name) for o in optimizer.observations if o.parameters == best]
            line = f"{name}: measured {', '.join(f'{y:.4g}' for y in looks if y is not None)}"
            if self.has_model and name in optimizer.objectives:
                line += f"; another measurement should give {self.expected([best])[0][name]}"
            low, high = optimizer.constraints.get(name, (None, None))
            line += "" if low is None else f"; at least {low:g} is wanted"
            lines.append(line + ("" if high is None else f"; at most {high:g} is wanted"))
        if not self.has_model:
            lines.append(f"Predictions appear here after {optimizer.n_initial} results")
        else:
            lines += [*self._luck(), f"There is a {self.outlook}"]
        found = [_tag("h2", "Best so far"), _tag("div", *values, class_="values")]
        found += [_tag("p", f"{line}.") for line in lines]
        if others := self.front[1:_MAX_LISTED]:
            words = "None of these is better than another in all results:"
            found += [_tag("p", words), self._table([best, *others])]
        return found

    def _luck(self) -> Iterator[str]:
        """What speaks against the best point: a better result, of which the model believes less."""
        optimizer = self.optimizer
        (name, way), *others = optimizer.objectives.items()
        ended = [one for one in optimizer.observations if one.outcomes]
        luckiest = (max if way == "maximize" else min)(ended, key=lambda one: one.outcomes[name])
        if luckiest.parameters != self.front[0] and not others and not optimizer.constraints:
            expected = self.expected([luckiest.parameters])[0][name]
            where = in_words(self.texts(luckiest.parameters))
            yield (
                f"{luckiest.outcomes[name]:.4g} was measured at {where}; "
                f"the model puts part of that down to luck and expects {expected} there"
            )

    def _next(self) -> list[Element]:
        """What to try, and why."""
        found = [_tag("h2", "What to try next")]
        if not self.asked:
            return [*found, _tag("p", "Nothing is left to try.")]
        points, reasons = zip(*self.asked, strict=True)
        if not self.has_model:
            words = "These show more of what is possible, as too little is known yet."
            return [*found, _tag("p", words), self._table(points)]
        return [*found, self._table(points, *reasons)]

    def _result(self, name: str) -> list[Element]:
        """What is known of one result."""
        ways = {"maximize": ", larger is better", "minimize": ", smaller is better"}
        found = [_tag("h2", name + ways.get(self.optimizer.objectives.get(name, ""), ""))]
        cards = [self._history(name)]
        if self.has_model and name in self.optimizer.objectives:
            cards += self._effects(name)
            found.append(_tag("p", _EFFECTS))
        return [*found, _tag("div", *cards, class_="cards")]

    def _history(self, name: str) -> Element:
        """All experiments in their order."""
        ended = [*enumerate(self.optimizer.observations, 1)]
        values = [(i, one.outcomes[name]) for i, one in ended if name in one.outcomes]
        limits = [y for y in self.optimizer.constraints.get(name, ()) if y is not None]
        chart = Chart((1, max(len(ended), 2)), _ends([y for _, y in values] + limits or [0.0]))
        best = {i for i, one in ended if one.parameters in self.front[:1]}
        failed = [(i, chart.y_ends[0]) for i, one in ended if not one.outcomes]
        paths = [chart.path([(x, y) for x in chart.x_ends], "limit") for y in limits]
        paths.append(chart.path(values, "dots", "h0"))
        paths.append(chart.path([at for at in values if at[0] in best], "best", "h0"))
        paths.append(chart.path(failed, "failed", "m-4 -4l8 8m0 -8l-8 8"))
        title = "All experiments" + ", crosses failed" * bool(failed)
        title += ", limits dashed" * bool(limits)
        return _tag("div", _tag("h3", title), chart.draw(*paths, ends=("1", str(len(ended)))))

    @cached_property
    def _slices(self) -> dict[str, list[Place]]:
        """What is expected along each parameter from the best point."""
        along = {name: self._along(name) for name in self.optimizer.space.parameters}
        points = [point for part in along.values() for _, point in part]
        expected = iter(self.optimizer.predict(points))
        return {
            name: [Place(x, self.texts(point)[name] or "none", next(expected)) for x, point in part]
            for name, part in along.items()
        }

    def _along(self, name: str) -> list[tuple[float, Parameters]]:
        """The best point with other values of a parameter, by their places."""
        parameters, best = self.optimizer.space.parameters, self.front[0][name]
        p = parameters[name]
        few = p.choices is not None or p.size <= _NUM_ALONG
        places = p.places() if few else torch.linspace(*p.ends, _NUM_ALONG).tolist()
        own = [] if best is None and p.choices is None else [p.place(best)]
        rising = sorted({*map(p.rounded, places), *own})
        points = [(x, self._moved(name, p.value(x))) for x in rising]
        limits = [(n, parameters[n]) for n in self.parts if n in parameters]
        return [at for at in points if all(q.low <= at[1][n] <= q.high for n, q in limits)]

    def _moved(self, name: str, value: Value) -> Parameters:
        """The best point with another value; other parts of a whole keep their ratio."""
        best = self.front[0]
        others = [part for part in self.parts if part != name] if name in self.parts else []
        before = sum(best[part] for part in others)
        shares = {part: best[part] / before if before else 1 / len(others) for part in others}
        rest = before + best[name] - value if others else 0.0
        return {**best, name: value} | {n: round(rest * share, 9) for n, share in shares.items()}

    def _effects(self, name: str) -> list[Element]:
        """How each parameter moves a result, the largest effect first."""
        normal = {n: [at.expected[name] for at in part] for n, part in self._slices.items()}
        ends = _ends([end for part in normal.values() for m, s in part for end in (m - s, m + s)])
        effects = {n: max(part)[0] - min(part)[0] for n, part in normal.items()}
        cards = []
        for parameter in sorted(effects, key=lambda n: -effects[n]):
            error = sum(s for _, s in normal[parameter]) / len(normal[parameter])
            words = f"changes it by up to {effects[parameter]:.2g}"
            words = words if effects[parameter] > error else "no clear effect"
            title = _tag("h3", f"{parameter}: {words}")
            cards.append(_tag("div", title, *self._effect(parameter, name, ends)))
        return cards

    def _effect(self, parameter: str, name: str, y_ends: tuple[float, float]) -> list[Element]:
        """A picture, and the names of choices, which it numbers, the best one first."""
        part, best = self._slices[parameter], self.texts(self.front[0])[parameter] or "none"
        is_categorical = self.optimizer.space.parameters[parameter].is_categorical
        if is_categorical:
            sign = -1.0 if self.optimizer.objectives[name] == "maximize" else 1.0
            part = sorted(part, key=lambda at: sign * at.expected[name][0])[:_MAX_LISTED]
            part = [at._replace(x=i) for i, at in enumerate(part, 1)]
        chart = Chart((part[0].x, part[-1].x), y_ends)
        points = [(at.x, *at.expected[name], at.text == best) for at in part]
        middle = [(x, m) for x, m, *_ in points]
        if is_categorical:
            paths = [chart.path([(x, m - s), (x, m + s)], "error") for x, m, s, _ in points]
            paths.append(chart.path(middle, "dots", "h0"))
            ends, names = ("1", str(len(part))), [_tag("ol", *(_tag("li", at.text) for at in part))]
        else:
            upper, lower = ([(x, m + sign * s) for x, m, s, _ in points] for sign in (1.0, -1.0))
            paths = [chart.path(upper + lower[::-1], "band"), chart.path(middle, "line")]
            ends, names = (part[0].text, part[-1].text), []
        paths.append(chart.path([(x, m) for x, m, _, is_best in points if is_best], "best", "h0"))
        return [chart.draw(*paths, ends=ends), *names]
