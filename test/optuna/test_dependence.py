from botorch_popbo.optuna._dependence import find_dependents

SVM, TREE = 0.0, 1.0
LISTED = {"kind": [SVM, TREE], "layers": [1.0, 2.0, 3.0]}


def test_what_a_category_decides_is_found() -> None:
    rows = [{"kind": SVM, "C": 0.1}, {"kind": TREE, "depth": 3.0}] * 2
    assert find_dependents(rows, LISTED) == {"kind": {SVM: ["C"], TREE: ["depth"]}}


def test_so_is_what_a_number_decides_and_a_value_never_tried_asks_for_all() -> None:
    rows = [{"layers": 1.0}, {"layers": 2.0, "width": 8.0}] * 2
    assert find_dependents(rows, LISTED) == {"layers": {2.0: ["width"], 3.0: ["width"]}}


def test_dependents_have_dependents() -> None:
    rows = [
        {"kind": SVM},
        {"kind": TREE, "layers": 1.0},
        {"kind": TREE, "layers": 2.0, "width": 8.0},
    ] * 2
    found = find_dependents(rows, LISTED)
    assert found["kind"][TREE] == ["layers"]
    assert found["layers"] == {2.0: ["width"], 3.0: ["width"]}


def test_nothing_is_concluded_from_a_contradiction_or_from_values_tried_once() -> None:
    contradicting = [{"kind": SVM, "C": 0.1}, {"kind": SVM}, {"kind": TREE}] * 2
    assert find_dependents(contradicting, LISTED) == {}
    once = [{"layers": 1.0}, {"layers": 2.0, "width": 8.0}]
    assert find_dependents(once, LISTED) == {}


def test_two_that_are_asked_for_together_do_not_depend_on_each_other() -> None:
    rows = [{"a": 0.0, "b": 1.0}, {}] * 2
    assert find_dependents(rows, {"a": [0.0], "b": [1.0]}) == {}
