from botorch_popbo.benchmarks.records import read_records, records_path
from botorch_popbo.benchmarks.replication import replicate

from ..conftest import MakeCampaign, only


def test_a_search_leaves_the_region_that_fails(campaign: MakeCampaign) -> None:
    """Half of the space fails; of twenty suggestions no more than half may."""
    planned = campaign("popbo", "branin-failures", trials=20, initial=12)
    replicate(planned, only(planned))
    records = read_records(records_path(planned.output, only(planned)), only(planned))
    failed = [record.observed is None for record in records]
    assert sum(failed[:12]) >= 5
    assert sum(failed[12:]) <= 10
