import pytest

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.problems.coco_names import SUITES, CocoName, expand, parse


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bbob-f15-d5-i2", CocoName("bbob", 15, 5, 2)),
        ("bbob-noisy-f101-d20", CocoName("bbob-noisy", 101, 20, None)),
        ("bbob-mixint-d10-i7", CocoName("bbob-mixint", None, 10, 7)),
    ],
)
def test_a_name_says_what_it_means_and_back(name: str, expected: CocoName) -> None:
    found = parse(name)
    assert found == expected
    assert str(found) == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bbob-f25-d5", "bbob has functions 1 to 24"),
        ("bbob-noisy-f1-d5", "bbob-noisy has functions 101 to 130"),
        ("bbob-f1-d5-i0", "counted from 1"),
        ("bbob-biobj-f1-d5", "no suite 'bbob-biobj'; known: bbob, bbob-noisy"),
    ],
)
def test_what_coco_lacks_is_named(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        expand(name)


def test_without_a_function_a_name_stands_for_all() -> None:
    for other in ("branin", "bbob", "bbob-f1", "bbob-f1-d5-s3"):
        assert expand(other) == (other,)
    assert expand("bbob-d5") == tuple(f"bbob-f{n}-d5" for n in range(1, 25))
    assert expand("bbob-noisy-d2-i3")[-1] == "bbob-noisy-f130-d2-i3"
    assert {len(expand(f"{name}-d5")) for name in SUITES} == {24, 30, 54}
