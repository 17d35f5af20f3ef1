import json
import math
from typing import Any

import pytest
import torch
from optuna import create_trial
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState

from botorch_popbo.optuna._space import Space, all_parameters

KIND = CategoricalDistribution(["svm", "tree"])
SPACE: dict[str, BaseDistribution] = {
    "C": FloatDistribution(1e-3, 10.0, log=True),
    "depth": IntDistribution(1, 8),
    "kind": KIND,
    "seed": IntDistribution(0, 10**6),
}
SVM = {"kind": "svm", "C": 0.1, "seed": 7}
TREE = {"kind": "tree", "depth": 3, "seed": 8}


def trial(**params: object) -> FrozenTrial:
    return create_trial(params=params, distributions={n: SPACE[n] for n in params}, value=0.0)


TRIALS = [trial(**SVM), trial(**TREE)] * 2


@pytest.fixture
def space() -> Space:
    return Space(SPACE, TRIALS)


def test_the_last_range_counts_and_one_value_is_no_parameter() -> None:
    wide = create_trial(
        params={"depth": 9, "one": 1},
        distributions={"depth": IntDistribution(1, 9), "one": IntDistribution(1, 1)},
        value=0.0,
    )
    assert all_parameters([*TRIALS, wide]) == SPACE | {"depth": IntDistribution(1, 9)}
    assert list(all_parameters([wide, *TRIALS])) == ["C", "depth", "kind", "seed"]


def test_parameters_become_a_point_and_come_back(space: Space) -> None:
    x = space.point(SVM)
    assert x is not None
    assert space.parameters(x) == pytest.approx({**SVM, "depth": 5})


def test_what_has_no_meaning_tells_no_points_apart(space: Space) -> None:
    first, second = space.point({**SVM, "depth": 1}), space.point({**SVM, "depth": 8})
    other = space.point({**TREE, "depth": 8})
    assert first is not None
    assert second is not None
    assert other is not None
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_a_point_lacks_nothing_that_all_trials_have(space: Space) -> None:
    assert space.point({"kind": "svm"}) is None


def test_the_domain_tells_ranges_lists_and_categories(space: Space) -> None:
    domain = space.domain
    assert set(domain.choices) == {1, 2}
    assert domain.categorical == [2]
    assert domain.inactive is not None
    assert domain.snap(torch.tensor([[0.1, 2.0, 1.0, 6.7]])).tolist() == [
        [pytest.approx(0.1), 2.0, 1.0, 7.0]
    ]


def test_points_are_drawn_in_the_space_and_encoded_in_the_cube(space: Space) -> None:
    drawn = space.draw(50, seed=0)
    low, high = space.domain.bounds
    assert torch.equal(drawn.clamp(low, high), drawn)
    assert torch.equal(space.domain.snap(drawn), drawn)
    assert torch.equal(space.draw(20, seed=0), drawn[:20])
    encoded = space.input_transform()(drawn)
    assert encoded.shape == (50, 5)
    assert encoded.min() >= 0.0
    assert encoded.max() <= 1.0


def test_failures_do_not_tell_what_is_asked_for() -> None:
    broken = create_trial(
        state=TrialState.FAIL, params={"kind": "svm"}, distributions={"kind": KIND}
    )
    assert Space(SPACE, [*TRIALS, broken]).point({"kind": "svm"}) is None


@pytest.mark.parametrize(
    ("name", "value", "distribution"),
    [
        ("C", 0.0, FloatDistribution(0.0, 10.0)),
        ("kind", "forest", CategoricalDistribution(["forest", "svm"])),
    ],
)
def test_added_trials_of_other_distributions_are_nowhere(
    name: str, value: float | str, distribution: BaseDistribution
) -> None:
    params = {**SVM, name: value}
    added = create_trial(
        params=params, distributions={n: SPACE[n] for n in SVM} | {name: distribution}, value=0.0
    )
    space = Space(SPACE, [added, *TRIALS])
    assert space.point(params) is None
    assert space.key == Space(SPACE, TRIALS).key


def test_a_trial_without_parameters_is_nowhere_and_shows_nothing() -> None:
    space = Space(SPACE, [create_trial(value=0.0), *TRIALS])
    assert space.point({}) is None
    assert space.point({"C": 0.1, "depth": 3, "kind": "svm"}) is None
    assert space.key == Space(SPACE, TRIALS).key


def test_what_is_infinite_is_nowhere() -> None:
    assert Space(SPACE, []).point({**SVM, **TREE, "depth": math.inf}) is None


def without_depth(kind: str, told: dict[str, float]) -> FrozenTrial:
    text = json.dumps({"kind": float(kind == "tree"), **told})
    return create_trial(
        params={"kind": kind},
        distributions={"kind": KIND},
        system_attrs={"popbo:point:0": text},
        value=0.0,
    )


def test_a_trial_that_did_not_ask_for_what_was_suggested_would_not_again() -> None:
    space: dict[str, Any] = {name: SPACE[name] for name in ("depth", "kind")}
    old, new = without_depth("svm", {}), without_depth("tree", {"depth": 2.0})
    other = create_trial(params={"kind": "svm", "depth": 4}, distributions=space, value=0.0)
    found = Space(space, [old, new, other])
    # Of the first trial nobody knows: perhaps depths came later.
    shallow, deep = (found.point({"kind": "svm", "depth": depth}) for depth in (1, 8))
    assert not torch.equal(shallow, deep)
    shallow, deep = (found.point({"kind": "tree", "depth": depth}) for depth in (1, 8))
    assert torch.equal(shallow, deep)
    assert found.parameters(deep) == {"kind": "tree", "depth": 2}
    assert found.domain.inactive is not None
    assert found.domain.inactive(found.draw(8, seed=0)).unique(dim=0).tolist() == (
        found.draw(8, seed=0).unique(dim=0).tolist()
    )
