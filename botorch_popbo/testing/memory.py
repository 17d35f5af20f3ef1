"""The size of the largest tensor that a computation makes."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class LargestTensor(TorchDispatchMode):
    """Watch the results of every operation while the context is open.

    Unlike a process's peak memory this is the same in every run and on every machine, and enough
    to tell a number of bytes proportional to N from one proportional to N squared.

    Example:
        >>> with LargestTensor() as watch:
        ...     matrix = torch.ones(1000).outer(torch.ones(1000))
        >>> watch.num_bytes
        4000000
    """

    def __init__(self) -> None:
        super().__init__()
        self.num_bytes = 0

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for value in result if isinstance(result, list | tuple) else (result,):
            if isinstance(value, Tensor):
                self.num_bytes = max(self.num_bytes, value.untyped_storage().nbytes())
        return result
