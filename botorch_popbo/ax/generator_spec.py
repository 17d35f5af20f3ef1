"""What generates a rank node's candidates: the model, its transforms and what it maximizes."""

import math
from collections.abc import Iterable
from typing import Literal, TypedDict

import pandas as pd
import torch
from ax.adapter.registry import Generators
from ax.adapter.transforms.choice_encode import ChoiceToNumericChoice
from ax.adapter.transforms.derelativize import Derelativize
from ax.adapter.transforms.log import Log
from ax.adapter.transforms.logit import Logit
from ax.adapter.transforms.remove_fixed import RemoveFixed
from ax.adapter.transforms.unit_x import UnitX
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from botorch.acquisition import AcquisitionFunction

from botorch_popbo._plain import whole
from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.sources import as_evaluations
from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.ax.transforms import FailedTrialsLast, OrderedLeafToIntegerRange, TellSurrogate
from botorch_popbo.models import PoissonRankModel, RankingGP, RankModel
from botorch_popbo.settings import Settings, read_settings

PresetName = Literal["default", "paper", "exact"]
RankAcquisitionName = Literal["logei", "eri", "rlcb"]

#: The transforms of a rank model, in this order.
# No outcome transform beside the sign: winsorizing would tie distinct outcomes. Ordered choices
# become whole numbers, unordered ones keep a column each that the model encodes one-hot. Optimizers
# stop at a small gradient, and a wide range makes it small.
RANK_TRANSFORMS = [
    FailedTrialsLast,
    RemoveFixed,
    OrderedLeafToIntegerRange,
    ChoiceToNumericChoice,
    Log,
    Logit,
    UnitX,
    Derelativize,
    TellSurrogate,
]

#: The model must not learn from parameters without a meaning, which depend on what is kept. And
#: what is relative is so to the baseline as measured: its prediction is an average over ranks.
RANK_TRANSFORM_CONFIGS: dict[str, dict[str, object]] = {
    "Cast": {"flatten_hss": False},
    "Derelativize": {"use_raw_status_quo": True},
}

#: What a rank model's node may maximize, and the models there are, by name.
RANK_ACQUISITIONS: dict[str, type[AcquisitionFunction]] = {
    "logei": LogExpectedUtilityImprovement,
    "eri": ExpectedRankingImprovement,
    "rlcb": RectifiedLowerConfidenceBound,
}
PRESETS: dict[str, type[RankModel]] = {
    "default": RankingGP,
    "paper": PoissonRankModel,
    "exact": PoissonRankModel,
}


class NodeOptions(TypedDict, total=False):
    """The options of a node with a rank model.

    Attributes:
        max_parallelism: While so many trials run, the node suggests none and Ax raises
            ``MaxParallelismReachedException``; by default any number may run. How many are
            suggested at a time is up to ``get_next_trials(max_trials=...)``.
        device: Where to compute, such as ``"cuda:0"``; by default on the CPU. Ax computes in
            float64 everywhere.
        num_restarts: Starting points of BoTorch's optimizer, by default as many as the space and
            the acquisition function need. Without effect where every point of a discrete space is
            looked at.
        raw_samples: Points that the starting points are chosen from, likewise.
        sources: Tables of earlier experiments over the same parameters, for the default preset: a
            row for each evaluation and a column for each parameter and metric, as
            ``client.summarize()`` returns them.
        order_only: Whether the default preset ignores how far apart outcomes are, so that
            any increasing transform of a metric gives the same suggestions bit for bit.
        simplify_parameter_changes: As in Ax's own strategies, whether parameters that hardly matter
            go back to ``configure_optimization(pruning_target_parameterization=...)``.
        settings: Numbers that change a suggestion, of the model, what is maximized and the search.
    """

    max_parallelism: int | None
    device: str | None
    num_restarts: int | None
    raw_samples: int | None
    sources: Iterable[pd.DataFrame]
    order_only: bool
    simplify_parameter_changes: bool
    settings: Settings


def rank_generator_spec(
    acquisition: RankAcquisitionName | type[AcquisitionFunction] | None,
    seed: int | None,
    preset: PresetName,
    options: NodeOptions,
) -> GeneratorSpec:
    """The specification of a generator whose key is "popbo-" and the acquisition function's name.

    Args:
        acquisition: See :func:`~botorch_popbo.ax.popbo_node`.
        seed: Seed of the model and the optimizer; see :func:`popbo_generation_strategy`.
        preset: Which model.
        options: Everything else.

    Returns:
        The specification.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    for option in options:
        check_name("option", option, NodeOptions.__annotations__)
    check_name("preset", preset, PRESETS)
    seed = None if seed is None else check_whole("seed", seed, 0)
    settings = read_settings(options.get("settings"), options.get("order_only", False))
    is_gp = PRESETS[preset] is RankingGP
    name, function = _named(acquisition or ("logei" if is_gp else "eri"))
    if function is LogExpectedUtilityImprovement and not is_gp:
        raise UserInputError(
            f'acquisition="logei" needs a model with uncertainty, which preset={preset!r} lacks; '
            'use preset="default", or acquisition="eri" or "rlcb".'
        )
    sources = as_evaluations(options.get("sources", ()))
    if sources and not is_gp:
        raise UserInputError(f'sources need preset="default"; got preset={preset!r}.')
    generator_kwargs = {
        "surrogate": _surrogate(preset, seed, settings),
        "botorch_acqf_class": function,
        "botorch_acqf_options": _acquisition_options(function, preset, settings),
        "acquisition_class": RankAcquisition,
        "acquisition_options": {
            "seed": seed,
            "settings": settings,
            "prune_irrelevant_parameters": options.get("simplify_parameter_changes", False),
        },
        # A network is searched in the parameters' own units, as ever.
        "transforms": [t for t in RANK_TRANSFORMS if is_gp or t is not UnitX],
        "transform_configs": RANK_TRANSFORM_CONFIGS | {"TellSurrogate": {"sources": sources}},
        "torch_device": _device(options.get("device")),
        "fit_tracking_metrics": is_gp,
        # Predictions of held-out points would otherwise come from a model that saw them.
        "refit_on_cv": True,
        "warm_start_refit": False,
    }
    sizes = _optimizer_sizes(options)
    return GeneratorSpec(
        generator_enum=Generators.BOTORCH_MODULAR,
        generator_kwargs=generator_kwargs,
        generator_gen_kwargs={"model_gen_options": {"optimizer_kwargs": sizes}} if sizes else {},
        generator_key_override=f"popbo-{name}",
    )


def _named(acquisition: str | type[AcquisitionFunction]) -> tuple[str, type[AcquisitionFunction]]:
    """Name and class of an acquisition function."""
    if not isinstance(acquisition, type):
        check_name("acquisition", acquisition, RANK_ACQUISITIONS)
        return acquisition, RANK_ACQUISITIONS[acquisition]
    if not issubclass(acquisition, AcquisitionFunction):
        raise UserInputError(f"{acquisition.__name__} is not a BoTorch acquisition function.")
    names = {function: name for name, function in RANK_ACQUISITIONS.items()}
    return names.get(acquisition, acquisition.__name__), acquisition


def _surrogate(preset: PresetName, seed: int | None, settings: Settings) -> RankSurrogate:
    model, options = PRESETS[preset], dict[str, object](settings=settings.model)
    if model is PoissonRankModel:
        options = {"settings": settings.paper, "seed": seed}
    if preset == "paper":
        options["untruncated_from"] = settings.paper.untruncated_from
    config = ModelConfig(botorch_model_class=model, model_options=options, name=preset)
    return RankSurrogate(SurrogateSpec(model_configs=[config]))


def _acquisition_options(
    function: type[AcquisitionFunction], preset: PresetName, settings: Settings
) -> dict[str, object]:
    """Options of the paper's acquisition functions; the others need none."""
    if function is RectifiedLowerConfidenceBound and preset != "default":
        return {"poisson_deviation": preset == "paper"}
    if function is ExpectedRankingImprovement and preset == "default":
        return {"settings": settings.acquisition}
    return {}


def _device(device: str | torch.device | None) -> torch.device | None:
    """Where to compute, if it is there and has double precision."""
    try:
        torch.empty(0, dtype=torch.double, device=device or "cpu")
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        raise UserInputError(
            f"Unknown device {device!r}, or not usable on this machine. Use, for example, "
            "'cpu' or 'cuda:0'."
        ) from error
    return None if device is None else torch.device(device)


def _optimizer_sizes(options: NodeOptions) -> dict[str, int]:
    """How many points BoTorch's optimizer starts from and draws, where it is said."""
    given = {"num_restarts": options.get("num_restarts"), "raw_samples": options.get("raw_samples")}
    sizes = {name: check_whole(name, n, 1) for name, n in given.items() if n is not None}
    restarts, samples = sizes.get("num_restarts", 1), sizes.get("raw_samples", math.inf)
    if samples < restarts:
        raise UserInputError(
            f"raw_samples must be at least num_restarts; got {samples} and {restarts}."
        )
    return sizes


def check_whole(name: str, value: object, least: int) -> int:
    """Refuse what is not a whole number, or too small.

    Args:
        name: Name of the option.
        value: Its value.
        least: The smallest value allowed.

    Returns:
        The value as Python's own whole number: those of NumPy cannot be stored.

    Raises:
        UserInputError: If it is not a whole number, too small, or of more than 63 bits.
    """
    number = whole(value)
    if number is None or not least <= number < 2**63:  # which a seed of PyTorch is below
        raise UserInputError(
            f"{name} must be a whole number of at least {least}, below 2**63; got {value!r}."
        )
    return number


def check_name(option: str, name: object, known: Iterable[str]) -> None:
    """Refuse an unknown name.

    Args:
        option: What is named.
        name: The name.
        known: All names there are.

    Raises:
        UserInputError: If it is none of them.
    """
    if name not in [*known]:
        raise UserInputError(f"Unknown {option} {name!r}; known: {', '.join(known)}.")
