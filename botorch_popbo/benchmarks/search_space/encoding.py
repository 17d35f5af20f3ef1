"""Points of a search space as rows of a tensor, and back."""

from collections.abc import Sequence

import torch
from ax.api.configs import ChoiceParameterConfig
from torch import Tensor

from botorch_popbo.benchmarks.search_space.points import (
    ParameterConfig,
    from_unit_cube,
    to_unit_interval,
)
from botorch_popbo.benchmarks.settings import Parameters


class Encoding:
    """One column for each parameter.

    A range becomes its place between its ends, in [0, 1], on the scale that its parameter asks
    for; an ordered choice becomes its place in the list, spread evenly over [0, 1]; an unordered
    choice becomes its index, a whole number.

    Args:
        parameters: The search space.
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

    @property
    def is_discrete(self) -> bool:
        """Whether every parameter is a choice."""
        return len(self.choices) == len(self.parameters)

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
