from botorch_popbo.benchmarks.errors import UsageError, unknown


def test_a_name_that_is_nearly_right_is_compared_with_those_like_it() -> None:
    error = unknown("problem", "brannin", ["branin", "hartmann6"])
    assert isinstance(error, UsageError)
    assert str(error) == "there is no problem 'brannin'; did you mean 'branin'?"


def test_any_other_is_answered_by_all_there_are() -> None:
    known = iter(["branin", "hartmann6"])  # read once
    text = str(unknown("problem", "zzz", known, ", and others"))
    assert text == "there is no problem 'zzz'; known: branin, hartmann6, and others"
