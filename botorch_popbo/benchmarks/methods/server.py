"""What runs in another process: reads requests and writes answers, one line of JSON each.

Run by path, as this package need not be installed there, with the name of a function, which takes a
list of dimensions (see ``own_process.Dimension``) and returns a function from rows, losses and a
seed to the next row.
"""

import json
import os
import random
import sys
from collections.abc import Callable
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

Row = dict[str, float]
Suggest = Callable[[list[Row], list[float], int], Row]


def main() -> None:
    """Serve until the standard input ends."""
    # What the library prints is not an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    suggest = None
    for line in sys.stdin:
        answer: dict[str, Any] = {}
        try:
            request = json.loads(line)
            if suggest is None:
                suggest = globals()[sys.argv[1]](request)
            else:
                answer["row"] = suggest(**request)
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), file=answers, flush=True)


def smac(dimensions: list[dict[str, Any]]) -> Suggest:
    """SMAC3."""
    spaces, library = import_module("ConfigSpace"), import_module("smac")
    active = import_module("ConfigSpace.util").deactivate_inactive_hyperparameters
    parallel_config = import_module("joblib").parallel_config
    runs = import_module("smac.runhistory.dataclasses")

    def hyperparameter(name: str, kind: str, low: float, high: float, log: bool, **_: Any) -> Any:
        if kind == "category":
            return spaces.Categorical(name, range(int(high) + 1))
        return (spaces.Integer if kind == "int" else spaces.Float)(name, (low, high), log=log)

    space = spaces.ConfigurationSpace()
    space.add([hyperparameter(**dimension) for dimension in dimensions])
    conditional = [(space[d["name"]], *d["beside"]) for d in dimensions if d["beside"]]
    space.add([spaces.InCondition(child, space[by], of) for child, by, of in conditional])

    def optimizer(design: list[Any], folder: str, seed: int) -> Any:
        facade = library.HyperparameterOptimizationFacade
        # Were it not deterministic, it would ask for the same points again to average their noise.
        scenario = library.Scenario(
            space, deterministic=True, n_trials=10**6, seed=seed, output_directory=folder
        )
        initial = facade.get_initial_design(scenario, n_configs=0, additional_configs=design)
        return facade(scenario, initial_design=initial, logging_level=False, overwrite=True)

    def suggest(rows: list[Row], losses: list[float], seed: int) -> Row:
        design = [active(row, space) for row in rows]
        # The facade insists on a folder for its logs, and the forest on a thread for each core.
        with TemporaryDirectory() as folder, parallel_config("sequential"):
            made = optimizer(design, folder, seed)
            for configuration, loss in zip(design, losses, strict=True):
                value = runs.TrialValue(loss)
                made.tell(runs.TrialInfo(configuration, seed=0), value, save=False)
            return {name: float(number) for name, number in dict(made.ask().config).items()}

    return suggest


def hebo(dimensions: list[dict[str, Any]]) -> Suggest:
    """HEBO."""
    np, pd, torch = map(import_module, ("numpy", "pandas", "torch"))
    optimizers = import_module("hebo.optimizers.hebo")
    kinds = {"int": ("int", "pow_int"), "float": ("num", "pow")}

    def parameter(
        name: str, kind: str, low: float, high: float, log: bool, **_: Any
    ) -> dict[str, Any]:
        if kind == "category":
            return {"name": name, "type": "cat", "categories": list(range(int(high) + 1))}
        return {"name": name, "type": kinds[kind][log], "lb": low, "ub": high}

    space = import_module("hebo.design_space.design_space").DesignSpace()
    space.parse([parameter(**dimension) for dimension in dimensions])

    def suggest(rows: list[Row], losses: list[float], seed: int) -> Row:
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        # Two points are the fewest that it takes for an initial design.
        optimizer = optimizers.HEBO(space, rand_sample=2, scramble_seed=seed)
        optimizer.observe(pd.DataFrame(rows), np.array(losses)[:, None])
        return {name: float(number) for name, number in optimizer.suggest().iloc[0].items()}

    return suggest


if __name__ == "__main__":
    main()
