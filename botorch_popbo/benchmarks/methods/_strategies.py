"""Ax generation strategies in Ax's service loop: this package's, and Ax's own choice.

On spaces of choices the one-hot relaxation of Ax's own may round to evaluated points only; Ax then
falls back on a Sobol sequence. Its place in that sequence is lost with the process: from the second
such trial on, a resumed replication differs from an uninterrupted one.
"""

from collections.abc import Callable
from typing import Literal

from ax.api.client import Client
from ax.api.utils.generation_strategy_dispatch import choose_generation_strategy
from ax.api.utils.structs import GenerationStrategyDispatchStruct
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.utils.common.random import with_rng_seed

from botorch_popbo.ax import gp_generation_strategy, popbo_generation_strategy
from botorch_popbo.benchmarks.design import suggestion_seed
from botorch_popbo.benchmarks.methods.base import Suggestion
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.presets import PresetName

#: The acquisition functions of rank models, and of models of values.
Ranked = Literal["logei", "eri", "rlcb"]
Valued = Literal["logei", "ucb"]
#: Makes a strategy from the number of initial trials, which have been attached, and a seed.
Build = Callable[[int, int], GenerationStrategy]


class ServiceLoop:
    """Ax's service loop."""

    def __init__(self, build: Build, problem: Problem, setting: Setting) -> None:
        self.problem = problem
        self.setting = setting
        self.client = Client()
        self.client.configure_experiment(parameters=problem.parameters, name=setting.stem)
        self.client.configure_optimization(objective=problem.objective)
        self.client.set_generation_strategy(build(setting.initial, setting.seed))
        self.running: dict[str, int] = {}

    def suggest(self, trial: int) -> Suggestion:
        # The acquisition's optimizer draws starting points from the global generators. One seed
        # for each trial makes them the same in a resumed replication.
        with with_rng_seed(suggestion_seed(self.problem.name, self.setting.seed, trial)):
            ((index, parameters),) = self.client.get_next_trials(max_trials=1).items()
        self.running[str(dict(parameters))] = index
        run = self.client._experiment.trials[index].generator_runs[0]
        return Suggestion(dict(parameters), str(run._generator_key or run._generation_node_name))

    def observe(self, parameters: Parameters, observed: float) -> None:
        index = self.running.pop(str(dict(parameters)), None)
        if index is None:
            index = self.client.attach_trial(dict(parameters))
        self.client.complete_trial(index, {self.problem.metric_name: observed})


def rank_strategy(
    acquisition: Ranked, preset: PresetName, initial: int, seed: int
) -> GenerationStrategy:
    return popbo_generation_strategy(
        acquisition=acquisition, num_initial_trials=initial, seed=seed, preset=preset
    )


def value_strategy(acquisition: Valued, initial: int, seed: int) -> GenerationStrategy:
    return gp_generation_strategy(acquisition=acquisition, num_initial_trials=initial, seed=seed)


def default_strategy(initial: int, seed: int) -> GenerationStrategy:
    # Client.configure_generation_strategy with its defaults, but the design has been attached; the
    # center of the space would be one point more.
    options = GenerationStrategyDispatchStruct(
        method="fast",
        initialization_budget=initial,
        initialization_random_seed=seed,
        initialize_with_center=False,
    )
    return choose_generation_strategy(options)
