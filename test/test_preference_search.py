import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError

from botorch_popbo import PreferenceSearch

BOUNDS = torch.tensor([[-5.0, 0.0, 10.0], [5.0, 1.0, 30.0]], dtype=torch.float64)
OPTIMUM = torch.tensor([1.0, 0.3, 16.0], dtype=torch.float64)
MIXED: dict[str, Any] = {
    "sugar": (0.0, 10.0),
    "cups": (1, 4),
    "size": [200, 300, 500],
    "milk": ["none", "oat", "cow"],
}


def utility(X: torch.Tensor) -> torch.Tensor:
    return -((X - OPTIMUM) / (BOUNDS[1] - BOUNDS[0])).square().sum(-1)


def run(num_questions: int, **options: Any) -> PreferenceSearch:
    search = PreferenceSearch(BOUNDS, **options)
    for _ in range(num_questions):
        items = search.ask()
        assert ((items >= BOUNDS[0]) & (items <= BOUNDS[1])).all()
        search.tell(items, int(utility(items).argmax()))
    return search


@pytest.mark.parametrize("num_items", [2, 4])
def test_choices_alone_lead_to_the_optimum(num_items: int) -> None:
    search = run(24, num_items=num_items)
    random = search.space.draw(24 * num_items, seed=0)
    assert search.num_answers == 24
    assert search.X.shape == (24 * num_items, 3)
    assert utility(search.best.x) > 0.5 * utility(random).max()  # half of the best loss


def test_columns_may_be_of_every_kind() -> None:
    search = PreferenceSearch(MIXED, num_items=3)
    for _ in range(16):
        items = search.ask()
        assert len({*map(repr, items)}) == 3
        liking = [
            (t["milk"] == "oat") + (t["size"] == 500) - abs(t["sugar"] - 4) / 5 for t in items
        ]
        search.tell(items, liking.index(max(liking)))
    best = search.best.parameters
    assert (best["milk"], best["size"]) == ("oat", 500)


@pytest.mark.parametrize(("shift", "width"), [(1_700_000_000.0, 60.0), (1_000_000_000, 10)])
def test_a_range_may_be_far_from_zero(shift: float, width: float) -> None:
    asked = []
    for low in (type(shift)(0), shift):
        search = PreferenceSearch({"x": (low, low + width)}, seed=0)
        for _ in range(12):
            items = search.ask()
            far = [abs(item["x"] - low - 7) for item in items]
            search.tell(items, far.index(min(far)))
        asked.append(search.X - low)
    assert torch.allclose(*asked, rtol=0.0, atol=1e-5)
    assert abs(search.best.parameters["x"] - low - 7) < 2


def test_a_space_may_have_no_other_points() -> None:
    search = PreferenceSearch({"milk": ["a", "b", "c"]}, num_items=3, num_initial=1)
    for _ in range(3):
        items = search.ask()
        milks = [item["milk"] for item in items]
        assert sorted(milks) == ["a", "b", "c"]
        search.tell(items, milks.index("c"))
    assert search.best.parameters == {"milk": "c"}


def test_one_seed_and_the_same_answers_ask_the_same_questions() -> None:
    torch.manual_seed(0)
    first = run(9)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    again = run(9)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(first.X, again.X)
    assert torch.equal(first.ask(), again.ask())
    assert not torch.equal(first.X, run(9, seed=1).X)


def test_first_the_winner_stays_on() -> None:
    search = PreferenceSearch(BOUNDS, num_initial=4)
    for _ in range(4):
        items = search.ask()
        search.tell(items, 1)
        assert torch.equal(search.best.x, items[1])
        assert torch.equal(search.ask()[0], items[1])
    assert len(search.X.unique(dim=0)) == 5


def test_a_saved_search_goes_on_in_another_process(tmp_path: Path) -> None:
    search, paths, questions = PreferenceSearch(MIXED, seed=5), [], []
    for number in range(9):
        if number in (3, 8):  # within the tournament and behind it
            paths.append(tmp_path / f"{number}.json")
            search.save(paths[-1])
            questions.append(search.ask())
        search.tell(search.ask(), (0, 1, None)[number % 3])
    code = (
        "import json, sys; from botorch_popbo import PreferenceSearch; "
        "load = PreferenceSearch.load; "
        "print(json.dumps([load(path).ask() for path in sys.argv[1:]]))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code, *map(str, paths)], capture_output=True, check=True, text=True
    )
    assert json.loads(printed.stdout.splitlines()[-1]) == questions
    again = tmp_path / "again.json"
    PreferenceSearch.load(paths[-1]).save(again)
    assert again.read_text() == paths[-1].read_text()


def test_a_step_may_be_told_as_it_is_written() -> None:
    asked = []
    for step in (0.3, 3 * 0.1):
        search = PreferenceSearch({"x": {"range": (0.0, 1.0), "step": 0.1}})
        search.tell(torch.tensor([[step], [0.5]]).double(), 0)
        asked.append(search.ask())
    assert asked[0] == asked[1]


def test_what_becomes_of_a_question_later_changes_nothing() -> None:
    search = PreferenceSearch(BOUNDS)
    items = search.ask()
    expected = items.clone()
    items.zero_()
    assert torch.equal(search.ask(), expected)
    shown = expected.clone()
    search.tell(shown, 1)
    shown.zero_()
    assert torch.equal(search.X, expected)


@pytest.mark.parametrize("num_answers", [1, 8])
def test_an_answer_may_be_taken_back(num_answers: int) -> None:
    search = run(num_answers)
    question, best = search.ask(), search.best.x
    search.tell(question, 1)
    search.undo()
    assert search.num_answers == num_answers
    assert torch.equal(search.ask(), question)
    assert torch.equal(search.best.x, best)
    for _ in range(num_answers):
        search.undo()
    with pytest.raises(InputDataError, match="nothing to undo"):
        search.undo()


def test_a_tie_and_a_choice_of_three_are_an_order() -> None:
    search = PreferenceSearch(BOUNDS, num_initial=1)
    items = search.space.draw(3, seed=0)
    search.tell(items, 1)
    search.tell(items[[0, 2]], None)
    utility = search.model.posterior(items).mean.flatten()
    assert utility.argmax() == 1
    assert abs(utility[0] - utility[2]) < 0.2 * (utility[1] - utility[2])


ANSWER = {
    "items": [[0.5, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]],
    "better": [[0, 1]],
    "equal": [],
    "judge": "",
}


def test_an_editor_may_mark_the_byte_order_of_a_file(tmp_path: Path) -> None:
    search = PreferenceSearch(MIXED)
    search.save(path := tmp_path / "search.json")
    path.write_text(path.read_text().replace("\n", "\r\n"), encoding="utf-8-sig")
    assert PreferenceSearch.load(path).ask() == search.ask()


@pytest.mark.parametrize(
    "changed",
    [
        None,
        {"format": 2},
        {"space": {"x": {"lo": [1]}}},
        {"answers": [{"items": [[0.0, 1.0]], "better": [], "equal": [], "judge": ""}]},
        {"answers": [ANSWER | {"items": [[0.5, 9.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]}]},
        {"answers": [ANSWER | {"items": []}]},
        {"answers": [ANSWER | {"better": [[0, 2]]}]},
        {"answers": [ANSWER | {"judge": 3}]},
    ],
)
def test_a_file_of_something_else_is_named(tmp_path: Path, changed: dict[str, Any] | None) -> None:
    path = tmp_path / "search.json"
    PreferenceSearch(MIXED).save(path)
    path.write_text("" if changed is None else json.dumps(json.loads(path.read_text()) | changed))
    with pytest.raises(InputDataError, match=r"search.json is not a saved PreferenceSearch"):
        PreferenceSearch.load(path)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"worst": 1}, [2, 0, 3]),
        ({"ranking": [3, 1]}, [3, 1]),
        ({"ratings": [1, 5.0, 3, 5.0]}, [1, 2, 0]),
    ],
)
def test_an_answer_may_be_said_in_other_ways(said: dict[str, Any], expected: list[int]) -> None:
    search = PreferenceSearch(BOUNDS, num_initial=1)
    items = search.space.draw(4, seed=0)
    for _ in range(3):
        search.tell(items, **said)
    utility = search.model.posterior(items).mean.flatten().tolist()
    order = sorted(range(4), key=lambda row: -utility[row])
    if "worst" in said:
        assert order[-1] == said["worst"]
        assert len({*search.answers[0].better}) == 3
    else:
        assert [row for row in order if row in expected] == expected


def test_what_says_nothing_is_followed_by_another_question() -> None:
    search = PreferenceSearch(BOUNDS, num_initial=2)
    first = search.ask()
    search.tell(first, ranking=[])
    assert not torch.equal(search.ask(), first)
    with pytest.raises(InputDataError, match="nothing to learn"):
        search.model  # noqa: B018
    for _ in range(3):
        search.tell(search.ask(), 1)
    champion, shown = search.best.x, search.ask()
    search.tell(shown, ranking=[])
    assert torch.equal(search.best.x, champion)
    assert not torch.equal(search.ask()[1], shown[1])


def test_the_best_comes_with_how_sure_it_is() -> None:
    search = run(3, num_initial=2)
    few, ranking = search.best, search.ranking
    assert few.parameters == search.space.decode(few.x)
    assert [one.utility for one in ranking] == sorted((r.utility for r in ranking), reverse=True)
    assert few.chance < 0.2  # of three answers, while most of the space is unseen
    assert run(40, num_initial=2).best.chance > 0.4


def test_a_small_space_is_asked_about_until_the_champion_has_met_all() -> None:
    search, pairs = PreferenceSearch({"cup": ["a", "b", "c", "d"]}), []
    while not search.is_complete:
        items = search.ask()
        pairs.append(frozenset(item["cup"] for item in items))
        search.tell(items, max((0, 1), key=lambda place: items[place]["cup"]))
    assert len({*pairs}) == len(pairs) <= 6
    assert search.best.parameters == {"cup": "d"}
    search.tell(search.ask(), 0)  # again, as nothing else is left


def test_each_judge_takes_back_their_own_answer() -> None:
    search = PreferenceSearch({"cup": ["a", "b", "c"]})
    for judge in ("ann", "bob"):
        search.tell([{"cup": "a"}, {"cup": "b"}], 0, judge=judge)
    assert repr(search) == "<PreferenceSearch of cup: 2 answers>"
    search.undo("ann")
    assert [answer.judge for answer in search.answers] == ["bob"]
    with pytest.raises(InputDataError, match="nothing to undo"):
        search.undo("ann")
    with pytest.raises(InputDataError, match="at least two items, not 1"):
        search.tell([{"cup": "a"}], winner=0)
    with pytest.raises(InputDataError, match="not points of the space"):
        search.tell([{"cup": "a"}, {"mug": "b"}], 0)
    assert search.interview.agreement == {"bob": (1, 1)}


def test_a_judge_who_errs_more_is_believed_less() -> None:
    def foreseen(names: str, seed: int) -> float:
        """Rank correlation of predicted and true utilities; the second judge guesses."""
        search = PreferenceSearch(BOUNDS, num_initial=1)
        generator = torch.Generator().manual_seed(seed)
        for number, pair in enumerate(search.space.draw(80, seed).view(40, 2, 3)):
            winner = int(utility(pair).argmax())
            if number % 2:
                winner = int(torch.randint(2, (1,), generator=generator))
            search.tell(pair, winner, judge=names[number % 2])
        X = search.space.draw(64, seed=5)
        values = torch.stack([search.model.posterior(X).mean.flatten(), utility(X)])
        return float(torch.corrcoef(values.argsort().argsort().double())[0, 1])

    gains = [foreseen("ab", seed) - foreseen("aa", seed) for seed in range(3)]
    assert sum(gains) > 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"space": BOUNDS.tolist()}, "The space must be a dictionary such as"),
        ({"space": BOUNDS.flip(0)}, "the lower one first"),
        ({"num_initial": 0}, "num_initial must be a whole number of at least 1"),
        ({"num_items": 1}, "num_items must be a whole number of at least 2"),
        ({"space": {"n": (1, 3)}, "num_items": 4}, "at most 3, the number of different points"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputDataError, match=message):
        PreferenceSearch(**({"space": BOUNDS} | options))


PAIR = [[0.0, 0.0], [1.0, 0.5]]


@pytest.mark.parametrize(
    ("items", "said", "message"),
    [
        (PAIR, {"winner": 2}, "0 to 1, each once"),
        (PAIR, {"worst": 2}, "worst must name rows of items, 0 to 1, each once"),
        (PAIR, {"ranking": [0, 0]}, "ranking must name rows of items"),
        (PAIR, {"ratings": [1.0]}, "a number for each of the 2 items"),
        (PAIR, {"ratings": 1.0}, "a number for each of the 2 items, not 1.0"),
        (PAIR, {"ranking": 1}, "ranking must name rows of items, .* but got 1"),
        (PAIR, {"ratings": [1.0, float("nan")]}, "a number for each of the 2 items"),
        (PAIR, {"worst": 1, "winner": None}, "one of winner, worst, ranking and ratings"),
        (PAIR, {}, "winner=None if none is better"),
        (PAIR, {"winner": 0, "judge": 3}, "judge must be a text"),
        ([PAIR[0]] * 2, {"winner": 0}, "different points"),
        (PAIR[0], {"winner": 0}, "m x d"),
        (None, {"winner": 0}, r"must be a tensor.*: torch\.as_tensor\(items\)"),
        ([PAIR[0], [0.0, 2.0]], {"winner": 0}, "size holds numbers from 0 to 1"),
        ([PAIR[0], [3.0, 0.0]], {"winner": 0}, "milk holds whole numbers from 0 to 2"),
        ([PAIR[0], [0.5, 0.0]], {"winner": 0}, "milk holds whole numbers from 0 to 2"),
    ],
)
def test_what_is_no_answer_is_refused(items: Any, said: dict[str, Any], message: str) -> None:
    search = PreferenceSearch({"milk": ["a", "b", "c"], "size": (0.0, 1.0)})
    with pytest.raises((InputDataError, BotorchTensorDimensionError), match=message):
        search.tell(PAIR if items is None else torch.tensor(items), **said)
    assert search.num_answers == 0
    with pytest.raises(InputDataError, match="No question has been answered"):
        search.best  # noqa: B018
