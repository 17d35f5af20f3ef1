"""SMAC3 in a process of its own; see ``server``."""

from collections.abc import Callable
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

_UNLIMITED = 10**6


def start(dimensions: list[dict[str, Any]]) -> Callable[..., dict[str, float]]:
    """Load the library; see ``server``."""
    configspace = import_module("ConfigSpace")
    parallel_config = import_module("joblib").parallel_config
    dataclasses = import_module("smac.runhistory.dataclasses")
    space = configspace.ConfigurationSpace()
    space.add([_hyperparameter(configspace, **dimension) for dimension in dimensions])

    def suggest(rows: list[dict[str, float]], losses: list[float], seed: int) -> dict[str, float]:
        known = [configspace.Configuration(space, row) for row in rows]
        # The facade insists on a folder for its logs, and the forest on a thread for each core.
        with TemporaryDirectory() as folder, parallel_config("sequential"):
            optimizer = _optimizer(space, known, folder, seed)
            for configuration, loss in zip(known, losses, strict=True):
                info = dataclasses.TrialInfo(configuration, seed=0)
                optimizer.tell(info, dataclasses.TrialValue(loss), save=False)
            suggested = dict(optimizer.ask().config)
        return {name: float(number) for name, number in suggested.items()}

    return suggest


def _optimizer(space: Any, known: list[Any], folder: str, seed: int) -> Any:
    smac = import_module("smac")
    facade = smac.HyperparameterOptimizationFacade
    scenario = smac.Scenario(
        space,
        # Otherwise it would ask for the same points again to average over their noise.
        deterministic=True,
        n_trials=_UNLIMITED,
        seed=seed,
        output_directory=folder,
    )
    design = facade.get_initial_design(scenario, n_configs=0, additional_configs=known)
    return facade(scenario, initial_design=design, logging_level=False, overwrite=True)


def _hyperparameter(
    configspace: Any, name: str, kind: str, low: float, high: float, log: bool
) -> Any:
    if kind == "category":
        return configspace.Categorical(name, range(int(high) + 1))
    if kind == "int":
        return configspace.Integer(name, (low, high), log=log)
    return configspace.Float(name, (low, high), log=log)
