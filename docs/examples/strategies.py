"""The strategies that the scripts of this folder compare, and how each is set up on a client."""

from collections.abc import Callable

from ax.api.client import Client

from botorch_popbo.ax import popbo_generation_strategy

#: Takes a client, the length of the initial design and a seed.
Configure = Callable[[Client, int, int], None]


def popbo(client: Client, num_initial: int, seed: int) -> None:
    """The package's default."""
    client.set_generation_strategy(
        popbo_generation_strategy(num_initial_trials=num_initial, seed=seed)
    )


def popbo_paper(client: Client, num_initial: int, seed: int) -> None:
    """The paper's network."""
    client.set_generation_strategy(
        popbo_generation_strategy(num_initial_trials=num_initial, seed=seed, preset="paper")
    )


def ax_default(client: Client, num_initial: int, seed: int) -> None:
    """What Ax does by itself, after a design as long as the others'."""
    client.configure_generation_strategy(
        initialization_budget=num_initial,
        initialization_random_seed=seed,
        initialize_with_center=False,
    )


METHODS: dict[str, Configure] = {
    "popbo": popbo,
    "popbo, paper": popbo_paper,
    "Ax default": ax_default,
}
