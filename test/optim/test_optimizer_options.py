from botorch_popbo.optim._optimizer_options import OPTIMIZER_OPTIONS, default_options
from botorch_popbo.optim.initial_conditions import rank_initial_conditions


def test_a_smooth_function_has_few_well_chosen_starts() -> None:
    smooth, network = (default_options("optimize_acqf", is_smooth) for is_smooth in (True, False))
    assert smooth["ic_generator"] is rank_initial_conditions
    assert smooth["num_restarts"] < network["num_restarts"]
    assert network == OPTIMIZER_OPTIONS["optimize_acqf"]


def test_where_every_point_is_looked_at_there_are_none() -> None:
    assert default_options("optimize_acqf_discrete", True) == {}
