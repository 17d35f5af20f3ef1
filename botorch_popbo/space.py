"""What the parameters of a search may be, and its points as numbers."""

import math
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from itertools import chain
from typing import Self

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from botorch.exceptions.warnings import InputDataWarning
from botorch.models.transforms.input import InputTransform
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo._plain import Value, plain, whole
from botorch_popbo.models.input_transforms import InactiveColumns, unit_cube

#: How a parameter is written: ``(low, high)`` or ``(low, high, "log")`` for a range, of whole
#: numbers if both ends are; a list for choices, of which numbers are in their order, text, truth
#: values and what stands beside ``None`` in none. A file without tuples says ``{"range": [...]}``,
#: perhaps with a ``"step"``, and ``{"choices": [...]}``; ``{"ordered": [...]}`` lists choices whose
#: order is the list's. A number, a text or a truth value, by itself or alone in a list, is a
#: constant. ``{"rbf": {"gamma": (1e-3, 1.0, "log")}, "linear": {}}`` is a choice with what has a
#: meaning beside each only; a file whose choices are not texts has ``{"branches": [[true, {...}],
#: [false, {}]]}``.
#: A distribution of Optuna's is what is written like it: of categories that are numbers an order.
Notation = Sequence[object] | Mapping[Value, object] | float
#: By the name of a parameter that decides, by its choice, the parameters that have a meaning there.
Dependents = Mapping[str, Mapping[float, Sequence[str]]]

_KEYS = ("range", "step", "choices", "ordered", "branches")
_BRANCHES = '{"rbf": {"gamma": (1e-3, 1.0)}, "linear": {}}'
_HELP = (
    'write (low, high) or (low, high, "log") for a range, [a, b, c] for choices, and '
    f"{_BRANCHES} for choices with parameters of their own; in TOML write range = [low, high] or "
    "choices = [a, b, c]"
)


@dataclass(frozen=True)
class Parameter:
    """A range, perhaps in steps or on a logarithmic scale, or choices.

    A value is searched as a number, its place: itself, its natural logarithm on a logarithmic
    scale, or its index among choices.

    Attributes:
        low: The smallest value; of choices 0.
        high: The largest value; of choices the largest index.
        step: The distance of two values; ``None`` if all numbers of the range are values.
        is_log: Whether the scale is logarithmic.
        choices: The choices, if it has some.
        is_ordered: Whether choices have an order, in which they are evenly spaced.

    Raises:
        InputDataError: If an end is not finite, not below the other, or too far from it, or not
            above zero on a logarithmic scale.
    """

    low: float
    high: float
    step: float | None = None
    is_log: bool = False
    choices: tuple[Value, ...] | None = None
    is_ordered: bool = True

    def __post_init__(self) -> None:
        if not (self.low < self.high and float(self.high) - float(self.low) < math.inf):
            raise InputDataError(
                "A range needs two finite ends, the lower one first"
                f"{', and a finite width' * (self.low < self.high)}; "
                f"got {self.low:g} and {self.high:g}."
            )
        if self.is_log and self.low <= 0:
            raise InputDataError(f"A logarithmic range must be above zero; {self.low!r} is not.")

    @classmethod
    def of_choices(cls, choices: Sequence[Value], is_ordered: bool) -> Self:
        """Choices, at least two that differ.

        Raises:
            InputDataError: If two are equal, or there is one alone.
        """
        different = [choice for i, choice in enumerate(choices) if _index(choices, choice) == i]
        if len(different) < max(len(choices), 2):
            raise InputDataError(f"List at least two different choices, not {list(choices)!r}.")
        return cls(0, len(choices) - 1, 1, choices=tuple(choices), is_ordered=is_ordered)

    @classmethod
    def read(cls, notation: Value) -> Self:
        """A parameter as it is written; see :data:`Notation`.

        Raises:
            InputDataError: If it is written in another way.
        """
        content = notation
        if not isinstance(notation, Mapping):
            content = {"range" if isinstance(notation, tuple) else "choices": notation}
        if wrong := [key for key in content if key not in _KEYS]:
            raise InputDataError(f"{wrong[0]!r} is none of the keys {', '.join(_KEYS)}; {_HELP}.")
        is_known = {*content} in ({"range"}, {"range", "step"}, {"choices"}, {"ordered"})
        entries = next((content[key] for key in content if key != "step"), None)
        if not is_known or not isinstance(entries, tuple | list):
            raise InputDataError(f"{notation!r} is neither a tuple nor a list; {_HELP}.")
        values = [plain(entry) for entry in entries]
        if "range" not in content:
            return cls._read_choices(values, "ordered" in content)
        parameter = cls._read_range(values)
        return parameter._in_steps(plain(content["step"])) if "step" in content else parameter

    @classmethod
    def _read_choices(cls, choices: list[Value], is_ordered: bool) -> Self:
        given = [choice for choice in choices if choice is not None]
        kinds = {type(choice) for choice in given}
        if kinds not in ({str}, {bool}) and not kinds <= {int, float}:
            raise InputDataError(
                "Choices must be all text, all numbers or all truth values, beside which there may "
                f"be None, not {choices!r}. Use names, and look up what each stands for."
            )
        if not kinds & {str, bool} and not all(map(math.isfinite, given)):
            raise InputDataError(f"Choices that are numbers must be finite, not {choices!r}.")
        if kinds & {str, bool} or None in choices:
            return cls.of_choices(choices, is_ordered)
        numbers = [float(choice) for choice in choices] if float in kinds else choices
        return cls.of_choices(numbers if is_ordered else sorted(numbers), is_ordered=True)

    @classmethod
    def _read_range(cls, entries: list[Value]) -> Self:
        ends, scale = entries[:2], entries[2:]
        if len(entries) not in (2, 3) or not all(map(is_number, ends)):
            raise InputDataError(f"{tuple(entries)!r} is not a range; {_HELP}.")
        if scale not in ([], ["log"]):
            hint = 'steps are {"range": (low, high), "step": step}'
            hint += f", and choices are a list, {entries!r}" * is_number(scale[0])
            raise InputDataError(f'A third entry is "log", not {scale[0]!r}; {hint}.')
        low, high = ends
        if isinstance(low, int) and isinstance(high, int):
            return cls(low, high, 1, bool(scale))
        return cls(float(low), float(high), None, bool(scale))

    def _in_steps(self, step: Value) -> Self:
        if self.is_log or not (is_number(step) and step > 0):
            none = "; a logarithmic range has none" * self.is_log
            raise InputDataError(f"The step must be a positive number{none}. Got {step!r}.")
        number = (self.high - self.low) / step
        if not abs(number - round(number, 0)) < 1e-9 * number:
            ends = [f"{self.low + n * step:.10g}" for n in (number // 1, number // 1 + 1) if n]
            text = f"The step {step!r} does not divide the range from {self.low!r} to {self.high!r}"
            raise InputDataError(f"{text}. End it at {' or '.join(ends)}.")
        kind = float if isinstance(step, float) else type(self.low)  # as the values are
        return replace(self, low=kind(self.low), high=kind(self.high), step=step)

    def to_json(self) -> dict[str, object]:
        """How it is written in a file."""
        if self.choices is not None:
            return {"ordered" if self.is_ordered else "choices": list(self.choices)}
        is_plain = self.step is None or (isinstance(self.low, int) and self.step == 1)
        steps = {} if is_plain else {"step": self.step}
        return {"range": [self.low, self.high, *["log"] * self.is_log], **steps}

    @property
    def is_categorical(self) -> bool:
        """Whether there are choices without an order."""
        return self.choices is not None and not self.is_ordered

    @cached_property
    def size(self) -> float:
        """The number of values; infinite for a range of all numbers."""
        return math.inf if self.step is None else round((self.high - self.low) / self.step) + 1

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest place."""
        return self._scaled(self.low), self._scaled(self._nearest(self.high))

    @property
    def outer_ends(self) -> tuple[float, float]:
        """Those of the numbers that are rounded to a value."""
        margin = 0.5 * (self.step or 0.0)
        return self._scaled(self.low - margin), self._scaled(self.high + margin)

    @cached_property
    def middle(self) -> float:
        """The place in the middle."""
        low, high = self.ends
        is_range = self.step is None
        return (low + high) / 2.0 if is_range else self._scaled(self._number(self.size // 2))

    def places(self) -> list[float]:
        """The places of all values, rising."""
        return [self._scaled(self._number(index)) for index in range(int(self.size))]

    def place(self, value: Value) -> float:
        """The number that stands for a value.

        Raises:
            ValueError: If there is no such choice, or no logarithm of the value.
        """
        if self.choices is not None:
            return float(_index(self.choices, value))
        if self.is_log and value <= 0:
            raise ValueError("not above zero")
        if self.step is not None and math.isfinite(value):  # 3 steps of 0.1 are not quite 0.3
            nearest = self._nearest(value)
            value = nearest if abs(value - nearest) <= 1e-9 * self.step else value
        return self._scaled(value)

    def value(self, place: float) -> Value:
        """The value that a number stands for, rounded to the nearest there is."""
        number = self._nearest(math.exp(place) if self.is_log else place)
        return number if self.choices is None else self.choices[int(number)]

    def rounded(self, place: float) -> float:
        """The nearest place of a value."""
        return self._scaled(self._nearest(math.exp(place) if self.is_log else place))

    def at(self, unit: float) -> float:
        """The place of a number of the unit interval, all values being equally likely.

        On a logarithmic grid they are likely as the interval that is rounded to each is long.
        """
        if self.is_categorical:
            return float(min(int(unit * self.size), self.size - 1))
        start, end = self.outer_ends
        return self.rounded(start + unit * (end - start))

    def _scaled(self, number: float) -> float:
        return math.log(number) if self.is_log else float(number)

    def _nearest(self, number: float) -> float:
        """The nearest number of the range, or of its steps."""
        if self.step is None:
            ends = (self.low, self.high) if self.is_log else ()  # exp(log(end)) is nearly the end
            near = (end for end in ends if math.isclose(number, end, rel_tol=1e-13))
            return next(near, min(max(number, self.low), self.high))
        index = round((number - self.low) / self.step)
        return self._number(min(max(index, 0), self.size - 1))

    def _number(self, index: float) -> float:
        """A number in steps, from 0 on."""
        return min(self.low + int(index) * (self.step or 0), self.high)


class Space:
    """Parameters by name, and points of their places.

    Points are ``... x d`` tensors in double precision.

    Args:
        parameters: At least one parameter by name.
        dependents: Which parameters have a meaning beside some values of others only, by place.
        constants: What is not searched, by name.

    Attributes:
        bounds: The smallest and largest places, a ``2 x d`` tensor.
        size: The number of values of each parameter, of shape ``d``.
        is_categorical: Whether each has choices without an order, of shape ``d``.
        fixed: The places of parameters that are not searched, by column.
        omits: Whether :meth:`decode` leaves out what has no meaning at a point.
        candidates: The points that may be suggested, ``n x d``, if not all.
    """

    fixed: Mapping[int, float] = {}
    omits = False
    candidates: Tensor | None = None

    def __init__(
        self,
        parameters: Mapping[str, Parameter],
        dependents: Dependents | None = None,
        constants: Mapping[str, Value] | None = None,
    ) -> None:
        self.parameters = dict(parameters)
        self.constants = dict(constants or {})
        self.dependents = dependents or {}
        self._column = {name: i for i, name in enumerate(self.parameters)}
        each = self.parameters.values()
        self.bounds = torch.tensor([p.ends for p in each], dtype=torch.double).reshape(-1, 2).T
        self.size = torch.tensor([p.size for p in each], dtype=torch.double)
        self.is_categorical = torch.tensor([p.is_categorical for p in each])
        self.inactive = self._inactive_columns() if self.dependents else None

    @classmethod
    def read(cls, notation: "Mapping[str, Value] | Tensor | Self") -> Self:
        """A space as it is written, or as it is.

        Args:
            notation: What each parameter may be, by its name; see :data:`Notation`. Or lower and
                upper bounds of ranges that are called x1, x2, …, a ``2 x d`` tensor.

        Raises:
            InputDataError: If there is not a parameter but constants, or if one is written wrongly.
            BotorchTensorDimensionError: If bounds have another shape.
        """
        if isinstance(notation, cls):
            return notation
        if isinstance(notation, Tensor):
            if notation.ndim != 2 or notation.shape[0] != 2:
                shape = tuple(notation.shape)
                raise BotorchTensorDimensionError(f"Bounds must be 2 x d, not {shape}.")
            ranges = enumerate(notation.T.tolist(), start=1)
            notation = {f"x{place}": tuple(map(float, ends)) for place, ends in ranges}
        if not isinstance(notation, Mapping) or not notation:
            raise InputDataError(
                'The space must be a dictionary such as {"rate": (1e-4, 1.0, "log"), "kernel": '
                f'["a", "b"]}}; got {notation!r}.'
            )
        parameters, constants = {}, {}
        flat, dependents = _unfolded(notation)
        for name, written in flat.items():
            if not isinstance(name, str):
                raise InputDataError(f"The name of a parameter must be a text; got {name!r}.")
            written = _as_written(written)
            alone = written[0] if isinstance(written, list) and len(written) == 1 else written
            if isinstance(plain(alone), str | bool) or is_number(plain(alone)):
                constants[name] = plain(alone)
                continue
            try:
                parameters[name] = Parameter.read(written)
            except InputDataError as error:
                raise InputDataError(f"{name}: {error}") from None
            _warn_of_two_numbers(name, written, parameters[name])
        if not parameters:
            raise InputDataError(f"There is nothing to search: {notation!r} holds constants only.")
        for name in constants.keys() & _children(dependents):
            raise InputDataError(f"{name} is a constant beside one choice. Leave it out there.")
        space = cls(parameters, dependents, constants)
        space.omits = bool(dependents)
        return space

    def at_places(self, fixed: Mapping[str, float]) -> Self:
        """The same space, to be searched only where some parameters have given places."""
        part = copy(self)
        part.fixed = {self._column[name]: place for name, place in fixed.items()}
        return part

    def to_json(self) -> dict[str, object]:
        """What :meth:`read` reads, as it can be written to a file."""
        written = {name: p.to_json() for name, p in self.parameters.items()}
        for parent, by in reversed([*self.dependents.items()]):  # a child may be a parent, too
            pairs = [(self.parameters[parent].value(i), {n: written[n] for n in by[i]}) for i in by]
            has_texts = all(isinstance(choice, str) for choice, _ in pairs)  # as keys of JSON are
            written[parent] = dict(pairs) if has_texts else {"branches": pairs}
        free = [name for name in written if name not in _children(self.dependents)]
        return {name: written[name] for name in free} | self.constants

    @property
    def key(self) -> Hashable:
        """Equal for the same constants and parameters that depend on each other in the same way."""
        return tuple(map(repr, (self.parameters, self.constants, self.dependents)))

    @property
    def names(self) -> set[str]:
        """The names of parameters and constants."""
        return {*self.parameters, *self.constants}

    @property
    def num_points(self) -> float:
        """The number of points; infinite if a parameter may be all numbers of a range."""
        return math.prod(parameter.size for parameter in self.parameters.values())

    @property
    def encoded_dim(self) -> int:
        """The number of columns that the input transform makes."""
        return int(torch.where(self.is_categorical, self.size, 1.0).sum())

    def encode(self, values: Mapping[str, Value]) -> Tensor:
        """A point of shape ``d`` from the value of each parameter."""
        places = [
            parameter.place(values[name]) if self.is_active(name, values) else parameter.middle
            for name, parameter in self.parameters.items()
        ]
        return self.filled(torch.tensor(places, dtype=torch.double))

    def decode(self, x: Tensor) -> dict[str, Value]:
        """The value of each parameter at a point of shape ``d``, and the constants."""
        places = zip(self.parameters.items(), x.tolist(), strict=True)
        values = {name: p.value(place) for (name, p), place in places}
        return (self.active(values) if self.omits else values) | self.constants

    def active(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Those of some values that have a meaning beside the others."""
        return {name: value for name, value in values.items() if self.is_active(name, values)}

    def is_active(self, name: str, values: Mapping[str, Value]) -> bool:
        """Whether a parameter has a meaning beside the values of others, as far as that is known.

        Raises:
            KeyError: If the value that decides is missing.
            ValueError: If that is none of its parameter.
        """
        parents = [p for p, by in self.dependents.items() if name in chain(*by.values())]
        for parent in filter(lambda p: self.is_active(p, values), parents):
            place = self.parameters[parent].place(values[parent])
            if name in self.dependents[parent].get(place, ()):
                return True
        return not parents

    def draw(self, number: int, seed: int) -> Tensor:
        """Quasi-random points, ``n x d``; more of them begin with the same."""
        unit = torch.tensor([[0.0], [1.0]], dtype=torch.double).expand(2, len(self.parameters))
        drawn: Tensor = draw_sobol_samples(unit, number, 1, seed=seed % 2**31).squeeze(1)
        return self.placed(self.snap(self.from_unit(drawn)))

    def from_unit(self, unit: Tensor) -> Tensor:
        """Points ``... x d`` of the unit cube as points of the space."""
        return _mapped(unit, {i: p.at for i, p in enumerate(self.parameters.values())})

    def to_unit(self, X: Tensor) -> Tensor:
        """Points ``... x d`` in the unit cube, discrete ones in the middle of their parts."""
        ends = [parameter.outer_ends for parameter in self.parameters.values()]
        start, end = X.new_tensor(ends, dtype=torch.double).T
        return (X - start) / (end - start)

    def snap(self, X: Tensor) -> Tensor:
        """Points ``... x d`` with steps rounded to the nearest value, without a gradient."""
        rounded = {
            i: parameter.rounded
            for i, parameter in enumerate(self.parameters.values())
            if parameter.step is not None and parameter.choices is None and i not in self.fixed
        }
        return _mapped(X, rounded)

    def filled(self, X: Tensor) -> Tensor:
        """Points ``... x d`` that are equal where they differ in what has no meaning only."""
        return X if self.inactive is None else self.inactive.transform(X)

    def placed(self, X: Tensor) -> Tensor:
        """Points ``... x d``, :meth:`filled`, with the fixed places in place of their own."""
        X = X.clone()
        X[..., [*self.fixed]] = X.new_tensor([*self.fixed.values()])
        return self.filled(X)

    def contains(self, X: Tensor) -> Tensor:
        """Which points ``... x d`` lie in all ranges, and have the fixed places."""
        return ((X.clamp(*self.bounds) == X) & (self.placed(X) == X)).all(-1)

    def check_call(self, function: Callable[..., object], *others: str) -> None:
        """Check that a function takes the parameters of all points by name.

        Args:
            function: The function. What has no signature in Python is not checked.
            others: Names of its other arguments.

        Raises:
            InputDataError: If it does not.
        """
        # So many draws hold all parameters that go together, but for deep nests.
        for x in self.draw(256 if self.dependents else 1, seed=0):
            names = [*self.decode(x), *others]
            try:
                check_signature(function, **dict.fromkeys(names))
            except TypeError as error:
                called = f"The function cannot be called with {', '.join(names)}: {error}"
                hint = "Parameters are passed by name; **params takes all"
                of_trial = ". For a function of a trial, use Optuna with PoPBOSampler"
                hint += of_trial * ("'trial'" in str(error))
                raise InputDataError(f"{called}. {hint}.") from None

    def check(self, X: Tensor) -> None:
        """Check that points ``... x d`` hold values, and numbers up to rounding.

        Raises:
            InputDataError: If one holds something else.
        """
        X = X.detach().double().cpu()
        each = self.parameters.values()
        inside = X.nan_to_num().clamp(*self.bounds)  # far out a logarithm is of no number
        nearest = _mapped(inside, {i: p.rounded for i, p in enumerate(each)})
        # For what was rounded to single precision: a digit, but no other value of a grid, or a
        # millionth of a range's width.
        digit = torch.finfo(torch.float32).eps * X.abs()
        near = [0.0 if p.choices is not None or p.step is None else p.step / 4 for p in each]
        width = self.bounds[1] - self.bounds[0]
        slack = torch.where(self.size.isinf(), 1e-6 * width, digit.minimum(X.new_tensor(near)))
        wrong = (((X - nearest).abs() > slack) & X.isfinite()).nonzero()
        if len(wrong):
            column = int(wrong[0, -1])
            name, parameter = [*self.parameters.items()][column]
            kinds = {None: "numbers", 1.0: "whole numbers"}
            numbers = kinds.get(parameter.step, f"numbers in steps of {parameter.step}")
            low, high = self.bounds[:, column].tolist()
            raise InputDataError(
                f"{name} holds {numbers} from {low:g} to {high:g}, but was given "
                f"{float(X[tuple(wrong[0])])!r}."
            )

    def input_transform(self) -> InputTransform:
        """What maps points to the unit cube, categories to one column each."""
        categorical = self.is_categorical.nonzero().squeeze(-1).tolist()
        categories = {i: range(int(self.size[i])) for i in categorical}
        numeric = (~self.is_categorical).nonzero().squeeze(-1).tolist()
        return unit_cube(self.bounds, numeric, categories, inactive=self.inactive)

    def _inactive_columns(self) -> InactiveColumns:
        column = self._column
        dependents = {
            column[parent]: {
                place: [column[child] for child in names] for place, names in by.items()
            }
            for parent, by in self.dependents.items()
        }
        fill = {column[name]: parameter.middle for name, parameter in self.parameters.items()}
        return InactiveColumns(dependents, fill)


def _children(dependents: Dependents) -> set[str]:
    return {name for by in dependents.values() for name in chain(*by.values())}


def _unfolded(
    notation: Mapping[str, Value],
) -> tuple[dict[str, Value], dict[str, dict[float, list[str]]]]:
    """A space without branches, and what each parameter that had some decides about.

    Raises:
        InputDataError: If a name is written in two ways.
    """
    flat: dict[str, Value] = {}
    dependents: dict[str, dict[float, list[str]]] = {}
    for name, written in notation.items():
        if isinstance(written, Mapping) and isinstance(pairs := written.get("branches"), list):
            written = dict(pairs)
        is_tree = isinstance(written, Mapping) and bool(written)
        if not (is_tree and all(isinstance(branch, Mapping) for branch in written.values())):
            flat[name] = written
            continue
        if all(is_number(plain(choice)) for choice in written):
            written = dict(sorted(written.items()))  # as choices are
        flat[name] = {"choices": [*written]}
        dependents[name] = {float(i): [*branch] for i, branch in enumerate(written.values())}
        for branch in written.values():
            below, deeper = _unfolded(branch)
            for child, entry in below.items():
                if child in notation or flat.setdefault(child, entry) != entry:
                    raise InputDataError(f"{child} is written twice. Use one range or two names.")
            dependents |= deeper
    return flat, dependents


def _as_written(notation: Value) -> Value:
    """A distribution of Optuna's as it is written here, and all else as it is."""
    if type(notation).__module__ != "optuna.distributions":
        return notation
    if hasattr(notation, "choices"):
        return [*notation.choices]
    low, high, step = notation.low, notation.high, notation.step
    if low == high:
        return low
    scale, steps = ["log"] * notation.log, {"step": step} if step and not notation.log else {}
    return {"range": [low, high, *scale], **steps}


def _warn_of_two_numbers(name: str, notation: Value, parameter: Parameter) -> None:
    """Warn of a pair of numbers that may have been meant as a range, or as another one."""
    hint = ""
    if isinstance(notation, list) and [*map(type, notation)] == [float, float]:
        hint = f"two choices; a range is written {tuple(notation)}, in TOML range = {notation}"
    elif parameter == Parameter(0, 1, 1) and "step" not in notation:
        hint = "whole numbers; all between are written (0.0, 1.0), and these two [0, 1]"
    if hint:
        warnings.warn(f"{name}: {notation} are {hint}.", InputDataWarning, stacklevel=3)


def _mapped(X: Tensor, functions: Mapping[int, Callable[[float], float]]) -> Tensor:
    """Points of which some columns are mapped number by number, each number once."""
    columns = list(X.detach().unbind(-1))
    for column, function in functions.items():
        numbers, place = columns[column].unique(return_inverse=True)
        columns[column] = numbers.apply_(function)[place]
    return torch.stack(columns, dim=-1)


def _index(choices: Sequence[Value], value: Value) -> int:
    """The place of the first choice that is equal; NaN equals itself."""
    try:
        if value == value:
            return choices.index(value)
        return next(index for index, choice in enumerate(choices) if choice != choice)
    except (ValueError, StopIteration):
        raise ValueError(f"not one of {', '.join(map(str, choices))}") from None


def check_signature(function: Callable[..., object], /, *args: Value, **kwargs: Value) -> None:
    """Raise TypeError if a function does not take these; one without a signature may do so."""
    with suppress(ValueError):
        signature(function, follow_wrapped=False).bind(*args, **kwargs)


def check_function(name: str, function: Value, of: str) -> None:
    """Raise InputDataError unless an argument is None, or a function that takes one thing."""
    try:
        if function is not None:
            check_signature(function, None)
    except TypeError as error:
        kind = f"a function of {of}, or None"
        raise InputDataError(f"{name} must be {kind}, not {function!r}: {error}.") from None


def is_number(value: Value) -> bool:
    """Whether a value is a finite number, as truth values are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def at_least(low: int, **argument: Value) -> int:
    """A whole number that is not below another, given by its name.

    Raises:
        InputDataError: If it is something else.
    """
    ((name, value),) = argument.items()
    number = whole(value)
    if number is None or number < low:
        raise InputDataError(f"{name} must be a whole number of at least {low}, not {value!r}.")
    return number
