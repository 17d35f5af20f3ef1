from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.tables import grids

from botorch_popbo.benchmarks.data.sources import FCNET, KERNELS, MLP
from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.run.replication import replicate
from botorch_popbo.benchmarks.settings import Setting, TrialRecord

CHOICES = (
    *(["relu", "tanh"], ["relu", "tanh"], [8, 16], [0.0, 0.3], [0.0, 0.3]),
    *([0.0005, 0.1], ["cosine", "const"], [16, 32], [16, 32]),
)
OPERATIONS = ("none", "skip", "conv")


def write_nasbench201(folder: Path) -> Path:
    rng = np.random.default_rng(1)
    index = rng.permutation(np.array(list(product(range(len(OPERATIONS)), repeat=6))))
    path = folder / "nasbench201.npz"
    np.savez(
        path,
        X_index=index.astype(np.int8),
        op_names=np.array(OPERATIONS),
        cifar10_valid_ep12=rng.uniform(10, 85, len(index)),
    )
    return path


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """Small tables with the arrays of the real ones: two choices of most parameters."""
    write_nasbench201(tmp_path)
    rng = np.random.default_rng(2)
    fcnet = {f"p{i}": tuple(values) for i, values in enumerate(CHOICES)}
    kernel = KERNELS["convolution"], grids.KERNEL_GRIDS["convolution"]
    for file, grid in ((FCNET, fcnet), (MLP, grids.MLP_GRID), kernel):
        choices = {name: values[:2] for name, values in grid.items()}
        shape = 2 ** len(grid), file.num_replicates
        values = {part: rng.lognormal(size=shape).astype(np.float32) for part in file.parts}
        np.savez(tmp_path / file.file, **grids.pack(file, choices, values))
    return tmp_path


MakeCampaign = Callable[..., Optimization]


@pytest.fixture
def campaign(tmp_path: Path) -> MakeCampaign:
    def make(
        method: str = "random",
        problem: str = "branin",
        trials: int = 4,
        seeds: int = 1,
        output: str = "results",
        initial: int = 3,
    ) -> Optimization:
        fields: dict[str, Any] = {"methods": (method,), "trials": trials, "seeds": seeds}
        return Optimization(**fields, initial={problem: initial}, jobs=1, output=tmp_path / output)

    return make


def only(campaign: Optimization) -> Setting:
    (setting,) = campaign.cells()
    return setting


def run(campaign: Optimization, **options: Any) -> list[TrialRecord]:
    """Run the only replication of a campaign."""
    replicate(campaign, only(campaign), **options)
    return campaign.records(only(campaign))


def trial(index: int, observed: float | None, score: float | None, **changed: Any) -> TrialRecord:
    """A trial that was not run."""
    fields = {
        "parameters": {"x": index, "x0": index, "x1": 1.0},
        "incumbent_score": None,
        "optimizer_seconds": 0.0,
    }
    fields |= {"evaluation_seconds": 0.0, "generator": "random", "versions": {}}
    return TrialRecord(trial=index, observed=observed, score=score, **(fields | changed))


def result(campaign: Optimization) -> list[list[tuple[object, ...]]]:
    """All that does not depend on the clock; reading checks that no trial is there twice."""
    return [
        [
            (r.trial, r.parameters, r.observed, r.score, r.incumbent_score, r.generator)
            for r in campaign.records(setting)
        ]
        for setting in campaign.cells()
    ]
