from ax.core.parameter import ChoiceParameter, ParameterType, RangeParameter

from botorch_popbo.ax.analyses.axes import coordinates, labels, parameter_axis

RATE = RangeParameter("rate", ParameterType.FLOAT, 1e-12, 1.0, log_scale=True)
NARROW = RangeParameter("narrow", ParameterType.FLOAT, 0.2, 0.9, log_scale=True)
COUNT = RangeParameter("count", ParameterType.INT, 1, 8)
SIZE = ChoiceParameter("size", ParameterType.INT, [16, 32, 128], is_ordered=True)


def test_an_axis_spans_the_parameter() -> None:
    assert parameter_axis(COUNT)["range"] == [1.0, 8.0]
    assert parameter_axis(RATE)["range"] == [-12.0, 0.0]
    assert parameter_axis(RATE)["type"] == "log"


def test_powers_of_ten_are_few_and_a_narrow_range_keeps_its_digits() -> None:
    assert parameter_axis(RATE)["dtick"] == 3
    assert "dtick" not in parameter_axis(NARROW)


def test_choices_lie_at_their_positions() -> None:
    axis = parameter_axis(SIZE)
    assert axis["ticktext"] == ["16", "32", "128"]
    assert coordinates(SIZE, [128, 16]) == [axis["tickvals"][2], axis["tickvals"][0]]
    assert coordinates(COUNT, [3, 5]) == [3, 5]


def test_a_number_that_is_no_choice_lies_between_them_or_beyond() -> None:
    assert coordinates(SIZE, [24, 8, 500]) == [0.5, -1.0, 3.0]


def test_labels_are_short() -> None:
    assert labels([0.123456, 3, "adam", True]) == ["0.1235", "3", "adam", "True"]
