"""Where replications run: worker processes of this machine, or a Ray cluster."""

import logging
import os
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from typing import Any

from joblib import parallel_config

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.run.campaign import Campaign

#: The errors by which joblib tells that a worker process died.
WorkerDeaths = tuple[type[Exception], ...]


@contextmanager
def workers(campaign: Campaign[Any, Any]) -> Iterator[WorkerDeaths]:
    """Let joblib run on the campaign's backend until the context ends.

    Raises:
        UsageError: If Ray is not installed.
    """
    if campaign.backend == "ray":
        with _ray(campaign.jobs) as deaths, parallel_config(backend="ray"):
            yield deaths
    else:
        yield (BrokenExecutor,)


@contextmanager
def _ray(jobs: int) -> Iterator[WorkerDeaths]:
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError as error:
        hint = 'pip install "botorch-popbo[ray]"'
        raise UsageError(f"--backend ray needs Ray: {hint}") from error
    is_ours = not ray.is_initialized()
    if is_ours:
        address = os.environ.get("RAY_ADDRESS") or "local"
        ray.init(
            address=address,
            num_cpus=jobs if address == "local" else None,
            include_dashboard=False if address == "local" else None,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    register_ray()
    try:
        yield (ray.exceptions.RayError,)
    finally:
        if is_ours:
            ray.shutdown()
