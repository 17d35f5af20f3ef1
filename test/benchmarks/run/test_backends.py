from collections.abc import Iterator
from dataclasses import replace

import pytest

from botorch_popbo.benchmarks.run.execution import run_campaign

from ..conftest import MakeCampaign, result


@pytest.fixture
def cluster() -> Iterator[None]:
    ray = pytest.importorskip("ray")
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_ray_finds_what_local_processes_find(campaign: MakeCampaign) -> None:
    local = replace(campaign("popbo", seeds=2, trials=2), methods=("popbo", "sobol"))
    on_ray = replace(campaign(output="ray", seeds=2, trials=2), methods=local.methods, jobs=2)
    assert run_campaign(local) == []
    assert run_campaign(replace(on_ray, backend="ray")) == []
    assert result(on_ray) == result(local)
