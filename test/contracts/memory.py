"""The size of the largest tensor that a computation makes."""

from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class LargestTensor(TorchDispatchMode):
    """Watch the results of every operation; unlike a peak of memory it is the same in every run."""

    def __init__(self) -> None:
        super().__init__()
        self.num_bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for value in result if isinstance(result, list | tuple) else (result,):
            if isinstance(value, Tensor):
                self.num_bytes = max(self.num_bytes, value.untyped_storage().nbytes())
        return result
