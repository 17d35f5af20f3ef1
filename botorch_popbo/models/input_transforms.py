"""Input transforms that rank models need beside BoTorch's own."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import TypeVar

import torch
from botorch.exceptions import UnsupportedError
from botorch.models.transforms.input import ChainedInputTransform, InputTransform
from torch import Tensor

Part = TypeVar("Part", bound=InputTransform)


class _FixedTransform(InputTransform):
    """Acts in every mode by settings that no state dict holds."""

    # A model compares new points with those of training, so that both are encoded alike.
    transform_on_train = transform_on_eval = transform_on_fantasize = True

    def equals(self, other: InputTransform) -> bool:
        """Whether another transform encodes every point in the same way.

        Args:
            other: Another transform.

        Returns:
            Whether it is of this class and has the same settings.
        """
        if type(other) is not type(self):
            return False
        public = [name for name in vars(self) if not name.startswith("_") and name != "training"]
        return all(repr(getattr(self, name)) == repr(getattr(other, name)) for name in public)


class UnitInterval(_FixedTransform):
    """Map columns from their bounds to the unit interval.

    BoTorch's ``Normalize`` does the same, but takes a tenth of a search's time, and loads SymPy.

    Args:
        bounds: Lower and upper bounds of all columns, a ``2 x d`` tensor.
        columns: The columns to map.
    """

    def __init__(self, bounds: Tensor, columns: Sequence[int]) -> None:
        super().__init__()
        start, width = torch.zeros_like(bounds[0]), torch.ones_like(bounds[0])
        start[columns], width[columns] = bounds[0, columns], (bounds[1] - bounds[0])[columns]
        self.start, self.width = start.tolist(), width.tolist()

    def transform(self, X: Tensor) -> Tensor:
        """Map points.

        Args:
            X: Points, a ``batch_shape x n x d`` tensor.

        Returns:
            A tensor of the same shape.
        """
        return (X - X.new_tensor(self.start)) / X.new_tensor(self.width)


class OneHotCategories(_FixedTransform):
    """Replace columns of category values by one-hot columns, at the end.

    Unlike :class:`~botorch.models.transforms.input.NumericToCategoricalEncoding`, the values of a
    category may be any numbers, as in Ax's unordered numeric choices. A value that is not among
    them, such as one of a continuous relaxation, encodes as its nearest category.

    Args:
        d: Number of columns.
        categories: For each categorical column, its distinct values.
        scale: Value of the column of a point's own category. With ``2 ** -0.5`` two categories are
            as far apart as the ends of the unit interval.

    Raises:
        ValueError: If a column does not exist or has fewer than two values.
    """

    def __init__(
        self, d: int, categories: Mapping[int, Sequence[float]], scale: float = 1.0
    ) -> None:
        super().__init__()
        for column, values in categories.items():
            if not 0 <= column < d or len(set(values)) < 2:
                raise ValueError(
                    f"Column {column} of {d} with values {list(values)} is not categorical. Name "
                    "columns from 0 on with two different values or more, and leave out the others."
                )
        self.d = d
        self.scale = scale
        self.categories = {column: tuple(values) for column, values in categories.items()}
        self._numeric = [column for column in range(d) if column not in categories]
        self._columns = [column for column, values in categories.items() for _ in values]

    def transform(self, X: Tensor) -> Tensor:
        """Encode points.

        Args:
            X: Points, a ``batch_shape x n x d`` tensor.

        Returns:
            A ``batch_shape x n x d'`` tensor: the numeric columns, then the one-hot columns.
        """
        # Few operations for each, of which a conditional space has dozens.
        values = X.new_tensor([value for each in self.categories.values() for value in each])
        apart = (X.detach()[..., self._columns] - values).abs()
        one_hot, sizes = torch.zeros_like(apart), [*map(len, self.categories.values())]
        for distance, part in zip(apart.split(sizes, -1), one_hot.split(sizes, -1), strict=True):
            part.scatter_(-1, distance.argmin(-1, keepdim=True), self.scale)
        return torch.cat([X[..., self._numeric], one_hot], dim=-1)

    def of_columns(self, lengthscale: Tensor) -> Tensor:
        """Lengthscales of the columns before the transform.

        Args:
            lengthscale: Those of the encoded columns, of shape ``d'``.

        Returns:
            A tensor of shape ``d``, for a category the shortest of its columns.
        """
        sizes = [1] * len(self._numeric) + [len(values) for values in self.categories.values()]
        shortest = torch.stack([part.amin() for part in lengthscale.split(sizes)])
        # The transform puts categories last, wherever their columns were.
        columns = torch.tensor([*self._numeric, *self.categories], device=lengthscale.device)
        return torch.empty_like(shortest).index_copy_(0, columns, shortest)


class InactiveColumns(_FixedTransform):
    """Give columns without a meaning at a point one value, so that they distinguish no points.

    Args:
        dependents: For each column that others depend on, by its value, the columns that have a
            meaning there. They have none anywhere else.
        fill: The value of each such column where it has no meaning.
    """

    def __init__(
        self, dependents: Mapping[int, Mapping[float, Sequence[int]]], fill: Mapping[int, float]
    ) -> None:
        super().__init__()
        self.fill = dict(fill)
        self.dependents = {column: dict(by_value) for column, by_value in dependents.items()}
        pairs = [(p, v, children) for p, by in dependents.items() for v, children in by.items()]
        self._parents, self._values = [p for p, *_ in pairs], [value for _, value, _ in pairs]
        self._columns = columns = sorted({child for *_, children in pairs for child in children})
        self._gives = [[float(c in children) for c in columns] for *_, children in pairs]
        # The place of each parent among the dependent columns, or the next of one that is none.
        last = len(columns)
        self._places = [columns.index(p) if p in columns else last for p in self._parents]
        self._most_levels = 1 + len({*self._places} - {last})

    def transform(self, X: Tensor) -> Tensor:
        """Fill the columns that have no meaning.

        Args:
            X: Points, a ``batch_shape x n x d`` tensor.

        Returns:
            A tensor of the same shape.
        """
        columns = torch.tensor(self._columns, dtype=torch.long, device=X.device)
        fill = X.new_tensor([self.fill[column] for column in self._columns])
        return X.index_copy(-1, columns, X[..., columns].where(self._is_active(X.detach()), fill))

    def num_active(self, X: Tensor) -> int:
        """The number of columns that have a meaning at a typical one of points ``m x d``."""
        return X.shape[-1] - len(self._columns) + int(self._is_active(X).sum(-1).median())

    def _is_active(self, X: Tensor) -> Tensor:
        """Whether each dependent column has a meaning, ``... x c``: all at once, level by level."""
        # Single precision moves values by a digit.
        digit = torch.finfo(torch.float32).eps
        has_value = X[..., self._parents].isclose(X.new_tensor(self._values), digit, 0.0)
        gives = X.new_tensor(self._gives)
        active = has_value.new_ones(*X.shape[:-1], len(self._columns) + 1)
        for _ in range(self._most_levels):  # a parent that has no meaning itself gives none
            given = (has_value & active[..., self._places]).to(X)
            active[..., :-1] = given @ gives > 0.0
        return active[..., :-1]


def part_of(transform: InputTransform, kind: type[Part]) -> Part | None:
    """The part of a transform, perhaps a chain of chains, that is of some class, or None."""
    return next((part for part in transform.modules() if isinstance(part, kind)), None)


def one_to_one(transform: InputTransform) -> InputTransform:
    """A transform without those parts that make several points of one."""
    if not transform.is_one_to_many:
        return transform
    parts = transform.items() if isinstance(transform, ChainedInputTransform) else ()
    kept = ChainedInputTransform(**{name: one_to_one(part) for name, part in parts})  # type: ignore
    return kept.train(transform.training)


def check_transform(transform: InputTransform, X: Tensor, owner: str, is_gp: bool) -> None:
    """Refuse a transform that the models would use wrongly.

    Args:
        transform: The transform.
        X: Points, an ``N x d`` tensor.
        owner: Name of the model.
        is_gp: Whether it is a Gaussian process.

    Raises:
        UnsupportedError: If it adds columns to other points than those of training, or, but for a
            Gaussian process, if it has parameters to be learned or makes several points of one.
    """
    name = type(transform).__name__
    if not is_gp and any(parameter.requires_grad for parameter in transform.parameters()):
        raise UnsupportedError(
            f"{name} has parameters, which {owner} does not learn. Set them and pass it as "
            "transform.requires_grad_(False), or leave it out."
        )
    with torch.no_grad():
        # Copies, as one in training mode may learn the bounds of what it is given.
        rows, columns = deepcopy(transform.to(X)).eval()(X[:1]).shape[-2:]
        trained = deepcopy(transform).train()(X).shape[-1]
    if rows != 1 and not is_gp:
        raise UnsupportedError(
            f"{name} makes {rows} points of one, and {owner} ranks single points. Leave it out, "
            "and average the predictions yourself."
        )
    if columns != trained:
        raise UnsupportedError(
            f"{name} makes {trained} columns of a training point and {columns} of any other, and "
            f"{owner} compares the two. Pass it with transform_on_train=True, or leave it out."
        )


def unit_cube(
    bounds: Tensor,
    numeric: Sequence[int],
    categories: Mapping[int, Sequence[float]],
    scale: float = 2**-0.5,
    inactive: InputTransform | None = None,
) -> ChainedInputTransform:
    """Map numeric columns to the unit interval, and categories to one-hot columns.

    Args:
        bounds: Lower and upper bounds of all columns, a ``2 x d`` tensor.
        numeric: The columns to map.
        categories: See :class:`OneHotCategories`, like the last.
        scale: See above.
        inactive: Applied first.

    Returns:
        The transform.
    """
    # What is inactive is told by the values of other columns as they are given.
    transforms: dict[str, InputTransform] = {} if inactive is None else {"inactive": inactive}
    if numeric:
        transforms["unit_cube"] = UnitInterval(bounds, list(numeric))
    if categories:
        transforms["one_hot"] = OneHotCategories(bounds.shape[-1], categories, scale)
    return ChainedInputTransform(**transforms)
