"""The search space of a study, as columns of numbers."""

import math
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any

import torch
from botorch.models.transforms.input import InputTransform
from botorch.utils.sampling import draw_sobol_samples
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from botorch_popbo.models.input_transforms import InactiveColumns, unit_cube
from botorch_popbo.optim._maximize import Domain, rounded_columns
from botorch_popbo.optuna._axis import Axis, has_values
from botorch_popbo.optuna._dependence import Dependents, find_dependents
from botorch_popbo.optuna._repeats import Repeats
from botorch_popbo.optuna._sharing import shared_point


def all_parameters(trials: Iterable[FrozenTrial]) -> dict[str, BaseDistribution]:
    """Every parameter that a trial asked for, as the last one did; without those of one value."""
    latest: dict[str, BaseDistribution] = {}
    for trial in trials:
        latest |= trial.distributions
    return {name: latest[name] for name in sorted(latest) if has_values(latest[name])}


class Space:
    """Parameters as columns, some of which may have a meaning beside some values of others only.

    Args:
        distributions: At least one parameter by name, with several values each.
        trials: Trials that show which parameters are asked for; only completed ones do.
    """

    def __init__(
        self, distributions: Mapping[str, BaseDistribution], trials: Iterable[FrozenTrial]
    ) -> None:
        self.axes = {name: Axis(distribution) for name, distribution in distributions.items()}
        self._completed = [trial for trial in trials if trial.state == TrialState.COMPLETE]
        rows = [self._places(trial.params) for trial in self._completed]
        self._rows = [row for row in rows if row]
        self._required = [name for name in self.axes if all(name in row for row in self._rows)]

    @property
    def key(self) -> Hashable:
        """Equal for the same parameters that depend on each other in the same way."""
        axes = tuple((name, repr(axis.distribution)) for name, axis in self.axes.items())
        return (*axes, repr(self._dependents))

    @cached_property
    def domain(self) -> Domain:
        """Where to search."""
        axes = list(self.axes.values())
        return Domain(
            bounds=torch.tensor(
                [[a.low for a in axes], [a.high for a in axes]], dtype=torch.double
            ),
            choices={i: a.values for i, a in enumerate(axes) if a.values is not None},
            categorical=[i for i, a in enumerate(axes) if a.is_categorical],
            snap=self._snap,
            inactive=self._filled if self._inactive or self._repeats else None,
        )

    def input_transform(self) -> InputTransform:
        """What maps points to the unit cube, categories to one column each."""
        domain = self.domain
        numeric = [i for i in range(len(self.axes)) if i not in domain.categorical]
        categories = {i: domain.choices[i] for i in domain.categorical}
        return unit_cube(domain.bounds, numeric, categories, inactive=self._inactive)

    def draw(self, number: int, seed: int) -> Tensor:
        """Quasi-random points, ``n x d``; more of them begin with the same."""
        unit = torch.tensor([[0.0], [1.0]]).double().expand(2, len(self.axes))
        drawn = draw_sobol_samples(unit, number, 1, seed=seed % 2**31).squeeze(1)
        places = [
            [axis.at(u) for axis, u in zip(self.axes.values(), row, strict=True)]
            for row in drawn.tolist()
        ]
        return self._filled(torch.tensor(places, dtype=torch.double))

    def point(self, parameters: Mapping[str, Any]) -> Tensor | None:
        """Parameters as a point of shape ``d``.

        ``None`` if there is none of them, if one is missing that all trials have, or if one has no
        place, such as 0 on a logarithmic scale.
        """
        x = self._active_point(parameters)
        return None if x is None else self._filled(x).squeeze(0)

    def parameters(self, x: Tensor) -> dict[str, Any]:
        """A point of shape ``d`` as parameters."""
        places = zip(self.axes.items(), x.tolist(), strict=True)
        return {name: axis.value(place) for (name, axis), place in places}

    def _places(self, parameters: Mapping[str, Any]) -> dict[str, float] | None:
        try:
            places = {
                name: axis.place(parameters[name])
                for name, axis in self.axes.items()
                if name in parameters
            }
        except ValueError:  # trials that were added may be of other distributions
            return None
        # What is enqueued may be infinite.
        return places if all(map(math.isfinite, places.values())) else None

    def _active_point(self, parameters: Mapping[str, Any]) -> Tensor | None:
        """Parameters as a point that may repeat a trial, ``1 x d``."""
        row = self._places(parameters)
        if not row or any(name not in row for name in self._required):
            return None
        places = [row.get(name, axis.middle) for name, axis in self.axes.items()]
        return self._without_inactive(torch.tensor([places], dtype=torch.double))

    def _filled(self, X: Tensor) -> Tensor:
        active = self._without_inactive(X)
        return active if self._repeats is None else self._repeats(active)

    def _without_inactive(self, X: Tensor) -> Tensor:
        if self._inactive is None:
            return X
        filled: Tensor = self._inactive(X)
        return filled

    def _snap(self, X: Tensor) -> Tensor:
        """Round the columns of fine grids."""
        relaxed = {i: a.rounded for i, a in enumerate(self.axes.values()) if a.is_relaxed}
        return rounded_columns(X, relaxed)

    @cached_property
    def _repeats(self) -> Repeats | None:
        """Of trials that did not ask for something though it had been suggested for them."""
        distributions = {name: axis.distribution for name, axis in self.axes.items()}
        found = []
        for trial in self._completed:
            asked = [i for i, name in enumerate(self.axes) if name in trial.params]
            if 0 < len(asked) < len(self.axes):
                told = shared_point(trial, distributions)
                x = self._active_point(told)
                if x is not None and self.axes.keys() <= told.keys():
                    found.append((x.squeeze(0), asked))
        return Repeats(found) if found else None

    @cached_property
    def _dependents(self) -> Dependents:
        listed = {name: a.values for name, a in self.axes.items() if a.values is not None}
        return find_dependents(self._rows, listed)

    @cached_property
    def _inactive(self) -> InactiveColumns | None:
        if not self._dependents:
            return None
        column = {name: i for i, name in enumerate(self.axes)}
        dependents = {
            column[parent]: {v: [column[c] for c in names] for v, names in by_value.items()}
            for parent, by_value in self._dependents.items()
        }
        fill = {column[name]: axis.middle for name, axis in self.axes.items()}
        return InactiveColumns(dependents, fill)
