import torch
from botorch.utils.multi_objective.pareto import is_non_dominated
from helpers.toy import BOUNDS, toy_data
from torch import Tensor

from botorch_popbo import LogExpectedFrontImprovement, RankingGP
from botorch_popbo.acquisition._tied_levels import TiedLevels
from botorch_popbo.data import combine, from_ordering, from_top_k
from botorch_popbo.settings import AcquisitionSettings

X = toy_data(16, seed=1)[0]
UNIT = (X - BOUNDS[0]) / (BOUNDS[1] - BOUNDS[0])
SMOOTH = -(UNIT - 0.3).square().sum(-1)
OTHER = -(UNIT - 0.8).square().sum(-1)
BEST = SMOOTH.topk(6).indices
PLATEAU = SMOOTH.clamp_max(float(SMOOTH[BEST].min()))


def model(outcomes: Tensor) -> RankingGP:
    return RankingGP(X, outcomes.unsqueeze(-1)).fit()


def utilities(found: RankingGP) -> Tensor:
    """Of the evaluated points, closed, of shape ``N``."""
    with torch.no_grad():
        return TiedLevels([found], 0, AcquisitionSettings())(found.posterior(X).mean).squeeze(-1)


def test_different_outcomes_and_the_rest_of_a_list_keep_their_utilities() -> None:
    best = SMOOTH.argsort(descending=True)
    top = RankingGP(order=from_top_k(X, best[:3], best[3:])).fit()
    for found in (model(SMOOTH), top):
        assert torch.equal(utilities(found), found.posterior(X).mean.detach().squeeze(-1))


def test_equal_outcomes_are_one_value_and_the_order_stays() -> None:
    middle = SMOOTH.argsort()[4:8]
    outcomes = PLATEAU.index_fill(0, middle, float(SMOOTH[middle].mean()))
    values = utilities(model(outcomes))
    for level in (BEST, middle):
        assert len(values[level].unique()) == 1
    assert bool((values[outcomes.argsort()].diff() > -1e-9).all())
    assert len(values.unique()) == len(outcomes.unique())


def test_what_rounding_leaves_is_no_difference() -> None:
    dust = PLATEAU - PLATEAU.max()
    dust[BEST] = 1e-17 * torch.arange(6.0).double()
    values = utilities(model(dust))
    assert float(values[BEST].max() - values[BEST].min()) < 1e-9


def test_failures_and_several_lists_are_no_levels() -> None:
    failed = SMOOTH.index_fill(0, SMOOTH.argsort()[:4], -torch.inf)
    lists = combine(*(from_ordering(X, best) for best in ([0, 1, 2], [3, 4, 5], [2, 3])))
    for found in (model(failed), RankingGP(order=lists).fit()):
        assert TiedLevels([found], 0, AcquisitionSettings()).width.numel() == 0


def test_a_front_holds_only_the_best_of_a_level() -> None:
    outcomes = torch.stack([PLATEAU, OTHER], dim=-1)
    state = torch.get_rng_state()
    function = LogExpectedFrontImprovement([model(PLATEAU), model(OTHER)])
    assert torch.equal(torch.get_rng_state(), state)
    front = {tuple(x) for x in function.front.tolist()}
    assert front <= {tuple(x) for x in X[is_non_dominated(outcomes)].tolist()}
    assert len(front & {tuple(x) for x in X[BEST].tolist()}) == 1
