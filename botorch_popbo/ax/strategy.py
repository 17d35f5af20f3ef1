"""Generation strategies for :meth:`ax.api.client.Client.set_generation_strategy`."""

from inspect import signature
from typing import Any, Literal, Unpack

from ax.adapter.registry import Generators, Mixed_transforms, Y_trans
from ax.adapter.transforms.map_key_to_float import MapKeyToFloat
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    UpperConfidenceBound,
    qLogNoisyExpectedImprovement,
)

from botorch_popbo.ax._checks import check_name, check_whole
from botorch_popbo.ax.generator_spec import NodeOptions, PresetName, RankAcquisitionName
from botorch_popbo.ax.nodes import InitialDesign, initial_node, popbo_node
from botorch_popbo.ax.sources import BestOfSources

GPAcquisitionName = Literal["logei", "ucb", "qlognei"]

_GP_ACQUISITIONS: dict[str, tuple[type[AcquisitionFunction], dict[str, Any]]] = {
    "logei": (LogExpectedImprovement, {}),
    "ucb": (UpperConfidenceBound, {"beta": 4.0}),
    "qlognei": (qLogNoisyExpectedImprovement, {}),
}


def popbo_generation_strategy(
    acquisition: RankAcquisitionName | type[AcquisitionFunction] | None = None,
    num_initial_trials: int = 12,
    seed: int | None = None,
    preset: PresetName = "default",
    initial_design: InitialDesign = "sobol",
    **options: Unpack[NodeOptions],
) -> GenerationStrategy:
    """An initial design followed by rank-based Bayesian optimization.

    Args:
        acquisition: ``"logei"``, ``"eri"``, ``"rlcb"``, or an acquisition function's class; see
            :func:`~botorch_popbo.ax.popbo_node`.
        num_initial_trials: Trials before the model takes over, at least two. Attached trials
            count; failed and abandoned ones do not. Without effect beside ``sources``: the first
            trial is the best of the first source, and the model takes over when one is complete, of
            a goal of several metrics two.
        seed: Seed of the design, the model and the optimizer. The same seed and results give
            the same candidates. By default the seed of PyTorch's global generator at the first
            suggestion, which ``torch.manual_seed``, ``Client(random_seed=...)`` and Ax's benchmark
            set; the strategy keeps it.
        preset: ``"default"``, a Gaussian process conditioned on the order of the outcomes;
            ``"paper"``, the network of Wang et al. (2023); or ``"exact"``, the same with the
            truncated law throughout.
        initial_design: ``"sobol"``, a scrambled Sobol sequence, or ``"uniform"``, as in the paper.
        **options: See :class:`~botorch_popbo.ax.NodeOptions`.

    Returns:
        A strategy for any goal that Ax can express: one metric, a weighted sum, several objectives,
        outcome constraints. Its suggestions carry the generator key ``"popbo-logei"``,
        ``"popbo-eri"`` or ``"popbo-rlcb"``; it never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    own = [*signature(popbo_generation_strategy).parameters][:-1]
    for name in options:
        check_name("option", name, [*own, *NodeOptions.__annotations__])
    check_whole("num_initial_trials", num_initial_trials, 2)  # a rank compares points
    model = popbo_node(acquisition, seed, preset, **options)
    told = model.generator_spec.generator_kwargs["transform_configs"]
    sources = told["LearnFromSources"]["sources"]
    number = 1 if sources else num_initial_trials
    nodes = [initial_node(model.name, number, seed, initial_design), model]
    if sources:
        nodes.insert(0, BestOfSources(model.name, nodes[0].name, sources))
    return GenerationStrategy(nodes=nodes)


def gp_generation_strategy(
    acquisition: GPAcquisitionName = "logei",
    num_initial_trials: int = 12,
    seed: int | None = None,
    initial_design: InitialDesign = "sobol",
) -> GenerationStrategy:
    """An initial design followed by Ax's Gaussian process, for comparison.

    Args:
        acquisition: ``"logei"``, ``"ucb"`` (with beta 4) or ``"qlognei"``. Only ``"qlognei"``
            accepts trials that run in parallel.
        num_initial_trials: Trials before the model takes over. Attached trials count; failed and
            abandoned ones do not.
        seed: Seed of the design, as above. The optimizer follows ``Client(random_seed=...)``.
        initial_design: ``"sobol"``, a scrambled Sobol sequence, or ``"uniform"``.

    Returns:
        A strategy whose suggestions carry the generator key ``"gp-logei"``, ``"gp-ucb"`` or
        ``"gp-qlognei"``.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_name("acquisition", acquisition, _GP_ACQUISITIONS)
    check_whole("num_initial_trials", num_initial_trials, 1)
    acquisition_class, options = _GP_ACQUISITIONS[acquisition]
    name = f"gp-{acquisition}"
    spec = GeneratorSpec(
        generator_enum=Generators.BOTORCH_MODULAR,
        generator_kwargs={
            "botorch_acqf_class": acquisition_class,
            "botorch_acqf_options": options,
            # Ax's own but for the one-hot relaxation of categories, whose candidates round to
            # points already evaluated; here the kernel handles categories.
            "transforms": [MapKeyToFloat, *Mixed_transforms, *Y_trans],
        },
        generator_key_override=name,
    )
    model = GenerationNode(
        name=name, generator_specs=[spec], should_deduplicate=True, fallback_specs={}
    )
    design = initial_node(name, num_initial_trials, seed, initial_design)
    return GenerationStrategy(nodes=[design, model])
