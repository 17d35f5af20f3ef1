"""Writes the experiment that ``test/ax/test_storage.py`` loads.

Run ``python test/golden/make_golden.py`` to make ``client_0_2.json``, an experiment stored by
version 0.2 of the package. It is not made again by later versions: what they must load is this very
file.
Ten trials in a mixed space: four of the initial design and six suggestions, of which number 7
failed and number 9 still runs.
"""

import math
from pathlib import Path

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.api.types import TParameterization

from botorch_popbo.ax import popbo_generation_strategy

FILE = Path(__file__).with_name("client_0_2.json")
FAILED, RUNNING = 7, 9


def loss(point: TParameterization) -> float:
    """An objective with its minimum at rate 1e-3, depth 3, kind b, momentum 0.5."""
    return (
        math.log10(float(point["rate"]) / 1e-3) ** 2
        + (float(point["depth"]) - 3) ** 2 / 9
        + float(point["kind"] != "b")
        + (float(point["momentum"]) - 0.5) ** 2
    )


def main() -> None:
    """Run the experiment and store it."""
    client = Client()
    client.configure_experiment(
        [
            RangeParameterConfig("rate", (1e-6, 1.0), "float", scaling="log"),
            RangeParameterConfig("depth", (1, 8), "int"),
            ChoiceParameterConfig("kind", ["a", "b", "c"], "str", is_ordered=False),
            RangeParameterConfig("momentum", (0.0, 1.0), "float"),
        ],
        name="golden",
    )
    client.configure_optimization("-loss")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=4, seed=1))
    for _ in range(10):
        for index, point in client.get_next_trials(max_trials=1).items():
            if index == FAILED:
                client.mark_trial_failed(index)
            elif index != RUNNING:
                client.complete_trial(index, raw_data={"loss": loss(point)})
    client.save_to_json_file(str(FILE))


if __name__ == "__main__":
    main()
