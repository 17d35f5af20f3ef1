"""Ax's tutorials, with this package's strategy, or its model in a node of Ax's own."""

import logging

import torch
from ax.adapter.registry import Generators
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.types import TParameterization
from ax.generation_strategy.external_generation_node import ExternalGenerationNode
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MinTrials
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from botorch.acquisition import qLogNoisyExpectedImprovement
from gpytorch.kernels import MaternKernel
from shared import Reached, best, branin, main, tutorials_of

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.ax import popbo_generation_strategy, report_ranking

DESIGN = 6


def client_of(strategy: GenerationStrategy) -> Client:
    """A client that minimizes a metric of two parameters."""
    logging.getLogger("ax").setLevel(logging.ERROR)
    client = Client(random_seed=0)
    columns = [RangeParameterConfig(name, (0.0, 1.0), "float") for name in ("x", "y")]
    client.configure_experiment(columns)
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(strategy)
    return client


def loss(parameters: TParameterization) -> float:
    """Branin."""
    return -float(branin(torch.tensor([[parameters["x"], parameters["y"]]]).double()))


def after_design(node: GenerationNode) -> GenerationStrategy:
    """A few trials of a Sobol design, then a node."""
    enough = [MinTrials(threshold=DESIGN, transition_to=node.name, use_all_trials_in_exp=True)]
    spec = GeneratorSpec(Generators.SOBOL, generator_kwargs={"seed": 0})
    sobol = GenerationNode(name="Sobol", generator_specs=[spec], transition_criteria=enough)
    return GenerationStrategy(nodes=[sobol, node], name="of a tutorial")


def reached(client: Client, steps: int) -> Reached:
    """Ask for trials and complete them."""
    found = []
    for _ in range(DESIGN + steps):
        for index, parameters in client.get_next_trials(max_trials=1).items():
            found.append(-loss(parameters))
            client.complete_trial(index, {"loss": loss(parameters)})
    return Reached(max(found[:DESIGN]), max(found[DESIGN:]))


def quickstart(steps: int = 15) -> Reached:
    """Ask and tell: one line of the loop is ours."""
    strategy = popbo_generation_strategy(num_initial_trials=DESIGN)
    return reached(client_of(strategy), steps)


def modular_botorch(steps: int = 15) -> Reached:
    """A model, a kernel and an acquisition function by name, in a node of Ax's."""
    config = ModelConfig(
        botorch_model_class=RankingGP,
        covar_module_class=MaternKernel,
        covar_module_options={"nu": 2.5},
    )
    options = {
        "surrogate_spec": SurrogateSpec(model_configs=[config]),
        "botorch_acqf_class": qLogNoisyExpectedImprovement,
    }
    spec = GeneratorSpec(Generators.BOTORCH_MODULAR, generator_kwargs=options)
    node = GenerationNode(name="RankingGP", generator_specs=[spec])
    return reached(client_of(after_design(node)), steps)


class RankingNode(ExternalGenerationNode):
    """A node that keeps the model itself."""

    def __init__(self) -> None:
        super().__init__(name="ranking")

    def update_generator_state(self, experiment: Experiment, data: Data) -> None:
        """Fit the model to what was completed."""
        losses = data.df.set_index("arm_name")["mean"]
        arms = [experiment.arms_by_name[name] for name in losses.index]
        X = torch.tensor([[arm.parameters["x"], arm.parameters["y"]] for arm in arms]).double()
        outcomes = torch.tensor(losses.to_numpy()).double().unsqueeze(-1)
        self.model = RankingGP(X, -outcomes).fit()

    def get_next_candidate(self, pending_parameters: list[TParameterization]) -> TParameterization:
        """The point of the largest expected improvement."""
        pending = [[arm["x"], arm["y"]] for arm in pending_parameters]
        X_pending = torch.tensor(pending).double() if pending else None
        x, y = best(LogExpectedUtilityImprovement(self.model, X_pending=X_pending))[0].tolist()
        return {"x": x, "y": y}


def external_generation_node(steps: int = 15) -> Reached:
    """The model in a node that Ax knows nothing of."""
    return reached(client_of(after_design(RankingNode())), steps)


def early_stopping(steps: int = 15) -> Reached:
    """A trial whose first epoch is far behind is stopped; its last value counts."""
    client = client_of(popbo_generation_strategy(num_initial_trials=DESIGN))
    found, stopped = [], 0
    for _ in range(DESIGN + steps):
        for index, parameters in client.get_next_trials(max_trials=1).items():
            value, least = loss(parameters), -max(found, default=-torch.inf)
            if value > least + 40.0:  # after an epoch, with more to learn
                client.attach_data(index, {"loss": value + 5.0})
                client.mark_trial_early_stopped(index)
                stopped += 1
            else:
                client.complete_trial(index, {"loss": value})
            found.append(-value)
    assert stopped
    return Reached(max(found[:DESIGN]), max(found[DESIGN:]))


def human_in_the_loop(steps: int = 15) -> Reached:
    """Somebody ranks all trials, adds one of their own, and fixes a parameter once."""
    client = client_of(popbo_generation_strategy(num_initial_trials=DESIGN))
    found = {}

    def judge() -> None:
        report_ranking(client, sorted(found, key=found.__getitem__))

    for index, parameters in client.get_next_trials(max_trials=DESIGN).items():
        found[index] = loss(parameters)
    judge()
    first = max(-value for value in found.values())
    own = {"x": 0.9, "y": 0.2}
    found[client.attach_trial(own)] = loss(own)
    judge()
    for number in range(steps):
        fixed = {"y": 0.2} if number == 0 else None
        trials = client.get_next_trials(max_trials=1, fixed_parameters=fixed)
        found |= {index: loss(parameters) for index, parameters in trials.items()}
        judge()
    return Reached(first, -min(found.values()))


TUTORIALS = tutorials_of(globals())

if __name__ == "__main__":
    main(TUTORIALS)
