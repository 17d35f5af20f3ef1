import pytest
import torch

from botorch_popbo.benchmarks.experiments.preferences._interviewers import METHODS

BOUNDS = torch.tensor([[-1.0, 0.0], [1.0, 4.0]], dtype=torch.float64)


@pytest.mark.parametrize("name", METHODS)
def test_questions_are_two_points_within_the_bounds_even_after_ties(name: str) -> None:
    state = torch.get_rng_state()
    interviewer = METHODS[name].start(BOUNDS, 3)
    for question in range(8):
        items = interviewer.ask()
        assert items.shape == (2, 2)
        assert not torch.equal(*items)
        assert ((items >= BOUNDS[0]) & (items <= BOUNDS[1])).all()
        interviewer.tell(items, None if question % 3 == 2 else question % 2)
        assert bool((interviewer.best >= BOUNDS[0]).all())
    assert torch.equal(torch.get_rng_state(), state)
