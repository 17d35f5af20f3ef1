"""Time of ranking and of the likelihood: ``python -m botorch_popbo.benchmarks.speed``."""

import resource
from collections.abc import Callable
from time import perf_counter

import torch

from botorch_popbo.benchmarks.threads import one_thread
from botorch_popbo.likelihoods import truncated_poisson
from botorch_popbo.rank_counts import from_outcomes

_REPEATS = 5


def ranking(num_points: int) -> Callable[[], object]:
    """Prepare ranking ``num_points`` outcomes of two-dimensional points."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 2, generator=generator, dtype=torch.float64)
    Y = torch.rand(num_points, 1, generator=generator, dtype=torch.float64)
    return lambda: from_outcomes(X, Y)


def likelihood(num_records: int, exposure: float) -> Callable[[], None]:
    """Prepare value and gradient of ``num_records`` log-probabilities at well-fitted rates."""
    generator = torch.Generator().manual_seed(0)
    longest = min(exposure, 999.0)
    counts = torch.randint(int(longest) + 1, (num_records,), generator=generator).double()
    log_rate = (counts + 0.5).log().requires_grad_()
    limit = torch.tensor(exposure, dtype=torch.float64)

    def run() -> None:
        log_rate.grad = None
        truncated_poisson.log_prob(counts, log_rate, limit).sum().backward()

    return run


def _median_seconds(task: Callable[[], object]) -> float:
    task()  # the first call allocates
    seconds = []
    for _ in range(_REPEATS):
        start = perf_counter()
        task()
        seconds.append(perf_counter() - start)
    return sorted(seconds)[_REPEATS // 2]


def main() -> None:
    """Print the median seconds of each task and the peak memory of the process."""
    tasks = {
        "rank 10^5 outcomes": ranking(10**5),
        "rank 10^6 outcomes": ranking(10**6),
        "likelihood and gradient, 10^5 records, untruncated": likelihood(10**5, torch.inf),
        "likelihood and gradient, 10^5 records, of 999": likelihood(10**5, 999.0),
    }
    with one_thread():
        for name, task in tasks.items():
            print(f"{name:<52} {_median_seconds(task):.3f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB")


if __name__ == "__main__":
    main()
