import pandas as pd

from botorch_popbo.benchmarks.experiments.suggestion_time._table import table

COLUMNS = ["method", "num_points", "trial", "fit", "acquisition", "total", "peak_mib", "matrix"]


def rows(*results: tuple[object, ...]) -> list[list[str]]:
    frame = pd.DataFrame(results, columns=COLUMNS)
    return [line.split() for line in table(frame).splitlines()[2:-1]]


def test_the_median_is_shown_beside_the_gaussian_process_of_the_same_size() -> None:
    assert rows(
        ("popbo", 25, 0, 9.0, 9.0, 18.0, 500.0, 0.1),
        ("popbo", 25, 1, 0.25, 0.5, 0.75, 400.0, 0.4),
        ("popbo", 25, 2, 0.1, 0.1, 0.2, 450.0, 0.9),
        ("botorch-gp", 25, 0, None, None, 3.0, 300.0, None),
        ("popbo", 50, 0, None, None, 1.0, 300.0, None),
    ) == [
        ["25", "popbo", "0.250", "0.500", "0.750", "0.250", "400", "40%"],
        ["25", "botorch-gp", "-", "-", "3.000", "1.000", "300", "-"],
        ["50", "popbo", "-", "-", "1.000", "-", "300", "-"],
    ]


def test_through_ax_the_gaussian_process_is_the_one_through_ax() -> None:
    *_, last = rows(
        *(
            (method, 25, 0, None, None, total, 300.0, None)
            for method, total in (("botorch-gp", 1.0), ("ax-gp-logei", 8.0), ("ax-paper-eri", 2.0))
        )
    )
    assert last[1:6] == ["ax-paper-eri", "-", "-", "2.000", "0.250"]
