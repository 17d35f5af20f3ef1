"""What becomes of a batch trial, as experiments with many units at a time use them."""

import math
from typing import Any

import ax.generators.torch.botorch_modular.acquisition as ax_acquisition
import pandas as pd
import pytest
from ax.core.arm import Arm
from ax.core.data import Data
from helpers.search_spaces import assert_distinct, choice, ranged
from helpers.service_loop import Parameter, floats, popbo_client, run_trials


@pytest.mark.parametrize(
    "case",
    ["complete", "abandoned", "abandoned with data", "no data", "NaN", "failed", "status quo"],
)
def test_no_arm_of_a_batch_comes_twice(case: str) -> None:
    experiment = (client := popbo_client(floats(2), 2))._experiment
    if case == "status quo":
        experiment.status_quo = Arm({"x0": 0.5, "x1": 0.5}, name="status_quo")
    arms = []
    for batch in range(4):
        [[run]] = client._generation_strategy.gen(experiment=experiment, n=4, num_trials=1)
        arms += [arm.parameters for arm in run.arms]
        trial = experiment.new_batch_trial(run, should_add_status_quo_arm=case == "status quo")
        trial.mark_running(no_runner_required=True)
        loss = {arm.name: float(sum(arm.parameters.values())) for arm in trial.arms}
        best = min(loss, key=lambda name: loss[name])  # the best one is at a corner
        if "abandoned" in case and batch > 0:
            trial.mark_arm_abandoned(best)
        if case in ("abandoned", "no data") and batch > 0:
            del loss[best]
        if case == "NaN" and batch > 0:
            loss[best] = math.nan
        if case == "abandoned with data" and batch > 0:
            loss[best] = -100.0
        if case == "failed" and batch in (1, 3):
            trial.mark_failed(unsafe=True)
            continue
        rows = [{"arm_name": name, "mean": value} for name, value in loss.items()]
        table = pd.DataFrame(rows).assign(
            trial_index=trial.index, metric_name="loss", metric_signature="loss", sem=math.nan
        )
        experiment.attach_data(Data(df=table))
        trial.mark_completed(unsafe=True)
    assert len(arms) == 16
    assert_distinct(arms)


@pytest.mark.parametrize(
    ("optimizer", "parameters", "constraints"),
    [
        ("optimize_acqf_mixed", [*floats(1), choice("c", ["a", "b"])], ()),
        (
            "optimize_acqf_mixed_alternating",
            [*floats(1), *(choice(n, [*"abcd"]) for n in "uv")],
            (),
        ),
        (
            "optimize_acqf_discrete_local_search",
            [ranged(name, 1, 50, "int") for name in "abc"],
            ("a + b <= 60",),
        ),
    ],
)
def test_a_batch_is_chosen_one_by_one_by_every_optimizer_of_ax(
    optimizer: str,
    parameters: list[Parameter],
    constraints: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = []

    def counted(*args: Any, **kwargs: Any) -> Any:
        numbers.append(kwargs["q"])
        return search(*args, **kwargs)

    search = getattr(ax_acquisition, optimizer)
    monkeypatch.setattr(ax_acquisition, optimizer, counted)
    client = popbo_client(parameters, 4, parameter_constraints=constraints)
    run_trials(client, lambda p: float(sum(len(str(v)) for v in p.values())), 4)
    [[run]] = client._generation_strategy.gen(experiment=client._experiment, n=3, num_trials=1)
    assert numbers == [1, 1, 1]
    assert_distinct([arm.parameters for arm in run.arms])
    assert len(run.gen_metadata["expected_acquisition_value"]) == 3
