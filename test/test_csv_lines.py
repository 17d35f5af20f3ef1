import pytest

from botorch_popbo._csv_lines import split_lines


def test_spaces_and_lines_without_a_value_are_left_out() -> None:
    lines = ["\n", "rate , kernel\n", ",,\n", '0.5 ,"a, b" ,\n', " \n", "1\n", ",,,\n"]
    assert split_lines(lines) == {2: ["rate", "kernel"], 4: ["0.5", "a, b", ""], 6: ["1"]}


def test_a_quotation_may_have_several_lines() -> None:
    lines = ["rate,note\n", '1,"two\n', 'lines"\n', "2,x"]
    assert split_lines(lines) == {1: ["rate", "note"], 3: ["1", "two\nlines"], 4: ["2", "x"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("\n,,\n", "it is empty"),
        ('rate,loss\n1,"2\n3,4\n', "a quotation mark has no second one"),
        ("rate;loss\n1;2\n", "';' between values"),
        ("rate\tloss\n1\t2\n", "'\\\\t' between values"),
        ("rate,loss\n\n1,2,,3\n", "line 3 has more values"),
    ],
)
def test_what_is_no_table_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        split_lines(text.splitlines(keepends=True))
