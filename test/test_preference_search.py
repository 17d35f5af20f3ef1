import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError

from botorch_popbo import PreferenceSearch

BOUNDS = torch.tensor([[-5.0, 0.0, 10.0], [5.0, 1.0, 30.0]], dtype=torch.float64)
OPTIMUM = torch.tensor([1.0, 0.3, 16.0], dtype=torch.float64)


def utility(X: torch.Tensor) -> torch.Tensor:
    return -((X - OPTIMUM) / (BOUNDS[1] - BOUNDS[0])).square().sum(-1)


def answer(pair: torch.Tensor) -> int:
    return int(utility(pair).argmax())


def run(num_questions: int, seed: int = 0) -> PreferenceSearch:
    search = PreferenceSearch(BOUNDS, num_initial=6, seed=seed)
    for _ in range(num_questions):
        pair = search.ask()
        assert ((pair >= BOUNDS[0]) & (pair <= BOUNDS[1])).all()
        search.tell(pair, answer(pair))
    return search


def test_choices_alone_lead_to_the_optimum() -> None:
    search = run(30)
    design = search._design.reshape(-1, 3)
    assert search.num_answers == 30
    assert utility(search.best) > 0.25 * utility(design).max()  # a quarter of the best loss


def test_one_seed_and_the_same_answers_ask_the_same_questions() -> None:
    torch.manual_seed(0)
    first = run(9)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    again = run(9)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(first.X, again.X)
    assert torch.equal(first.ask(), again.ask())
    assert not torch.equal(first.X, run(9, seed=1).X)


def test_a_question_stays_until_it_is_answered() -> None:
    search = run(7)
    assert torch.equal(search.ask(), search.ask())


def test_suggestions_are_compared_with_the_best_point() -> None:
    search = run(8)
    assert torch.equal(search.ask()[0], search.best)


def test_ties_count() -> None:
    search = PreferenceSearch(BOUNDS)
    pair = search.ask()
    search.tell(pair, None)
    assert search.num_answers == 1
    assert search.best.shape == (3,)


def test_bad_input_is_named() -> None:
    with pytest.raises(BotorchTensorDimensionError, match="2 x d"):
        PreferenceSearch(BOUNDS[0])
    with pytest.raises(InputDataError, match="below its upper bound"):
        PreferenceSearch(BOUNDS.flip(0))
    with pytest.raises(InputDataError, match="num_initial"):
        PreferenceSearch(BOUNDS, num_initial=0)
    search = PreferenceSearch(BOUNDS)
    with pytest.raises(InputDataError, match="no comparison"):
        search.best  # noqa: B018
    pair = search.ask()
    with pytest.raises(InputDataError, match="0, 1, or None"):
        search.tell(pair, 2)
    with pytest.raises(InputDataError, match="two different points"):
        search.tell(pair[[0, 0]], 0)
    with pytest.raises(BotorchTensorDimensionError, match="pair of shape"):
        search.tell(pair[0], 0)
