"""Trials with numbers that are none of the ordered choices."""

from typing import Any

import pytest
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.core.observation import ObservationFeatures
from ax.exceptions.core import UserInputError
from helpers.service_loop import Parameter, floats, generator_keys, learned_ranks, popbo_client

from botorch_popbo.ax.transforms import OrderedLeafToIntegerRange


def ordered(values: list[Any]) -> Parameter:
    kind: Any = type(values[0]).__name__
    return ChoiceParameterConfig("k", values, kind, is_ordered=True)


STEPS = RangeParameterConfig("k", (0.0, 1.0), "float", step_size=0.1)


@pytest.mark.parametrize(
    ("k", "tried", "place"),
    [
        (ordered([1, 2, 4]), 3, 1.5),
        (ordered([1, 2, 4]), 9, 3.0),
        (ordered([2, 4, 8]), 1, -1.0),
        (ordered([0.1, 0.2, 0.4]), 0.35, 1.75),
        (STEPS, 0.25, 2.5),
        (STEPS, 0.3, 3.0),  # a sum of three steps is a little more
    ],
)
def test_a_trial_between_the_choices_is_learned_from_there(
    k: Parameter, tried: float, place: float
) -> None:
    client = popbo_client([k, *floats(1)], 2)
    client.complete_trial(client.attach_trial({"k": tried, "x0": 0.5}), {"loss": 0.0})
    for _ in range(4):
        [(index, point)] = client.get_next_trials(1).items()
        client.complete_trial(index, {"loss": 1.0 + float(point["x0"])})
    assert generator_keys(client)[2:] == ["popbo-logei"] * 3
    [best] = [point for point, rank in learned_ranks(client).items() if rank == 0]
    assert best == (pytest.approx(place, abs=1e-12), 0.5)
    own = client._experiment.search_space.parameters["k"]
    suggested: list[Any] = list(client._experiment.trials.values())[1:]
    assert all(own.validate(trial.arm.parameters["k"]) for trial in suggested)


def test_a_choice_without_a_meaning_has_no_place() -> None:
    kind = ChoiceParameterConfig("kind", ["a", "b"], "str", dependent_parameters={"a": ["k"]})
    client = popbo_client([kind, ordered([1, 2, 4]), *floats(1)], 2)
    points: list[dict[str, Any]] = [{"kind": "a", "k": 3}, {"kind": "b"}, {"kind": "a", "k": 4}]
    for index, point in enumerate(points):
        client.complete_trial(client.attach_trial(point | {"x0": 0.5}), {"loss": float(index)})
    assert client.get_next_trials(1)
    assert generator_keys(client)[-1] == "popbo-logei"


def test_a_text_that_is_none_of_the_choices_is_named() -> None:
    client = popbo_client([ordered(["low", "high"]), *floats(1)], 2)
    transform = OrderedLeafToIntegerRange(client._experiment.search_space)
    with pytest.raises(UserInputError, match=r"'k' is 'huge' in a trial.*\['low', 'high'\]"):
        transform.transform_observation_features([ObservationFeatures({"k": "huge"})])
