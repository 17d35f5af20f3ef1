from ..conftest import MakeCampaign, run


def test_a_search_leaves_the_region_that_fails(campaign: MakeCampaign) -> None:
    """Half of the space fails; of twenty suggestions no more than half may."""
    records = run(campaign("popbo", "branin-failures", trials=20, initial=12))
    failed = [record.observed is None for record in records]
    assert sum(failed[:12]) >= 5
    assert sum(failed[12:]) <= 10
