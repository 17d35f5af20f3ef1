from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.run._failure import Failure, describe, texts
from botorch_popbo.benchmarks.settings import Setting


def test_what_is_unavailable_is_told_with_its_problems() -> None:
    def of(method: str, problem: str, seed: int, error: Exception) -> Failure:
        return describe(Setting(problem, method, 3, seed), 0, error)

    missing, ranges = ImportError("no peer"), UsageError("ranges only")
    found = texts(
        [
            *(of("a", problem, seed, missing) for problem in "pq" for seed in range(2)),
            of("b", "p", 0, ranges),
            of("c", "p", 0, ValueError("x")),
            of("c", "p", 1, ValueError("x")),
        ]
    )
    assert found == [
        "unavailable: a on p, q: no peer (install it, or leave the method out)",
        "unavailable: b on p: ranges only",
        "failed: c on p, seed 0, trial 0: ValueError: x (the same command tries it again)",
        "failed: c on p, seed 1, trial 0: ValueError: x (the same command tries it again)",
    ]
