import pytest
from botorch_popbo.benchmarks.preferences import METHODS, main, regret


@pytest.mark.parametrize("method", METHODS)
def test_regret_is_reproducible_and_not_negative(method: str) -> None:
    found = [regret(method, num_questions=8, noise=0.2, seed=1) for _ in range(2)]
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    assert found[0] >= -1e-4  # the optimum is tabulated to five digits


def test_table_names_every_method(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--questions", "7", "--seeds", "2"])
    printed = capsys.readouterr().out
    assert printed.startswith("7 answers, noise 0.2, 2 seeds")
    assert all(f"\n{method} " in printed for method in METHODS)
