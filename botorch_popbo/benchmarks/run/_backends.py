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


@contextmanager
def workers(campaign: Campaign[Any, Any]) -> Iterator[tuple[type[Exception], ...]]:
    """Let joblib run on the campaign's backend; yields the errors that tell of a dead worker."""
    if campaign.backend != "ray":
        yield (BrokenExecutor,)
        return
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
            num_cpus=campaign.jobs if address == "local" else None,
            include_dashboard=False if address == "local" else None,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    register_ray()
    try:
        with parallel_config(backend="ray"):
            yield (ray.exceptions.RayError,)
    finally:
        if is_ours:
            ray.shutdown()
