"""Ax's acquisition wrapper with random numbers of its own."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import torch
from ax.core.search_space import SearchSpaceDigest
from ax.exceptions.core import SearchSpaceExhausted
from ax.generators.torch.botorch_modular.acquisition import Acquisition, determine_optimizer
from ax.generators.utils import mk_discrete_choices
from botorch.generation.sampling import SamplingStrategy
from botorch.optim.optimize_mixed import MAX_CARDINALITY_FOR_LOCAL_SEARCH
from botorch.utils.sampling import manual_seed
from torch import Tensor

from botorch_popbo.optim.candidates import unseen_candidates
from botorch_popbo.seeds import derive_seed

_NUM_DISCRETE_CANDIDATES = 1000

# A network is evaluated for hundreds of points as fast as for a few, so starts are screened in one
# batch; and its maxima have kinks, where more iterations or a retry gain nothing.
_OPTIMIZER_OPTIONS: dict[str, dict[str, Any]] = {
    "optimize_acqf": {
        "num_restarts": 16,
        "raw_samples": 512,
        "retry_on_optimization_warning": False,
        "options": {"init_batch_limit": 512, "batch_limit": 16, "maxiter": 100},
    },
    "optimize_acqf_mixed": {
        "num_restarts": 8,
        "raw_samples": 256,
        "retry_on_optimization_warning": False,
        "options": {"init_batch_limit": 256, "batch_limit": 8, "maxiter": 50},
    },
    "optimize_acqf_mixed_alternating": {
        "num_restarts": 8,
        "raw_samples": 512,
        "options": {"init_batch_limit": 512, "maxiter_alternating": 8},
    },
}


class RankAcquisition(Acquisition):
    """Optimise a rank acquisition function reproducibly.

    The optimizer's random numbers come from ``options["seed"]`` and the number of evaluated and
    pending points, so one seed gives one sequence of candidates and the global random state is
    left as it was. On a fully discrete space of few values each, without linear constraints, the
    best of 1000 random points that are neither evaluated nor pending is taken, as in the paper;
    elsewhere Ax chooses BoTorch's optimizer.
    """

    def optimize(
        self,
        n: int,
        search_space_digest: SearchSpaceDigest,
        inequality_constraints: list[tuple[Tensor, Tensor, float]] | None = None,
        equality_constraints: list[tuple[Tensor, Tensor, float]] | None = None,
        fixed_features: dict[int, float] | None = None,
        rounding_func: Callable[[Tensor], Tensor] | None = None,
        optimizer_options: dict[str, Any] | None = None,
        candidate_set: Tensor | None = None,
        sampling_strategy: SamplingStrategy | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """See :meth:`ax.generators.torch.botorch_modular.acquisition.Acquisition.optimize`."""
        known = [X for X in (self.X_observed, self.X_pending) if X is not None]
        seed = derive_seed(self.options.get("seed", 0), sum(X.shape[0] for X in known))
        constrained = bool(inequality_constraints or equality_constraints)
        if candidate_set is None and not constrained:
            candidate_set = self._discrete_candidates(search_space_digest, fixed_features, seed)
        optimizer = determine_optimizer(
            search_space_digest, self.acqf, mk_discrete_choices(search_space_digest, fixed_features)
        )
        options = {**_OPTIMIZER_OPTIONS.get(optimizer, {}), **(optimizer_options or {})}
        with manual_seed(seed), warnings.catch_warnings():
            # A ReLU network has kinks: the line search ends at one, which is no failure.
            warnings.filterwarnings("ignore", "Optimization failed", RuntimeWarning)
            result: tuple[Tensor, Tensor, Tensor] = super().optimize(
                n=n,
                search_space_digest=search_space_digest,
                inequality_constraints=inequality_constraints,
                equality_constraints=equality_constraints,
                fixed_features=fixed_features,
                rounding_func=rounding_func,
                optimizer_options=options,
                candidate_set=candidate_set,
                sampling_strategy=sampling_strategy,
            )
        return result

    def _discrete_candidates(
        self, digest: SearchSpaceDigest, fixed_features: dict[int, float] | None, seed: int
    ) -> Tensor | None:
        """Random unseen points of a fully discrete space; ``None`` for any other space."""
        choices = mk_discrete_choices(digest, fixed_features)
        sizes = [len(values) for values in choices.values()]
        if len(sizes) < len(digest.feature_names):
            return None
        if max(sizes) > MAX_CARDINALITY_FOR_LOCAL_SEARCH and (
            math.prod(sizes) > _NUM_DISCRETE_CANDIDATES
        ):
            return None  # wide ranges of integers are searched like continuous ones
        known = [X for X in (self.X_observed, self.X_pending) if X is not None]
        candidates = unseen_candidates(
            [
                torch.tensor(choices[i], dtype=self.dtype, device=self.device)
                for i in range(len(digest.feature_names))
            ],
            torch.cat(known) if known else None,
            _NUM_DISCRETE_CANDIDATES,
            torch.Generator().manual_seed(seed),
        )
        if candidates.shape[0] == 0:
            raise SearchSpaceExhausted("Every point of the discrete search space was evaluated.")
        return candidates
