import pytest
import torch

from botorch_popbo.testing.base import Contract, each_case
from botorch_popbo.testing.checks import Tkwargs


class Noting(Contract):
    num_outputs = 2
    applies = True

    def __init__(self) -> None:
        self.seen: list[torch.dtype] = []

    @each_case("applies")
    def test_it(self, tkwargs: Tkwargs) -> None:
        """What it checks."""
        self.seen.append(tkwargs["dtype"])
        if tkwargs["dtype"] == torch.double and "fail" in vars(self):
            raise ValueError("at last")


def test_a_check_becomes_a_method_that_runs_in_each_dtype() -> None:
    noting = Noting()
    noting.test_it()
    assert set(noting.seen) == {torch.float32, torch.float64}
    assert (Noting.test_it.__name__, Noting.test_it.__doc__) == ("test_it", "What it checks.")
    noting.dtypes, noting.seen = (torch.double,), []
    noting.test_it()
    assert set(noting.seen) == {torch.double}


def test_without_its_flag_nothing_is_checked() -> None:
    noting = Noting()
    noting.applies = False
    noting.test_it()
    assert noting.seen == []


def test_a_failure_tells_its_case() -> None:
    noting = Noting()
    vars(noting)["fail"] = True
    with pytest.raises(ValueError, match="at last") as caught:
        noting.test_it()
    assert "dtype=torch.float64, device=cpu" in caught.value.__notes__[0]


def test_data_are_standardised_and_the_same_every_time() -> None:
    X, Y = Noting().make_data(dtype=torch.float64)
    assert X.shape == (10, 2)
    assert Y.shape == (10, 2)
    torch.testing.assert_close(Y.mean(0), torch.zeros(2).double())
    torch.testing.assert_close(Y.std(0), torch.ones(2).double())
    assert all(map(torch.equal, (X, Y), Noting().make_data(dtype=torch.float64)))
    names = Noting().make_dataset(dtype=torch.float64)
    assert (names.feature_names, names.outcome_names) == (["x0", "x1"], ["y0", "y1"])
