import pytest
from ax.exceptions.core import UserInputError
from helpers.service_loop import floats, generator_keys, popbo_client, run_trials, sphere

from botorch_popbo.ax import report_comparisons, report_ranking


@pytest.mark.parametrize("objective", ["preference", "-preference"])
def test_a_ranking_suggests_what_the_outcomes_would(objective: str) -> None:
    measured = popbo_client(floats(2), 4, "-loss", order_only=True)
    expected = run_trials(measured, sphere, 6)
    client = popbo_client(floats(2), 4, objective, order_only=True)
    points: list[dict[str, float]] = []
    for _ in range(6):
        [(_, p)] = client.get_next_trials(max_trials=1).items()
        points.append(dict(p))
        report_ranking(client, sorted(range(len(points)), key=lambda i: sphere(points[i])))
    assert points == expected
    assert generator_keys(client)[4:] == ["popbo-logei"] * 2
    best, *_ = client.get_best_parameterization(use_model_predictions=False)
    assert best == min(points, key=sphere)


def test_ties_share_a_position_and_every_trial_is_completed() -> None:
    client = popbo_client(floats(2), 4, "preference")
    client.get_next_trials(max_trials=4)
    report_ranking(client, [2, [0, 3], 1])
    data = client._experiment.lookup_data().df.set_index("trial_index")["mean"]
    assert data.to_dict() == {2: -1.0, 0: -2.0, 3: -2.0, 1: -4.0}
    assert all(trial.status.is_completed for trial in client._experiment.trials.values())


def test_comparisons_are_ranked_by_strength() -> None:
    client = popbo_client(floats(2), 4, "-preference")
    client.get_next_trials(max_trials=5)
    report_comparisons(client, [(1, 0)])  # the judge will change their mind
    assert client._experiment.lookup_data().df["mean"].tolist() == [2.0, 1.0]
    # Trial 4 was not compared and keeps running; trial 3 beat the best once.
    report_comparisons(client, [(0, 1), (1, 2), (0, 2), (0, 3), (3, 0), (1, 3), (0, 3)])
    data = client._experiment.lookup_data().df.set_index("trial_index")["mean"]
    assert data.sort_values().index.tolist() == [0, 1, 3, 2]
    assert client._experiment.trials[4].status.is_running
    assert client.get_next_trials(max_trials=1)


@pytest.mark.parametrize("end", ["failed", "abandoned", "early_stopped"])
def test_trials_that_ended_are_left_out(end: str) -> None:
    client = popbo_client(floats(2), 4, "preference")
    client.get_next_trials(max_trials=4)
    client.attach_data(2, {"preference": 0.5})
    getattr(client, f"mark_trial_{end}")(2)
    before = client._experiment.lookup_data().df
    with pytest.raises(UserInputError, match=r"\[2\] are neither running nor completed"):
        report_ranking(client, [0, 2, 1])
    assert client._experiment.lookup_data().df.equals(before)
    assert client._experiment.trials[0].status.is_running
    report_ranking(client, [0, [3, 1]])
    report_ranking(client, [3, 0, 1])
    assert client._experiment.trials[2].status.name == end.upper()


def test_what_cannot_be_ranked_changes_nothing() -> None:
    client = popbo_client(floats(2), 4, "preference")
    client.get_next_trials(max_trials=3)
    report_ranking(client, [1, 0])
    before = client._experiment.lookup_data().df
    for ranking, message in (
        ([1, 0, 7], r"Trials \[7\] are neither"),
        ([1, 0, 1], r"\[1\] are listed twice"),
        ([2, 1], r"\[0\] were ranked before"),
        *((trials, "by their indices") for trials in (["1_0"], [1.0], [True])),
        *((trials, "best first") for trials in ({0, 1}, {0: 1})),
    ):
        with pytest.raises(UserInputError, match=message):
            report_ranking(client, ranking)  # type: ignore[arg-type]
    with pytest.raises(UserInputError, match="no comparisons"):
        report_comparisons(client, [])
    for pair in ((0, 0), (0, 1, 2), 0):
        with pytest.raises(UserInputError, match="is not a pair of a better and a worse trial"):
            report_comparisons(client, [(1, 0), pair])  # type: ignore[list-item]
    assert client._experiment.lookup_data().df.equals(before)
    constrained = popbo_client(floats(2), 4, "preference", ["cost <= 1"])
    index = constrained.attach_trial({"x0": 0.5, "x1": 0.5})
    with pytest.raises(UserInputError, match="Leave the constraints out"):
        report_ranking(constrained, [index])
    assert constrained._experiment.trials[index].status.is_running
    several = popbo_client(floats(2), 4, "a, b")
    with pytest.raises(UserInputError, match="one metric"):
        report_ranking(several, [0])
