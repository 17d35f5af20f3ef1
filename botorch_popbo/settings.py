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
    """What is maximised."""


@dataclass(frozen=True)
class SearchSettings:
    """How the acquisition function is maximised, and how long the design is."""

    # Trials with outcomes before the model takes over, at every front door. Ranks of fewer points
    # leave most of a model open. A design of 5 is not worse after 40 evaluations and not better.
    num_initial: int = 10
    # Questions to a judge about the design, for each parameter and at least: an answer tells less
    # than a value. Measured for two to six parameters, docs/more_results.md.
    num_initial_questions: tuple[int, int] = (2, 6)
    # Points of the design that are looked at for one that is not known: of a table of twelve
    # points, one is then hardly ever missed. None.
    num_tried: int = 128

    # Values of a parameter up to which each is tried; more are searched like a range and rounded,
    # which takes no longer for more of them. None.
    max_listed: int = 1000
    # Points up to which any discrete space is a table, of which every point is looked at. None.
    table_size: int = 1000
    # Points of a table that are looked at: with one objective a hundred thousand take half a
    # second, with several each costs more (docs/sample_efficiency.md), a network's are the paper's.
    max_candidates: int = 100_000
    max_front_candidates: int = 2_048
    max_network_candidates: int = 1_000
    # Random points of which the best stands in for one that is known. None.
    num_others: int = 512

    # Starting points and raw samples that they come from. Hundreds of points are evaluated as fast
    # as a few, and a Gaussian process has few maxima near the best points. None.
    num_starts: int = 4
    num_raw: int = 512
    # Steps of L-BFGS, and its relative tolerance in machine precisions: the search ends where a
    # step gains 2e-4 of the logarithm. SciPy's 2e-9 takes longer and gains 1e-5.
    max_steps: int = 60
    tolerance: float = 1e12
    # The same of BoTorch's optimizers of mixed spaces: each combination of few choices in Ax, and
    # many combinations everywhere. None.
    num_mixed_starts: int = 8
    num_mixed_raw: int = 256
    max_mixed_steps: int = 50
    # Of many combinations BoTorch alternates between numbers and choices so often. None.
    max_alternations: int = 8
    # A network's maxima have kinks, so more starts, a coarser end (0.002 of a rank) and a short
    # line search pay; a long one gains nothing there.
    num_network_starts: int = 16
    network_tolerance: float = 1e13
    max_network_line_search: int = 4

    # Best points that half of the starts scatter about, and points whose rank is predicted to find
    # them. None.
    num_centers: int = 5
    max_centers: int = 1000
    # How far, as a logarithm to base 10 of the width of the box: from the last digits to the next
    # basin, because the region of improvement shrinks as a search converges. None.
    log10_radius: tuple[float, float] = (-3.5, -0.5)
    # Steps of the random walk that samples linear constraints, before the first and between two.
    # BoTorch's 10,000 and 32 take many times as long as all else; starts need no independence.
    walk: tuple[int, int] = (256, 4)

    # Candidates for meeting a judge's champion, the half width of the cube about it that half of
    # them fill, and how much closer the others come, to base 10. A few dozen answers say little of
    # a whole space. Widths of 0.1 to 1 were tried, docs/more_results.md.
    num_challengers: int = 512
    challenger_radius: float = 0.25
    log10_closeness: float = -2.0
    # Lengthscales of a judge's utility, of the default prior's. What is smooth over the whole space
    # pulls a narrow optimum down to the losers about it. docs/more_results.md.
    judge_lengthscale: float = 0.5


@dataclass(frozen=True)
class PaperSettings:
    """The network of the paper, its training, and its acquisition functions."""


@dataclass(frozen=True)
class Settings:
    """All of them, as every front door takes them."""

    model: ModelSettings = ModelSettings()
    acquisition: AcquisitionSettings = AcquisitionSettings()
    search: SearchSettings = SearchSettings()
    paper: PaperSettings = PaperSettings()
