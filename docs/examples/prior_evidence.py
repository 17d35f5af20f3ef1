"""Empirical Bayes for the priors of :class:`~botorch_popbo.RankingGP`.

``python docs/examples/prior_evidence.py RUNS.json --rounds 3`` searches COCO's functions (instances
1 to 3, five columns, 40 evaluations) once, which goes to the file. Then it finds the means and
deviations of the normal priors that maximize the summed evidence of what the searches had seen
after 20 and after 40 evaluations: by Laplace's method the posterior of each run's hyperparameters,
then their mean and spread, in turn.
"""

import argparse
import json
import math
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from joblib import Parallel, delayed
from torch import Tensor

from botorch_popbo import RankingGP, minimize
from botorch_popbo.models.evidence import Evidence, Sample
from botorch_popbo.models.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models.records import Records
from botorch_popbo.settings import ModelSettings

Run = tuple[list[list[float]], list[float]]
#: Mean and deviation of a normal law of a raw parameter or its logarithm, by its name.
Laws = dict[str, tuple[float, float]]
FIRST: Laws = {
    "lengthscale": (math.log(0.7), 0.7),  # of the logarithm, per root of the number of columns
    "roughness": (-2.0, 1.5),
    "fineness": (math.log(0.2), 0.5),
    "noise": (-6.0, 2.0),
    "slope 0": (0.7, 1.0),
    "slope 1": (0.0, 1.0),
    "slope 2": (0.0, 0.3),
    "concentration": (2.0, 1.5),
}


def names() -> Iterator[str]:
    """Problems of the corpus; no suite of the guard or of the results has these instances."""
    for function in range(1, 25):
        for instance in (1, 2, 3):
            yield f"bbob-f{function}-d5-i{instance}"


def searched(name: str) -> Run:
    """Points in the unit cube, and outcomes, of a search by the default."""
    torch.set_num_threads(1)
    from botorch_popbo.benchmarks.problems import PROBLEMS  # a worker cannot be sent it

    problem = PROBLEMS[name].load(None)
    sign, points, outcomes = (1.0 if problem.minimize else -1.0), [], []

    def loss(**point: float) -> float:
        points.append(problem.space.to_unit(problem.space.encode(point)).tolist())
        outcomes.append(-sign * problem.score(point))
        return -outcomes[-1]

    ranges = {name: (one.low, one.high) for name, one in problem.space.parameters.items()}
    minimize(loss, ranges, 40, seed=0, progress=False)
    return points, outcomes


def curvature(evidence: Evidence, centre: Tensor) -> Tensor:
    """Minus the second derivative of evidence times prior, at least that of the prior."""
    limits, rows = evidence.hyperparameters.limits, []
    for i in range(len(centre)):
        step = torch.zeros_like(centre)
        step[i] = 0.1
        ahead, behind = ((centre + side * step).clamp(*limits) for side in (1.0, -1.0))
        first, second = (evidence.value_and_gradient(at)[2] for at in (behind, ahead))
        rows.append((first - second) / (ahead[i] - behind[i]).clamp_min(1e-6))
    matrix = torch.stack(rows)
    values, vectors = torch.linalg.eigh(0.5 * (matrix + matrix.T))
    return vectors * values.clamp_min(1.0) @ vectors.T


def settings_of(laws: Laws) -> ModelSettings:
    """The model's settings with these laws; those of the slope are no settings."""
    settings = ModelSettings()
    location, deviation = laws["lengthscale"]
    settings = replace(settings, lengthscale=math.exp(location), lengthscale_deviation=deviation)
    rest = {name: laws[name] for name in ("roughness", "fineness", "noise", "concentration")}
    return replace(settings, **rest)


def posterior_of(run: Run, number: int, laws: Laws) -> tuple[float, list[tuple[str, float, float]]]:
    """Log-evidence of a run's first evaluations, and each parameter's mean and variance."""
    torch.set_num_threads(1)
    X, Y = (torch.tensor(values, dtype=torch.double)[:number] for values in run)
    settings = settings_of(laws)
    model = RankingGP(X, Y.unsqueeze(-1), input_transform=None, settings=settings)
    assert model.warp is not None
    slopes = [laws[f"slope {i}"] for i in range(3)]
    prior = model.warp.slope_prior
    prior.loc.copy_(torch.tensor([loc for loc, _ in slopes]))
    prior.scale.copy_(torch.tensor([scale for _, scale in slopes]))
    model.fit()
    modules = Modules(model.covar_module, model.likelihood, None, model.warp)
    records = Records.from_order(model.order)
    evidence = Evidence(Sample(model.known_X[records.item], records, Hyperparameters(modules)))
    centre = evidence.hyperparameters.start
    _, value, _ = evidence.value_and_gradient(centre)
    matrix = curvature(evidence, centre)
    variance = torch.linalg.inv(matrix).diagonal().tolist()
    columns = ["lengthscale"] * X.shape[-1] + ["roughness", "fineness", "noise"]
    columns += ["slope 0", "slope 1", "slope 2", "concentration"]
    found = []
    for name, at, spread in zip(columns, centre.tolist(), variance, strict=True):
        location, deviation = laws[name]
        found.append((name, location + deviation * at, deviation**2 * spread))
    return value - 0.5 * float(torch.logdet(matrix)), found


def main() -> None:
    """Search, and find the laws in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    runs: dict[str, Run] = json.loads(options.runs.read_text()) if options.runs.exists() else {}
    missing = [name for name in names() if name not in runs]
    with Parallel(n_jobs=2, return_as="generator") as parallel:
        for name, run in zip(missing, parallel(delayed(searched)(n) for n in missing), strict=True):
            runs[name] = run
            options.runs.write_text(json.dumps(runs))
    laws = FIRST
    for number in range(options.rounds):
        jobs = [(run, size) for run in runs.values() for size in (20, 40)]
        each = Parallel(n_jobs=2)(delayed(posterior_of)(*job, laws) for job in jobs)
        print(f"round {number}: log-evidence {sum(total for total, _ in each):.1f}", laws)
        by_name: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for _, found in each:
            for name, mean, variance in found:
                by_name[name].append((mean, variance))
        laws = {}
        for name, moments in by_name.items():
            center = fmean(mean for mean, _ in moments)
            spread = fmean((mean - center) ** 2 + variance for mean, variance in moments)
            laws[name] = (round(center, 3), round(math.sqrt(spread), 3))
    print("last:", laws)


if __name__ == "__main__":
    main()
