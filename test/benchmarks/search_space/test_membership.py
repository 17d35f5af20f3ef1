import numpy as np
import pytest
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

from botorch_popbo.benchmarks.search_space._membership import OutsideError, check_membership
from botorch_popbo.benchmarks.search_space.points import uniform_point

SPACE = [
    RangeParameterConfig(name="x", bounds=(-1.0, 2.0), parameter_type="float"),
    RangeParameterConfig(name="rate", bounds=(1e-5, 1.0), parameter_type="float", scaling="log"),
    RangeParameterConfig(name="n", bounds=(1, 9), parameter_type="int"),
    ChoiceParameterConfig(name="size", values=[1, 2], parameter_type="int", is_ordered=True),
    ChoiceParameterConfig(name="kind", values=["a", "b"], parameter_type="str"),
]
POINT = {"x": 0.5, "rate": 0.1, "n": 3, "size": 1, "kind": "a"}


def test_drawn_points_and_the_ends_are_inside() -> None:
    for trial in range(200):
        check_membership(SPACE, uniform_point(SPACE, "p", 0, trial))
    for x, rate, n in ((-1.0, 1e-5, 1), (2.0, 1.0, 9), (2, 1, 9)):
        check_membership(SPACE, {**POINT, "x": x, "rate": rate, "n": n})


def test_the_last_digits_do_not_count() -> None:
    near = {"x": float(np.nextafter(2.0, 3.0)), "rate": float(np.exp(np.log(1e-5) - 1e-12))}
    check_membership(SPACE, {**POINT, **near})
    with pytest.raises(OutsideError):
        check_membership(SPACE, {**POINT, "rate": 1e-5 * (1 - 1e-6)})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("x", 2.1, r"x = 2.1, which is outside \(-1.0, 2.0\)"),
        ("x", float("nan"), "outside"),
        ("x", "1", "is not a number but str"),
        ("x", True, "is not a number but bool"),
        ("n", 3.0, "is not a whole number but float"),
        ("n", np.int64(3), "is not a number but int64"),
        ("n", 10, "outside"),
        ("size", 1.0, r"is not one of \[1, 2\]"),
        ("size", True, r"is not one of \[1, 2\]"),
        ("kind", "c", r"kind = 'c', which is not one of \['a', 'b'\]"),
        ("z", 1.0, r"missing \[\], unknown \['z'\]"),
    ],
)
def test_a_point_outside_is_named(name: str, value: object, message: str) -> None:
    with pytest.raises(OutsideError, match=message):
        check_membership(SPACE, {**POINT, name: value})  # type: ignore[dict-item]


def test_a_missing_parameter_is_named() -> None:
    with pytest.raises(OutsideError, match=r"missing \['kind'\], unknown \[\]"):
        check_membership(SPACE, {k: v for k, v in POINT.items() if k != "kind"})
