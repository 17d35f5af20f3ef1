"""The surrogate as Ax needs it: models of orders, predictions in the unit of the metrics."""

import math
import warnings
from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from inspect import signature
from itertools import chain
from typing import Any, cast

import torch
from ax.core.search_space import SearchSpaceDigest
from ax.core.types import TParameterization
from ax.exceptions.core import UserInputError
from ax.generators.torch.botorch_modular.surrogate import Surrogate, submodel_input_constructor
from ax.generators.torch.botorch_modular.utils import ModelConfig, fit_botorch_model
from ax.generators.torch_base import TorchOptConfig
from ax.generators.utils import filter_constraints_and_fixed_features
from botorch.models import SingleTaskGP
from botorch.models.model import Model, ModelList
from botorch.models.transforms.input import InputTransform
from botorch.utils.datasets import SupervisedDataset
from botorch.utils.types import _DefaultType
from torch import Tensor
from torch.nn import Module

from botorch_popbo.ax._goal import Goal
from botorch_popbo.data import Order, from_outcomes
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models import RankingGP, RankModel
from botorch_popbo.models.input_transforms import InactiveColumns, unit_cube
from botorch_popbo.models.outcome_model import OutcomeModel

_MODULES = "covar_module", "likelihood", "input_transform"

#: Of the objectives, and of the constraints.
GoalModels = tuple[list[RankModel], list[RankModel]]


class RankSurrogate(Surrogate):
    """Fits a model of an order to each metric, and to whatever else a goal is about.

    The models themselves answer in utilities or ranks. Ax's predictions are in the unit of the
    metrics; see :class:`OutcomeModel`.

    Attributes:
        minimized: The metrics of which less is better, as
            :class:`~botorch_popbo.ax.transforms.TellSurrogate` sets them.
        sources: Of each metric the encoded points and the outcomes of every earlier experiment.
    """

    minimized: Set[str] = frozenset()
    sources: Mapping[str, Sequence[tuple[Sequence[TParameterization], Tensor]]] = {}

    @torch.enable_grad()
    def fit(
        self,
        datasets: Sequence[SupervisedDataset],
        search_space_digest: SearchSpaceDigest,
        *options: Any,
        **named: Any,
    ) -> None:
        """See :meth:`ax.generators.torch.botorch_modular.surrogate.Surrogate.fit`.

        Raises:
            UserInputError: If the configured model is none of an order.
        """
        spec = self.surrogate_spec
        for config in chain(spec.model_configs, *spec.metric_to_model_configs.values()):
            if not issubclass(config.botorch_model_class or Model, RankModel):
                raise UserInputError(
                    f"A RankSurrogate fits models of an order, not {config.botorch_model_class}. "
                    "Pass SurrogateSpec(model_configs=[ModelConfig(botorch_model_class=RankingGP)])"
                    "; for a model of values use Ax's own surrogate."
                )
        self._goal_models: dict[Hashable, GoalModels] = {}
        self.inactive = _inactive_columns(search_space_digest)
        larger_better = [self._larger_better(dataset) for dataset in datasets]
        super().fit(larger_better, search_space_digest, *options, **named)

    @property
    def model(self) -> Model:
        """What Ax predicts with: the outcome models of all metrics."""
        models = [*map(OutcomeModel, self.metric_models, self.signs.tolist())]
        return models[0] if len(models) == 1 else ModelList(*models)

    @property
    def signs(self) -> Tensor:
        """Of each metric 1, or -1 where less is better."""
        signs = [-1.0 if name in self.minimized else 1.0 for name in self.outcomes]
        return torch.tensor(signs, dtype=self.dtype, device=self.device)

    def goal(self, config: TorchOptConfig) -> Goal:
        """What an experiment is after, in terms of metrics of which more is better."""
        constraints = config.outcome_constraints
        return Goal(
            config.objective_weights * self.signs,
            None if constraints is None else (constraints[0] * self.signs, constraints[1]),
            config.objective_thresholds,
        )

    @property
    def metric_models(self) -> list[RankModel]:
        """The fitted models of the metrics, in the order of :attr:`outcomes`."""
        fitted = super().model
        models = [*fitted.models] if isinstance(fitted, ModelList) else [fitted]
        return cast(list[RankModel], models)

    def orders_of_sources(self, dataset: SupervisedDataset) -> list[Order]:
        """What earlier experiments say of one metric, an order each."""
        place, [metric] = self.inactive or Tensor.clone, dataset.outcome_names
        sign = -1.0 if metric in self.minimized else 1.0
        orders = []
        for points, Y in self.sources.get(metric, ()):
            rows = [[point[name] for name in dataset.feature_names] for point in points]
            orders.append(from_outcomes(place(dataset.X.new_tensor(rows)), sign * Y.to(dataset.Y)))
        return orders

    def clone_reset(self) -> "RankSurrogate":
        """A new surrogate with the same options, for held-out points."""
        clone = cast(RankSurrogate, super().clone_reset())
        clone.minimized, clone.sources = self.minimized, self.sources
        return clone

    def goal_models(self, goal: Goal, seed: int, separate: bool) -> GoalModels:
        """The models of a goal, fitted once for the data at hand.

        Args:
            goal: The goal.
            seed: Seed of the trade-offs between objectives.
            separate: Whether objectives and constraints have models of their own. Otherwise all
                points are put into one order, feasible ones first.

        Returns:
            The models of the objectives, and those of the constraints.

        Raises:
            InputDataError: If fewer than two points can be ranked.
        """
        key = (goal.key, seed, separate)
        if key not in self._goal_models:
            self._goal_models[key] = self._fit_goal(goal, seed, separate)
        return self._goal_models[key]

    def points_inside(self, X: Tensor, digest: SearchSpaceDigest, **others: Any) -> Tensor:
        """The points of a search space, wherever their inactive parameters are.

        Args:
            X: Points, an ``n x d`` tensor. Their inactive parameters have a value in the middle of
                a space that trials outside of this one may have widened.
            digest: The search space.
            **others: Further arguments of Ax's ``filter_constraints_and_fixed_features``.

        Returns:
            Those of the points that lie inside.
        """
        inactive = _inactive_columns(digest)
        placed = X if inactive is None else inactive(X)
        inside: Tensor = filter_constraints_and_fixed_features(placed, digest.bounds, **others)
        return inside if self.inactive is None else self.inactive(inside)

    def best_in_sample_point(
        self,
        search_space_digest: SearchSpaceDigest,
        torch_opt_config: TorchOptConfig,
        options: Mapping[str, object] | None = None,
    ) -> tuple[Tensor, float]:
        """The point that the model recommends of those that satisfy all constraints as measured.

        See :meth:`ax.generators.torch.botorch_modular.surrogate.Surrogate.best_in_sample_point`.

        Returns:
            The point, of shape ``d``, and NaN, because a utility is not a value of the objective.

        Raises:
            ValueError: If no point satisfies the constraints.
        """
        goal = self.goal(torch_opt_config)
        measured = goal.measured(self.training_data)
        possible = self.points_inside(
            measured.X[(measured.slack >= 0.0).all(-1) & ~measured.objectives.isneginf().any(-1)],
            search_space_digest,
            linear_constraints=torch_opt_config.linear_constraints,
            fixed_features=torch_opt_config.fixed_features,
        )
        [model, *_], _ = self.goal_models(goal, seed=0, separate=True)
        is_possible = is_row_of(model.known_X, possible)
        if not bool(is_possible.any()):
            raise ValueError("No evaluated point in the search space satisfies all constraints.")
        return model.recommended_among(is_possible), math.nan

    def _larger_better(self, dataset: SupervisedDataset) -> SupervisedDataset:
        """The same data, larger being better, without what would end a search for another metric.

        An infinitely good value is at the best finite one, and an infinite variance is unknown.
        Points that differ in inactive parameters only are one.
        """
        Y, Yvar, [metric] = dataset.Y, dataset.Yvar, dataset.outcome_names
        if metric in self.minimized:
            Y = -Y
        if bool(Y.isposinf().any()):
            finite = Y[Y.isfinite()]
            Y = Y.clamp_max(finite.max() if len(finite) else 0.0)
        return SupervisedDataset(
            X=dataset.X if self.inactive is None else self.inactive(dataset.X),
            Y=Y,
            Yvar=None if Yvar is None else Yvar.masked_fill(Yvar.isinf(), math.nan),
            feature_names=dataset.feature_names,
            outcome_names=dataset.outcome_names,
            group_indices=dataset.group_indices,
        )

    def _fit_goal(self, goal: Goal, seed: int, separate: bool) -> GoalModels:
        if goal.is_one_metric:
            return [self.metric_models[goal.metrics[0]]], []
        measured = goal.measured(self.training_data)
        if not separate:
            return [self._fitted(goal.metrics[0], goal.order_of_all(measured, seed))], []
        objectives, slacks = goal.orders(measured)
        return [self._fitted(*o) for o in objectives], [self._fitted(*o) for o in slacks]

    def _fitted(self, metric: int, order: Order) -> RankModel:
        """A model of an order: that of the metric if it sorts the points alike, or a new one."""
        model = self.metric_models[metric]
        agrees = model.order is not None and model.order.agrees_with(order)
        return model if agrees else model.with_order(order).fit()


@submodel_input_constructor.register(RankModel)
def _model_inputs(
    botorch_model_class: type[RankModel],
    model_config: ModelConfig,
    dataset: SupervisedDataset,
    search_space_digest: SearchSpaceDigest,
    surrogate: Surrogate,
) -> dict[str, Any]:
    """What Ax makes a model of; what a configuration names replaces what is ours.

    Raises:
        UserInputError: If a field of the configuration is set that the model has no use for.
    """
    spec, [metric] = surrogate.surrogate_spec, dataset.outcome_names
    # As they were given: Ax has filled in an mll_class by now.
    for config in spec.metric_to_model_configs.get(metric, spec.model_configs):
        if config.botorch_model_class is botorch_model_class:
            _check_config(config)
    is_gp, orders = issubclass(botorch_model_class, RankingGP), []
    inputs: dict[str, Any] = botorch_model_class.construct_inputs(dataset)
    if isinstance(surrogate, RankSurrogate):
        orders = surrogate.orders_of_sources(dataset)
    else:
        text = (
            "Without a RankSurrogate Ax takes utilities or ranks for predictions of the metric. "
            "Pass surrogate=RankSurrogate(SurrogateSpec(...)) in place of surrogate_spec."
        )
        warnings.warn(text, stacklevel=2)
    if orders:
        inputs["sources"] = orders
    elif is_gp and bool((dataset.X[:1] == dataset.X).all()):
        # A tracking metric may have a single point: no order, but nothing to stop for.
        inputs["sources"] = [Order.without_lists(dataset.X[:1])]
    # To a kernel two categories are as far apart as the ends of the unit interval; a network takes
    # one-hot columns of zeros and ones.
    scale = 2**-0.5 if is_gp else 1.0
    inputs["input_transform"] = _input_transform(search_space_digest, dataset.X, scale)
    inputs |= model_config.model_options
    make = partial(_modules, digest=search_space_digest, surrogate=surrogate)
    if not isinstance(model_config.input_transform_classes, _DefaultType):
        inputs["input_transform"] = make(model_config, dataset).get("input_transform")
    X, transform = dataset.X, inputs["input_transform"]
    X = transform(X) if isinstance(transform, InputTransform) else X  # as a kernel sees them
    names = [str(i) for i in range(X.shape[-1])]
    encoded = SupervisedDataset(X, dataset.Y, feature_names=names, outcome_names=[metric])
    inputs |= make(replace(model_config, input_transform_classes=None), encoded)
    arguments = signature(botorch_model_class).parameters
    if unknown := [name for name in inputs if name not in arguments]:
        raise UserInputError(
            f"{botorch_model_class.__name__} takes no {' or '.join(unknown)}, which the "
            f"ModelConfig asks for. Leave it out; model_options may hold {', '.join(arguments)}."
        )
    return inputs


def _modules(
    config: ModelConfig, dataset: SupervisedDataset, digest: SearchSpaceDigest, surrogate: Surrogate
) -> dict[str, Module | None]:
    """The modules that a configuration names, as Ax makes them for a GP of one outcome."""
    made = submodel_input_constructor(
        SingleTaskGP,
        model_config=replace(config, model_options={}),
        dataset=dataset,
        search_space_digest=SearchSpaceDigest(digest.feature_names, digest.bounds),
        surrogate=surrogate,
    )
    return {name: made[name] for name in _MODULES if name in made}


def _check_config(config: ModelConfig) -> None:
    """Refuse what is set in a configuration and would have no effect."""
    needs = {
        "mll_class": False,
        "covar_module_options": config.covar_module_class,
        "likelihood_options": config.likelihood_class,
        "input_transform_options": isinstance(config.input_transform_classes, list),
        "mll_options": False,
        "outcome_transform_classes": False,
        "outcome_transform_options": False,
    }
    useless = [name for name, is_met in needs.items() if getattr(config, name) and not is_met]
    if useless:
        raise UserInputError(
            f"ModelConfig.{useless[0]} would have no effect: the model is fitted by the evidence "
            "of the order, and learns from a metric as it is reported; other options go with the "
            "class that they are for. Leave it out, or name the class."
        )


@fit_botorch_model.register(RankModel)
def _fit(model: RankModel, **_: object) -> None:
    """Let Ax train the model; marginal likelihoods do not apply."""
    model.fit()


def _input_transform(digest: SearchSpaceDigest, X: Tensor, scale: float) -> InputTransform:
    """Map the search space to the unit cube, with one-hot columns for its categories."""
    choices = {i: digest.discrete_choices[i] for i in digest.categorical_features}
    categories = {i: values for i, values in choices.items() if len(values) > 1}
    numeric = [i for i in range(len(digest.feature_names)) if i not in choices]
    bounds = X.new_tensor(digest.bounds).T
    return unit_cube(bounds, numeric, categories, scale, _inactive_columns(digest))


def _inactive_columns(digest: SearchSpaceDigest) -> InactiveColumns | None:
    """What maps points that differ only in parameters without a meaning to one, if there are any.

    It gives these a value in the middle.
    """
    if not digest.hierarchical_dependencies:
        return None
    middle = {column: (low + high) / 2.0 for column, (low, high) in enumerate(digest.bounds)}
    listed = {i: sorted(values)[len(values) // 2] for i, values in digest.discrete_choices.items()}
    return InactiveColumns(digest.hierarchical_dependencies, middle | listed)
