"""Ask and tell for people who can compare but not measure."""

import warnings

import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from botorch.models.transforms.input import Normalize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from torch import Tensor

from botorch_popbo._seeds import derive_seed
from botorch_popbo.acquisition.expected_ranking_improvement import ExpectedRankingImprovement
from botorch_popbo.data import Order, from_adaptive_comparisons
from botorch_popbo.models.poisson_rank import PoissonRankModel


class PreferenceSearch:
    """Find the point that a judge likes best, from answers to "this one or that one?".

    The first questions compare points of a Sobol design in pairs. Every later one compares the best
    point so far with a suggestion. Answers may be noisy and may contradict each other. The same
    seed and answers give the same questions; the global random state is left as it was.

    Args:
        bounds: Lower and upper bounds, a ``2 x d`` tensor.
        num_initial: Number of questions about the Sobol design, at least one.
        seed: Seed of the design, the network and the optimizer.

    Raises:
        BotorchTensorDimensionError: If ``bounds`` has the wrong shape.
        InputDataError: If a bound is not finite, if a lower bound is not below the upper one, or
            if ``num_initial`` is not positive.

    Example:
        >>> search = PreferenceSearch(bounds)
        >>> for _ in range(30):
        >>>     pair = search.ask()
        >>>     search.tell(pair, winner=judge(pair))  # 0, 1, or None for a tie
        >>> search.best
    """

    def __init__(self, bounds: Tensor, num_initial: int = 6, seed: int = 0) -> None:
        if bounds.ndim != 2 or bounds.shape[0] != 2:
            raise BotorchTensorDimensionError(
                f"Expected bounds of shape 2 x d, but got {tuple(bounds.shape)}."
            )
        if not bool((bounds.isfinite().all(0) & (bounds[0] < bounds[1])).all()):
            raise InputDataError("Every lower bound must be finite and below its upper bound.")
        if num_initial < 1:
            raise InputDataError(f"num_initial is at least 1, but got {num_initial}.")
        self.bounds = bounds
        self.seed = seed
        self._design = draw_sobol_samples(bounds, n=num_initial, q=2, seed=seed % 2**31)
        self.X = bounds.new_zeros(0, bounds.shape[-1])
        self.comparisons = torch.zeros(0, 2, dtype=torch.long, device=bounds.device)
        self.ties = self.comparisons.clone()

    @property
    def num_answers(self) -> int:
        """Number of questions answered."""
        return self.comparisons.shape[0] + self.ties.shape[0]

    @property
    def best(self) -> Tensor:
        """The compared point of the highest estimated strength, of shape ``d``.

        Raises:
            InputDataError: If no question has been answered.
        """
        return self._best(self._fit())

    def ask(self) -> Tensor:
        """The next question, which does not change until it is answered.

        Returns:
            The two points to compare, a ``2 x d`` tensor.
        """
        if self.num_answers < self._design.shape[0]:
            return self._design[self.num_answers]
        model = self._fit()
        with manual_seed(derive_seed(self.seed, self.X.shape[0])), warnings.catch_warnings():
            # A ReLU network has kinks: the line search ends at one, which is no failure.
            warnings.filterwarnings("ignore", "Optimization failed", RuntimeWarning)
            suggestion, _ = optimize_acqf(
                ExpectedRankingImprovement(model, seed=self.seed),
                bounds=self.bounds,
                q=1,
                num_restarts=8,
                raw_samples=256,
                retry_on_optimization_warning=False,
            )
        return torch.stack([self._best(model), suggestion.squeeze(0)])

    def tell(self, pair: Tensor, winner: int | None) -> None:
        """Add an answer. The pair need not be one that was asked for.

        Args:
            pair: The two points compared, a ``2 x d`` tensor.
            winner: 0 or 1 for the better point, ``None`` if they are equally good.

        Raises:
            BotorchTensorDimensionError: If ``pair`` has the wrong shape.
            InputDataError: If ``winner`` is neither 0, 1 nor ``None``, if the points are equal,
                or if one is not finite.
        """
        if pair.shape != self.bounds.shape:
            raise BotorchTensorDimensionError(
                f"Expected a pair of shape {tuple(self.bounds.shape)}, but got {tuple(pair.shape)}."
            )
        if winner not in (0, 1, None):
            raise InputDataError(f"winner is 0, 1, or None for a tie, but got {winner!r}.")
        if not bool(pair.isfinite().all()) or torch.equal(pair[0], pair[1]):
            raise InputDataError("A comparison needs two different points with finite values.")
        first = self.X.shape[0]
        self.X = torch.cat([self.X, pair.to(self.X)])
        answer = torch.tensor([[first, first + 1]], device=self.X.device)
        if winner is None:
            self.ties = torch.cat([self.ties, answer])
        else:
            self.comparisons = torch.cat(
                [self.comparisons, answer.flip(-1) if winner == 1 else answer]
            )

    def _fit(self) -> PoissonRankModel:
        estimated = from_adaptive_comparisons(self.X, self.comparisons, self.ties)
        return PoissonRankModel.paper(
            # Ranks of the estimates: blurred by their variances they say little of few answers.
            order=Order.from_scores(estimated.X, estimated.score),
            input_transform=Normalize(d=self.X.shape[-1], bounds=self.bounds),
            seed=self.seed,
        ).fit()

    def _best(self, model: PoissonRankModel) -> Tensor:
        # The strengths know who beat whom; the network only breaks ties between the strongest.
        assert model.order is not None
        order = model.order
        strongest = order.X[order.score == order.score.max()]
        with torch.no_grad():
            log_rate = model.rank_posterior(strongest).log_rate
        return strongest[log_rate.squeeze(-1).argmin()]
