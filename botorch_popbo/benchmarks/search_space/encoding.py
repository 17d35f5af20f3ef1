"""Points of a search space as rows of a tensor, and back."""

from collections.abc import Sequence
from functools import cached_property, partial

import torch
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from torch import Tensor

from botorch_popbo.benchmarks.search_space.points import (
    ParameterConfig,
    from_unit_cube,
    to_unit_interval,
)
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.optim._maximize import MAX_LISTED, Domain, rounded_columns


class Encoding:
    """One column for each parameter.

    A range becomes its place between its ends, in [0, 1], on the scale that its parameter asks
    for; an ordered choice becomes its place in the list, spread evenly over [0, 1]; an unordered
    choice becomes its index, a whole number.

    Args:
        parameters: The search space.

    Attributes:
        choices: The codes of each column of choices, rising.
        categorical: Those of them without an order.
        integers: Columns of ranges of integers, each of which stands in the middle of the places
            that are rounded to it.
    """

    def __init__(self, parameters: Sequence[ParameterConfig]) -> None:
        self.parameters = parameters
        self.choices = {
            i: self._codes(config)
            for i, config in enumerate(parameters)
            if isinstance(config, ChoiceParameterConfig)
        }
        self.categorical = [
            i
            for i, config in enumerate(parameters)
            if isinstance(config, ChoiceParameterConfig) and not config.is_ordered
        ]
        self.integers = [
            i
            for i, config in enumerate(parameters)
            if isinstance(config, RangeParameterConfig) and config.parameter_type == "int"
        ]

    @property
    def is_box(self) -> bool:
        """Whether every parameter is a range of real numbers."""
        return not (self.choices or self.integers)

    @property
    def bounds(self) -> Tensor:
        """Smallest and largest value of each column, ``2 x d``."""
        upper = torch.ones(len(self.parameters), dtype=torch.float64)
        for i, codes in self.choices.items():
            upper[i] = codes[-1]
        return torch.stack([torch.zeros_like(upper), upper])

    def encode(self, parameters: Parameters) -> Tensor:
        """Encode one point as a tensor of shape ``d``."""
        values = [self._encode(i, parameters[c.name]) for i, c in enumerate(self.parameters)]
        return torch.tensor(values, dtype=torch.float64)

    def decode(self, x: Tensor) -> Parameters:
        """Decode a tensor of shape ``d``; choices and whole numbers are rounded."""
        cube = [self._fraction(i, value) for i, value in enumerate(x.tolist())]
        return from_unit_cube(self.parameters, cube)

    @cached_property
    def domain(self) -> Domain:
        """The columns as BoTorch's optimizers take them, short ranges of integers as lists."""
        listed = {i: codes.tolist() for i, codes in self.choices.items()}
        for i in self.integers:
            config = self.parameters[i]
            assert isinstance(config, RangeParameterConfig)
            low, high = map(int, config.bounds)
            if high - low < MAX_LISTED:
                listed[i] = [self._encode(i, value) for value in range(low, high + 1)]
        bounds = self.bounds
        for i, codes in listed.items():
            bounds[:, i] = bounds.new_tensor([codes[0], codes[-1]])
        return Domain(bounds, dict(sorted(listed.items())), self.categorical, self._snap)

    def _snap(self, X: Tensor) -> Tensor:
        """Move ``... x d`` points to the nearest integers."""
        return rounded_columns(X, {i: partial(self._nearest_integer, i) for i in self.integers})

    def _nearest_integer(self, index: int, place: float) -> float:
        config = self.parameters[index]
        return self._encode(index, from_unit_cube([config], [place])[config.name])

    def _fraction(self, index: int, value: float) -> float:
        if index not in self.choices:
            return min(max(value, 0.0), 1.0)
        codes = self.choices[index]
        nearest = int((codes - value).abs().argmin())
        return (nearest + 0.5) / len(codes)

    def _codes(self, config: ChoiceParameterConfig) -> Tensor:
        codes = torch.arange(len(config.values), dtype=torch.float64)
        return codes / max(len(codes) - 1, 1) if config.is_ordered else codes

    def _encode(self, index: int, value: bool | int | float | str) -> float:
        config = self.parameters[index]
        if isinstance(config, ChoiceParameterConfig):
            values: Sequence[object] = config.values
            return float(self.choices[index][values.index(value)])
        return to_unit_interval(config, float(value))
