"""Suggestions through Ax's service loop."""

from ax.api.client import Client
from ax.api.configs import RangeParameterConfig

from botorch_popbo.ax import generation_strategies
from botorch_popbo.benchmarks.experiments.suggestion_time._points import Data

#: Strategies that are measured, as :func:`generation_strategies` names them.
STRATEGIES = ("popbo-logei", "paper-eri", "paper-rlcb", "gp-logei")


def attached(strategy: str, data: Data) -> Client:
    """A client whose trials are the points.

    Args:
        strategy: One of :data:`STRATEGIES`.
        data: Points of the unit cube, ``N x d``, and outcomes, ``N x 1``.

    Returns:
        The client; its next suggestion fits a model to all points.
    """
    X, Y = data
    names = [f"x{i}" for i in range(X.shape[-1])]
    client = Client()
    client.configure_experiment(
        [RangeParameterConfig(name, bounds=(0.0, 1.0), parameter_type="float") for name in names]
    )
    client.configure_optimization(objective="y")
    client.set_generation_strategy(
        generation_strategies([strategy], num_initial_trials=2)[strategy]
    )
    for x, y in zip(X.tolist(), Y.squeeze(-1).tolist(), strict=True):
        index = client.attach_trial(dict(zip(names, x, strict=True)))
        client.complete_trial(index, {"y": y})
    return client
