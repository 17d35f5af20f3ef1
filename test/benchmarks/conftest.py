import os
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.data.sources import KERNEL_GRIDS, KERNELS, MLP, MLP_GRID
from botorch_popbo.benchmarks.experiments import Optimization
from botorch_popbo.benchmarks.run._replication import replicate
from botorch_popbo.benchmarks.settings import Setting, TrialRecord

CHOICES = (
    *(["relu", "tanh"], ["relu", "tanh"], [8, 16, 32], [0.0, 0.3], [0.0, 0.3]),
    *([0.0005, 0.1], ["cosine", "const"], [16, 32], [16, 32]),
)
OPERATIONS = ("none", "skip", "conv")


def write_fcnet(folder: Path) -> Path:
    """A small table in shuffled order, with the arrays of the real one."""
    rng = np.random.default_rng(0)
    index = np.array(list(product(*(range(len(values)) for values in CHOICES))), dtype=np.int8)
    index = rng.permutation(index)
    path = folder / "fcnet_valid.npz"
    slice_errors = rng.random((len(index), 4)).astype(np.float32)
    others = ("naval_propulsion", "parkinsons_telemonitoring", "protein_structure")
    np.savez(
        path,
        X_index=index,
        param_names=np.array([f"p{i}" for i in range(9)]),
        param_choices=np.array([str(values) for values in CHOICES]),
        slice_localization_valid_mse=slice_errors,
        **{f"{name}_valid_mse": slice_errors + i for i, name in enumerate(others)},
    )
    return path


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


def write_replicates(folder: Path) -> None:
    """Small tables of networks and of a kernel: two choices of every parameter."""
    rng = np.random.default_rng(2)
    kernel = KERNELS["convolution"], KERNEL_GRIDS["convolution"]
    for file, grid in ((MLP, MLP_GRID), kernel):
        choices = {name: values[:2] for name, values in grid.items()}
        shape = 2 ** len(grid), file.num_replicates
        values = {part: rng.lognormal(size=shape) for part in file.parts}
        np.savez(folder / file.file, **file.pack(choices, values))


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    write_fcnet(tmp_path)
    write_nasbench201(tmp_path)
    write_replicates(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def real_tables() -> Path:
    folder = os.environ.get("POPBO_DATA")
    if not folder:
        pytest.skip("POPBO_DATA does not name a folder of table files")
    return Path(folder)


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
    fields = {"parameters": {"x": index}, "incumbent_score": None, "optimizer_seconds": 0.0}
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
