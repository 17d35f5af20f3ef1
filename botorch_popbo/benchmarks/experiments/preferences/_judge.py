"""A simulated judge: what is hidden, and answers that waver."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from botorch.test_functions import Hartmann
from botorch.test_functions.synthetic import SyntheticTestFunction
from torch import Tensor

from botorch_popbo._seeds import derive_seed

#: Minimized functions by name.
FUNCTIONS: Mapping[str, SyntheticTestFunction] = {
    f"hartmann{dim}": Hartmann(dim=dim, dtype=torch.float64) for dim in (3, 6)
}


@dataclass(frozen=True)
class Judge:
    """Prefers the point of the lower noisy value.

    Whatever is asked, a judge of one seed has the same noise in its n-th answer.

    Attributes:
        function: A name among ``FUNCTIONS``.
        deviation: Standard deviation of the noise of each value, in the function's unit.
        indifference: Noisy values that differ by less are a tie.
        seed: Seed of the noise.
    """

    function: str
    deviation: float
    indifference: float
    seed: int

    def choose(self, pair: Tensor, question: int) -> int | None:
        """The better one of two points, ``2 x d``: 0, 1, or None for a tie."""
        # Once more: a method that mixes its seed in the same way must not foresee the noise.
        seed = derive_seed(derive_seed(self.seed, question), 0)
        generator = torch.Generator().manual_seed(seed)
        noise = self.deviation * torch.randn(2, generator=generator, dtype=torch.float64)
        first, second = (FUNCTIONS[self.function].evaluate_true(pair) + noise).tolist()
        if abs(first - second) < self.indifference:
            return None
        return int(second < first)

    def regret(self, x: Tensor) -> float:
        """How much worse a point of shape ``d`` is than the optimum, without noise."""
        function = FUNCTIONS[self.function]
        return float(function.evaluate_true(x.unsqueeze(0))) - function.optimal_value
