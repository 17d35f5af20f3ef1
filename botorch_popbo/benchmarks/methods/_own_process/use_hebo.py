"""HEBO in its own environment; see ``server``."""

import random
from collections.abc import Callable
from importlib import import_module
from typing import Any


def start(dimensions: list[dict[str, Any]]) -> Callable[..., dict[str, float]]:
    """Load the library; see ``server``."""
    np, pd, torch = map(import_module, ("numpy", "pandas", "torch"))
    optimizers = import_module("hebo.optimizers.hebo")
    space = import_module("hebo.design_space.design_space").DesignSpace()
    space.parse([_parameter(**dimension) for dimension in dimensions])

    def suggest(rows: list[dict[str, float]], losses: list[float], seed: int) -> dict[str, float]:
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        # Two points are the fewest that it takes for an initial design.
        optimizer = optimizers.HEBO(space, rand_sample=2, scramble_seed=seed)
        optimizer.observe(pd.DataFrame(rows), np.array(losses)[:, None])
        suggested = optimizer.suggest().iloc[0]
        return {name: float(number) for name, number in suggested.items()}

    return suggest


def _parameter(name: str, kind: str, low: float, high: float, log: bool) -> dict[str, Any]:
    if kind == "category":
        return {"name": name, "type": "cat", "categories": list(range(int(high) + 1))}
    kinds = {
        ("int", False): "int",
        ("int", True): "pow_int",
        ("float", False): "num",
        ("float", True): "pow",
    }
    return {"name": name, "type": kinds[kind, log], "lb": low, "ub": high}
