from botorch_popbo.benchmarks.suggestion_speed.table import table
from helpers.measurements import EXAMPLE, example


def test_ratios_are_to_the_gaussian_process_of_the_same_size() -> None:
    rows = [EXAMPLE, example("botorch-gp", 25, 3.0), example("popbo", 50)]
    titles, first, second, third = (line.split() for line in table(rows).splitlines())
    assert titles[-1] == "matrix"
    assert first == ["25", "popbo", "0.250", "0.500", "0.750", "0.250", "400", "40%"]
    assert second == ["25", "botorch-gp", "-", "-", "3.000", "1.000", "300", "-"]
    assert third == ["50", "popbo", "-", "-", "1.000", "-", "300", "-"]


def test_through_ax_the_gaussian_process_is_the_one_through_ax() -> None:
    rows = [
        example("botorch-gp", 25, 1.0),
        example("ax-gp-logei", 25, 8.0),
        example("ax-paper-eri", 25, 2.0),
    ]
    *_, last = (line.split() for line in table(rows).splitlines())
    assert last[1:6] == ["ax-paper-eri", "-", "-", "2.000", "0.250"]
