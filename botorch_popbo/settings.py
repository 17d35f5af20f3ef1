"""Every number that changes a suggestion or a prediction, with its reason.

Above each field stand its unit, why it has this value, and the measurement behind it, or "none".
Numbers that only guard the arithmetic stay where they guard it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelSettings:
    """What :class:`~botorch_popbo.RankingGP` assumes, and how it is fitted."""


@dataclass(frozen=True)
class AcquisitionSettings:
    """What is maximised: the expected gain of a front of several objectives."""

    # Largest number of objectives whose volumes are cut exactly, with all samples. The boxes of a
    # volume grow fast in number with the objectives. Measured: none.
    few_objectives: int = 3
    # Joint draws of the utilities for so few objectives; BoTorch's default. Measured: none.
    num_samples: int = 128
    # Draws for more objectives, to bound the time of a suggestion. Measured: none.
    num_samples_of_many: int = 32
    # Share of the volume below which a box is not cut, for more objectives. Measured: none.
    coarseness: float = 1e-2
    # How far below a front of one level its volume begins, in deviations of the prior: there is no
    # range of which to take a part. Measured: none.
    margin: float = 0.1
    # Draws of the largest utility of tied best outcomes. Measured: none.
    num_level_samples: int = 128
    # Quantile of that utility from which on a point surpasses all of a tied best level.
    # Measured: docs/results/coverage.md, on the seeds of these problems.
    sure: float = 0.9
    # Outcomes within so many roundings of the typical one are equal: what is left of a sum whose
    # terms cancel is no difference. Measured: none.
    rounding: float = 4.0


@dataclass(frozen=True)
class SearchSettings:
    """How the acquisition function is maximised, and how long the design is."""


@dataclass(frozen=True)
class PaperSettings:
    """The network of the paper, its training, and its acquisition functions.

    Where a value is "the paper's" it stands in Wang et al. (2023), section 4 "Settings" and
    appendix B, and is kept because the preset reproduces its tables.
    """

    # Units of each hidden layer. The paper's. Measured: none.
    hidden_sizes: tuple[int, ...] = (128, 128, 128)
    # Steps of ADAM. The paper's. Measured: none.
    num_steps: int = 100
    # Records in a step, drawn without replacement; fewer are all used. The paper's. Measured: none.
    batch_size: int = 64
    # ADAM's first learning rate. The paper's. Measured: none.
    learning_rate: float = 0.01
    # Factor of the learning rate after each period. The paper's. Measured: none.
    learning_rate_factor: float = 0.2
    # Steps of a period. The paper's. Measured: none.
    learning_rate_period: int = 30
    # Length of a list from which the plain Poisson law is taken: its mean is cheap. The paper's.
    # Measured: none.
    untruncated_from: float = 12
    # Distance in the unit cube, per root of the dimension, within which a point is known. A network
    # has no uncertainty of its own: were it small, the best point would be suggested for ever.
    # Measured: none.
    known_radius: float = 0.02
    # Worst tolerable rank of ERI. The paper's. Measured: docs/results/experiments.md, K_m from 1 to 20.
    worst_rank: int = 5
    # Share of the points that a promising point may rank behind under ERI, the paper's q.
    # Measured: docs/results/experiments.md, 0.1 to 0.8.
    eri_share: float = 0.4
    # The same under R-LCB. Measured: docs/results/experiments.md, 0.1 to 0.8.
    rlcb_share: float = 0.6
    # Deviations below the mean at which R-LCB's bound lies. The paper gives none; below two it
    # turns the search into a random one (docs/paper.md, errata). Measured: none.
    beta: float = 3.0


@dataclass(frozen=True)
class Settings:
    """All of them, as every front door takes them."""

    model: ModelSettings = ModelSettings()
    acquisition: AcquisitionSettings = AcquisitionSettings()
    search: SearchSettings = SearchSettings()
    paper: PaperSettings = PaperSettings()
