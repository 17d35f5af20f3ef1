"""Ax generation strategies in Ax's service loop: this package's, and Ax's own choice.

On spaces of choices the one-hot relaxation of Ax's own may round to evaluated points only; Ax then
falls back on a Sobol sequence. Its place in that sequence is lost with the process: from the second
such trial on, a resumed replication differs from an uninterrupted one.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ax.api.client import Client
from ax.api.utils.generation_strategy_dispatch import choose_generation_strategy
from ax.api.utils.structs import GenerationStrategyDispatchStruct
from ax.core.generator_run import GeneratorRun
from ax.generation_strategy.generation_strategy import GenerationStrategy

from botorch_popbo._reproducible import seeded
from botorch_popbo.ax import gp_generation_strategy, parameter_configs, popbo_generation_strategy
from botorch_popbo.benchmarks.methods.base import Suggestion
from botorch_popbo.benchmarks.points import suggestion_seed
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting

#: Makes a strategy, given ``num_initial_trials``, which have been attached, and a ``seed``.
Build = Callable[..., GenerationStrategy]


class ServiceLoop:
    """Ax's service loop."""

    def __init__(self, build: Build, problem: Problem, setting: Setting) -> None:
        self.problem = problem
        self.setting = setting
        self.client = Client()
        self.client.configure_experiment(
            parameters=parameter_configs(problem.space), name=setting.stem
        )
        self.client.configure_optimization(objective="-value" if problem.minimize else "value")
        strategy = build(num_initial_trials=setting.initial, seed=setting.seed)
        self.client.set_generation_strategy(strategy)
        self.running: dict[str, int] = {}

    def suggest(self, trial: int) -> Suggestion:
        """See :class:`~botorch_popbo.benchmarks.methods.Optimizer`."""
        # The acquisition's optimizer draws starting points from the global generators. One seed
        # for each trial makes them the same in a resumed replication.
        with seeded(suggestion_seed(self.problem.name, self.setting.seed, trial)):
            ((index, parameters),) = self.client.get_next_trials(max_trials=1).items()
        self.running[str(dict(parameters))] = index
        made = self.client._experiment.trials[index]
        recommended = self.recommended(made.generator_runs[0])
        return Suggestion(dict(parameters), made.generation_method_str, recommended)

    def recommended(self, run: GeneratorRun) -> Parameters | None:
        """The point that was recommended when a suggestion was made, or None if unknown."""
        return None

    def observe(self, parameters: Parameters, observed: float) -> None:
        """See :class:`~botorch_popbo.benchmarks.methods.Optimizer`."""
        index = self.running.pop(str(dict(parameters)), None)
        if index is None:
            index = self.client.attach_trial(dict(parameters))
        self.client.complete_trial(index, {"value": observed})


class AxDefault(ServiceLoop):
    """Ax's own choice, which recommends the evaluated point of the best prediction."""

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(ax_strategy, problem, setting)

    def recommended(self, run: GeneratorRun) -> Parameters | None:
        """See the base class."""
        # Ax keeps it with each suggestion; ``get_best_parameterization`` would cross-validate.
        best: Any = run.best_arm_predictions
        if best is None:
            return None
        space = self.problem.space
        place = space.to_unit(space.encode(best[0].parameters))
        arms = self.client._experiment.arms_by_name.values()
        evaluated: Any = [dict(arm.parameters) for arm in arms]

        def distance(point: Parameters) -> float:
            return float((space.to_unit(space.encode(point)) - place).norm())

        # Ax's transforms, there and back, change the last digits.
        return min(evaluated, key=distance)


def ax_strategy(num_initial_trials: int, seed: int) -> GenerationStrategy:
    """Ax's own choice of a strategy, after a design that has been attached."""
    # Client.configure_generation_strategy with its defaults, but the design has been attached; the
    # center of the space would be one point more.
    options = GenerationStrategyDispatchStruct(
        method="fast",
        initialization_budget=num_initial_trials,
        initialization_random_seed=seed,
        initialize_with_center=False,
    )
    return choose_generation_strategy(options)


def own_strategy(preset: Any, acquisition: Any, problem: Problem, setting: Setting) -> ServiceLoop:
    """This package's strategy with a preset, or that of a Gaussian process over values."""
    build = partial(popbo_generation_strategy, preset=preset) if preset else gp_generation_strategy
    return ServiceLoop(partial(build, acquisition=acquisition), problem, setting)
