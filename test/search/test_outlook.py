import math
import re

import pytest
import torch

from botorch_popbo.search.outlook import Outlook, outlook, why
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import Settings, read_settings
from botorch_popbo.space import Space

LINE = Space.read({"x": (0.0, 1.0)})
TABLE = Space.read({"x": [0.0, 0.25, 0.5, 0.75, 1.0]})


def seen(places: list[float], space: Space = LINE, slack: float = math.nan) -> Trials:
    limits = () if math.isnan(slack) else (slack,)
    rows = [(space.encode({"x": x}), [-((x - 0.4) ** 2)], [x - s for s in limits]) for x in places]
    return Trials.gather([Trial(*row, 0.0) for row in rows], [], (1, 1, len(limits)))


def of(
    trials: Trials, margin: float | None = None, space: Space = LINE, number: int = 4
) -> Outlook:
    return outlook(Search(0, Settings(), number), space, trials, margin)


GRID = [i / 8 for i in range(9)]


def test_the_chance_falls_with_the_margin_and_as_the_search_closes_in() -> None:
    early, late = [0.0, 0.2, 0.8, 1.0], [*GRID, 0.39, 0.4, 0.41]
    chances = [of(seen(early), margin).chance for margin in (0.0, 0.02, 0.1, 10.0)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.5
    assert chances[-1] < 0.05
    assert of(seen(late)).chance < 0.05 < of(seen(early)).chance


def test_the_default_margin_is_a_hundredth_of_what_the_design_left() -> None:
    values = [-((x - 0.4) ** 2) for x in [0.0, 0.3, 0.8, 1.0, 0.4]]
    expected = 0.01 * (values[-1] - sorted(values[:4])[1])
    assert of(seen([0.0, 0.3, 0.8, 1.0, 0.4])).margin == pytest.approx(expected)


def test_it_repeats_itself_and_leaves_the_random_state() -> None:
    state = torch.random.get_rng_state()
    assert of(seen(GRID[:5])) == of(seen(GRID[:5]))
    assert torch.equal(state, torch.random.get_rng_state())


def test_nothing_is_said_before_the_end_of_the_design() -> None:
    assert math.isnan(of(seen(GRID), number=10).chance)


def test_nothing_is_left_of_a_table_that_is_exhausted() -> None:
    choices = [0.0, 0.25, 0.5, 0.75, 1.0]
    assert of(seen(choices, TABLE), space=TABLE).chance == 0.0
    assert of(seen([0.0, 0.25, 0.75, 1.0], TABLE), 0.0, TABLE).chance > 0.3


def test_what_violates_a_constraint_is_not_better() -> None:
    feasible = [0.6, 0.65, 0.7, 0.8, 0.9, 1.0]
    places = [0.0, 0.2, 0.4, 0.5, 0.57, 0.59, *feasible]
    assert of(seen(feasible), 0.02).chance > 0.8
    assert of(seen(places, slack=0.595), 0.02).chance < 0.1
    assert of(seen(places, slack=2.0)).chance == 1.0  # nothing is feasible yet


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_the_unit_of_the_outcomes_does_not_matter(scale: float) -> None:
    trials = seen([0.0, 0.2, 0.7, 0.8, 1.0])
    rows = [
        Trial(x, [scale * float(y)], (), 0.0)
        for x, y in zip(trials.X, trials.objectives, strict=True)
    ]
    scaled = of(Trials.gather(rows, [], (1, 1, 0)), 0.01 * scale).chance
    assert scaled == pytest.approx(of(trials, 0.01).chance, abs=0.01)


def test_the_order_alone_knows_no_margin() -> None:
    search = Search(0, read_settings(None, order_only=True), 4)
    trials = seen(GRID[:6])
    chances = {outlook(search, LINE, trials, margin).chance for margin in (0.1, 1.0)}
    assert len(chances) == 1


def front(places: list[float], limit: float | None = None) -> Trials:
    """Between 0.2 and 0.6 no point is better in both objectives; a limit is the largest place."""
    slack = (lambda x: [limit - x]) if limit is not None else (lambda x: [])
    rows = [
        Trial(LINE.encode({"x": x}), [-((x - 0.2) ** 2), -((x - 0.6) ** 2)], slack(x), 0.0)
        for x in places
    ]
    return Trials.gather(rows, [], (1, 2, int(limit is not None)))


def test_the_chance_of_a_larger_front_falls_with_the_margin_and_as_it_fills() -> None:
    early, late = [0.0, 0.2, 0.8, 1.0], [i / 20 for i in range(21)]
    chances = [of(front(early), margin).chance for margin in (0.0, 0.05, 0.2, 100.0)]
    assert chances == sorted(chances, reverse=True)
    assert 0.9 < chances[0] <= 1.0
    assert chances[-1] == 0.0
    assert of(front(late)).chance < 0.05 < of(front(early)).chance
    assert of(front(early)) == of(front(early), 0.01)
    assert str(of(front(late), 0.25)) == "0% chance of a front larger by 25%"
    assert math.isnan(of(front(early), number=5).chance)


def test_what_violates_a_constraint_enlarges_no_front() -> None:
    places = [0.0, 0.1, 0.15, 0.2, 0.225, 0.25, 0.275, 0.298, 0.302, 0.8, 1.0]
    assert of(front(places), 0.03).chance > 0.8
    assert of(front(places, limit=0.3), 0.03).chance < 0.1
    assert of(front(places, limit=-1.0)).chance == 1.0  # nothing is feasible yet


PLANE = Space.read({"x": (0.0, 1.0), "kind": ["a", "b"], "n": 3})


def reason(point: dict[str, object], trials: Trials, space: Space, number: int = 4) -> str:
    return why(Search(0, Settings(), number), space, trials, space.encode(point))


def test_a_suggestion_says_what_it_is_for() -> None:
    trials = seen([0.0, 0.2, 0.3, 0.52, 0.8, 1.0])  # the best is at 0.3, and 0.4 would be better
    assert reason({"x": 0.4}, trials, LINE).startswith("Improves on the best: ")
    assert reason({"x": 0.37}, trials, LINE).endswith("It differs in x (0.37, not 0.3).")
    assert reason({"x": 0.9}, trials, LINE).startswith("Looks where little is known: ")
    assert reason({"x": 0.3001}, trials, LINE).endswith("It is close to the best.")
    assert reason({"x": 0.2}, trials, LINE).startswith("Repeats a known point")
    assert "of 7." in reason({"x": 0.4}, trials, LINE)  # with itself
    assert reason({"x": 0.4}, trials, LINE, number=9) == "Part of the design."


def test_what_differs_most_comes_first() -> None:
    rows = [(x, kind) for x in (0.0, 0.3, 0.6, 0.9) for kind in "ab"]
    ended = [
        Trial(PLANE.encode({"x": x, "kind": kind}), [-((x - 0.3) ** 2) - (kind == "b")])
        for x, kind in rows
    ]
    trials = Trials.gather(ended, [], (2, 1, 0))
    text = reason({"x": 0.5, "kind": "b"}, trials, PLANE)
    assert text.endswith("It differs in kind (b, not a), x (0.5, not 0.3).")


def test_the_best_point_may_lie_beside_the_part_that_is_searched() -> None:
    points = [{"x": x, "kind": "a"} for x in (0.1, 0.4, 0.6, 0.9)]
    trials = Trials.gather([Trial(PLANE.encode(p), [-p["x"]]) for p in points], [], (2, 1, 0))
    text = reason({"x": 0.1, "kind": "b"}, trials, PLANE.at_places({"kind": 1.0}))
    assert text.endswith("It differs in kind (b, not a).")


def test_other_goals_have_sentences_of_their_own() -> None:
    places = [0.0, 0.2, 0.3, 0.8, 1.0]
    assert "satisfies all constraints" in reason({"x": 0.4}, seen(places, slack=2.0), LINE)
    assert "satisfies all constraints" in reason({"x": 0.4}, front(places, limit=-1.0), LINE)
    between, beyond = (reason({"x": x}, front(places), LINE) for x in (0.5, 0.95))
    text = r"Extends the front: (\d+)% likely to be a new trade-off\."
    [likely], [unlikely] = (re.findall(text, found) for found in (between, beyond))
    assert int(likely) > 50 > 10 > int(unlikely)
