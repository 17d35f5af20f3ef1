from botorch_popbo.benchmarks.report._text import aligned


def test_columns_are_aligned_whatever_the_titles() -> None:
    heading, *blocks = [("method", "value")], [("a long title",), ("x", "1.5")], [("yy", "10.25")]
    assert list(aligned(heading, *blocks, right_from=1)) == [
        "method  value",
        "------  -----",
        "a long title",
        "x         1.5",
        "------  -----",
        "yy      10.25",
    ]
