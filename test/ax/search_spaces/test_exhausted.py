import pytest
from ax.exceptions.core import SearchSpaceExhausted
from helpers.search_spaces import Space, assert_distinct, choice, ranged, start
from helpers.service_loop import generator_keys, run_trials

from botorch_popbo.presets import PresetName

SPACES = {
    "choices": Space(
        [choice("u", ["a", "b", "c"]), choice("v", [1, 2, 4], is_ordered=True)],
        lambda p: (p["u"] != "b") + abs(p["v"] - 2),
    ),
    "integers": Space(
        [ranged("m", 1, 3, "int"), ranged("n", -1, 1, "int")],
        lambda p: abs(p["m"] - 2) + abs(p["n"]),
    ),
    "choice, bool and integer": Space(
        [choice("flag", [True, False]), ranged("n", 1, 2, "int"), choice("u", ["a", "b"])],
        lambda p: p["flag"] + p["n"] + (p["u"] == "a"),
    ),
}
SIZES = {"choices": 9, "integers": 9, "choice, bool and integer": 8}
EACH_SPACE = pytest.mark.parametrize("name", SPACES)
EACH_PRESET = pytest.mark.parametrize("preset", ["default", "paper"])


@EACH_SPACE
@EACH_PRESET
def test_every_point_is_suggested_once_before_the_space_is_exhausted(
    name: str, preset: PresetName
) -> None:
    client = start(SPACES[name], preset, num_initial=3)
    points = run_trials(client, SPACES[name].loss, SIZES[name])
    assert_distinct(points)
    assert all(str(key).startswith("popbo") for key in generator_keys(client)[3:])
    with pytest.raises(SearchSpaceExhausted):
        client.get_next_trials(max_trials=1)


@EACH_SPACE
@EACH_PRESET
def test_failed_and_pending_trials_count_as_suggested(name: str, preset: PresetName) -> None:
    space = SPACES[name]
    client = start(space, preset, num_initial=3)
    points = run_trials(client, space.loss, 3)
    failed = client.get_next_trials(max_trials=1)
    client.mark_trial_failed(next(iter(failed)))
    pending = client.get_next_trials(max_trials=SIZES[name] - 6)
    points += [*failed.values(), *pending.values()]
    points += run_trials(client, space.loss, 2)
    assert len(points) == SIZES[name]
    assert_distinct(points)
    with pytest.raises(SearchSpaceExhausted):
        client.get_next_trials(max_trials=1)
    for index, point in pending.items():
        client.complete_trial(index, raw_data={"loss": space.loss(point)})
    with pytest.raises(SearchSpaceExhausted):
        client.get_next_trials(max_trials=1)


def test_trials_of_one_call_stop_at_the_last_point() -> None:
    space = SPACES["choices"]
    client = start(space, num_initial=3)
    points = run_trials(client, space.loss, 7)
    points += list(client.get_next_trials(max_trials=2).values())
    assert_distinct(points)
