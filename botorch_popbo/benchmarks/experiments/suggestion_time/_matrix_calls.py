"""The share of a fit that is raw matrix arithmetic, which no tidier code around it could save.

The Cholesky factorisations, inverses, triangular solutions and products of matrices and vectors
that PyTorch carries out during one fit are recorded with their arguments and carried out again,
alone. Each distinct operation (by name, shapes and strides) counts with the shortest of three
times, as often as the fit calls it.
"""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

_REPLAYS = 3

_MATRIX_OPERATIONS = frozenset(
    {
        "addmm",
        "addmv",
        "bmm",
        "cholesky_inverse",
        "cholesky_solve",
        "linalg_cholesky_ex",
        "linalg_solve_triangular",
        "mm",
        "mv",
    }
)


class MatrixCalls(TorchDispatchMode):
    """Record the operations on matrices while the context is open."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[object, Callable[[], float]] = {}
        self.numbers: dict[object, int] = {}

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func.overloadpacket.__name__ in _MATRIX_OPERATIONS:
            key = (func, *map(_signature, args))
            if key not in self.calls:
                self.calls[key] = _replay(func, [_copy(value) for value in args], kwargs or {})
            self.numbers[key] = self.numbers.get(key, 0) + 1
        return func(*args, **(kwargs or {}))

    def seconds(self) -> float:
        """Seconds of the recorded operations alone."""
        shortest = {key: min(call() for _ in range(_REPLAYS)) for key, call in self.calls.items()}
        return sum(shortest[key] * number for key, number in self.numbers.items())


def _signature(value: Any) -> object:
    return (value.shape, value.stride()) if isinstance(value, Tensor) else value


def _copy(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value


def _replay(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Callable[[], float]:
    def call() -> float:
        fresh = [_copy(value) for value in args]
        start = perf_counter()
        func(*fresh, **kwargs)
        return perf_counter() - start

    return call
