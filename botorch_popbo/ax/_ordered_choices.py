"""Ordered choices as whole numbers, and values that are none of them in between."""

from typing import Any

from ax.adapter.base import Adapter
from ax.adapter.transforms.choice_encode import OrderedChoiceToIntegerRange
from ax.core.parameter import ChoiceParameter, Parameter
from ax.core.search_space import SearchSpace
from ax.exceptions.core import UserInputError
from numpy import interp, rint


class OrderedLeafToIntegerRange(OrderedChoiceToIntegerRange):
    """Turn ordered choices into whole numbers, unless other parameters depend on them.

    Ax refuses the latter, because a range of integers has no dependents. Numbers of trials that are
    none of the choices lie between them, where Ax would count them as further choices.
    """

    def __init__(
        self,
        search_space: SearchSpace | None = None,
        *,
        adapter: Adapter | None = None,
        **others: Any,
    ) -> None:
        # An adapter adds the values of all trials to the space that it passes on.
        own = search_space if adapter is None else adapter._experiment.search_space
        super().__init__(own, adapter=adapter, **others)
        self.encoded_parameters = {
            name: Places(name, encoding) for name, encoding in self.encoded_parameters.items()
        }

    def _should_encode(self, p: Parameter) -> bool:
        return not p.is_hierarchical and super()._should_encode(p)

    def transform_search_space(self, search_space: SearchSpace) -> SearchSpace:
        """See :class:`ax.adapter.transforms.base.Transform`."""
        for name, places in self.encoded_parameters.items():
            parameter = search_space.parameters.get(name)
            if isinstance(parameter, ChoiceParameter):
                parameter.set_values([value for value in parameter.values if value in places])
        return super().transform_search_space(search_space)


class Places(dict[Any, Any]):
    """The number of each choice, and a place for every other number.

    Args:
        name: Name of the parameter.
        encoding: The number of each choice.
    """

    def __init__(self, name: str, encoding: dict[Any, int]) -> None:
        super().__init__(encoding)
        self.name = name

    def __missing__(self, value: Any) -> float:
        try:
            # Beyond the ends is one step away.
            place = float(interp(value, [*map(float, self)], [*self.values()], -1, len(self)))
        except (TypeError, ValueError):
            raise UserInputError(
                f"{self.name!r} is {value!r} in a trial, which is none of {list(self)}."
            ) from None
        # The choices of a range with steps are sums of them, with an error of rounding.
        nearest = float(rint(place))
        return nearest if abs(place - nearest) < 1e-9 else place
