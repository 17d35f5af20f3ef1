"""Every number that changes a suggestion or a prediction, with its reason.

Above each field stand its unit, why it has this value, and the measurement behind it, or "none".
Numbers that only guard the arithmetic stay where they guard it.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

from botorch.exceptions import InputDataError


@dataclass(frozen=True)
class ModelSettings:
    """What :class:`~botorch_popbo.RankingGP` assumes, and how it is fitted.

    Utilities have the unit of the prior's standard deviation, and points lie in the unit cube.
    A prior is the location and the deviation of a normal law, and limits are those of the same
    quantity.
    """

    # Distance within which a point is known, per root of the number of columns: it is not to be
    # suggested again, and digits that matter are left. Measured: none.
    known_radius: float = 1e-5

    # Median lengthscale on the unit cube, per root of the number of columns: distances grow with
    # that root (Hvarfner, Hellsten and Nardi, 2024). Measured: docs/results/journal.
    lengthscale: float = 0.7
    # Deviation of the log-lengthscale. A wider prior lets noisy runs collapse to a nearly linear
    # surface. Measured: docs/results/journal.
    lengthscale_deviation: float = 0.7
    # Logit of the rough part's share of the variance: a tenth, and above a half one time in ten.
    # Measured: docs/results/journal.
    roughness: tuple[float, float] = (-2.0, 1.5)
    # Logarithm of the rough part's lengthscale in units of the other: a fifth. Measured: as above.
    fineness: tuple[float, float] = (math.log(0.2), 0.5)
    # Log-variance of an outcome's noise. Measured: docs/results/journal.
    noise: tuple[float, float] = (-6.0, 2.0)
    # The same for predicted ranks, of which noise may be all that there is. Nearly flat. Measured:
    # docs/results/journal.
    rank_noise: tuple[float, float] = (-4.0, 3.0)
    # The same for the answers of a judge, who may well err. Measured: none.
    judge_noise: tuple[float, float] = (-3.0, 1.5)
    # Logit of a source's loading: its median is 0.5, and 0.95 is two deviations off. Measured:
    # none.
    source_loading: tuple[float, float] = (0.0, 1.5)
    # Logit of the target's: it is hardly ever what its sources have in common, 0.8 give or take
    # 0.06. Measured: docs/results/journal.
    target_loading: tuple[float, float] = (1.4, 0.4)

    # Whether nothing is learned from how far apart outcomes are: any increasing transform of them
    # then gives the same suggestions, bit for bit. An argument of every interface.
    order_only: bool = False
    # How far the gaps of outcomes are believed: logarithm of the shape of a gamma variable. Its
    # median, 7, is a factor of 1.4 either way. Measured: docs/results/journal.
    concentration: tuple[float, float] = (2.0, 1.5)
    # Logarithms of the least and the largest gap, in units of the typical one, that are distances:
    # four powers of ten either way. Of others the order alone counts. Rounding may be all that
    # tells outcomes apart, and the size of a penalty says nothing. Measured: docs/results/journal.
    log_gap_limits: tuple[float, float] = (-9.2, 9.2)
    # Deviation of the difference of utilities whose outcomes tie for the best. Were it free, a
    # plateau would look like a slope. Measured: docs/results/journal.
    tie: float = 0.03

    # L-BFGS over the hyperparameters ends after so many iterations, or where it gains less than
    # this share of the evidence for each of them: a step of many gains little of what all together
    # have to gain. Slopes and the evidence itself are as exact. Measured:
    # docs/results/journal, "Many columns".
    max_iterations: int = 40
    least_gain: float = 5e-3

    # Outliers leave a trace in the noise variance, where distances count a small one. Below this
    # one none is looked for. Measured: of a parabola's 40 records a wrong best one was believed in
    # 0.46 +- 0.10 of cases at 3e-4 (24 seeds), in none of 8 at 3e-5 and at 3e-6.
    suspicious_noise: float = 3e-5
    # Log-odds against a record at which it is set aside, round by round. Large ones first: the
    # noise is still inflated by the worst outliers, which makes the others look probable; what was
    # set aside too soon comes back in the next round. Measured: docs/results/journal.
    outlier_log_odds: tuple[float, ...] = (2.3, 0.0)
    # Share of records that are outliers, a priori. Measured: none.
    outlier_share: float = 0.1
    # Distance per root of the number of columns within which a point can contradict the best
    # outcome; without one it is not set aside, and a search goes there. Measured:
    # docs/results/journal.
    nearness: float = 0.1

    # Nats that other directions have to gain, of which there are many and which have no prior: on
    # functions of columns chance gains up to three. Measured: docs/results/journal.
    rotation_gain: float = 4.0
    # Log-odds, a priori, that whoever names a source is right to do so: 9 to 1. Measured: none.
    source_log_odds: float = 2.2

    # Records that hyperparameters are fitted to; the posterior is conditioned on; and all sources
    # share. Cost is cubic in them, and in columns: of more than the second none is rotated.
    # Measured: the last one, docs/results/journal.
    num_fitted: int = 250
    num_conditioned: int = 500
    num_of_sources: int = 250

    # Draws of hyperparameters that predicted ranks are averaged over. Measured: none.
    num_draws: int = 8
    # Their deviation in units of the normal law's at the maximum, which is narrower than what it
    # stands for, as no prior is quite right. Measured: docs/results/journal.
    widening: float = 1.3


@dataclass(frozen=True)
class AcquisitionSettings:
    """What is maximized: the expected gain of a utility, of a front, and of a rank."""

    # Share of the deviation that an expected improvement of the utility or the rank counts. A whole
    # one is drawn to corners, of which nothing is known. Measured: docs/results/journal.
    exploration: float = 0.5
    # The same where all points are listed, candidates or a table, which leaves no corners to be
    # drawn to. Measured: docs/results/journal.
    exploration_listed: float = 1.0
    # Columns with a meaning at a typical point up to which that share counts, and from which on all
    # of the deviation does. Ten points of a design span the directions of ten columns; those that
    # they leave out are tried for their deviation alone, or never. Measured:
    # docs/results/journal, "Many columns" and "Conditional parameters".
    many_columns: tuple[int, int] = (10, 20)
    # Share of the deviation that a point is worth even where the model is certain that nothing is
    # to be gained: it then explores, and copies nothing. Measured: docs/results/journal.
    doubt: float = 1e-6
    # The same where there are categories, of which a wrong one costs more than the last digits.
    # Measured: docs/results/journal.
    doubt_of_categories: float = 3e-4

    # How far below the worst feasible point the volume begins, in ranges of the feasible points'
    # utilities, and at least in deviations of the prior. Below the worst of the front alone it
    # leaves out the ends. Measured: docs/results/journal, another function.
    margin: float = 0.1

    def exploration_in(self, dim: int) -> float:
        """The share of the deviation that counts in so many columns."""
        few, many = self.many_columns
        rest = min(max((dim - few) / (many - few), 0.0), 1.0)
        return self.exploration + rest * (1.0 - self.exploration)


@dataclass(frozen=True)
class SearchSettings:
    """How the acquisition function is maximized, and how long the design is."""

    # Trials with outcomes before the model takes over; Ax has ``num_initial_trials`` for it, by
    # default the paper's 12. A design of 5 was level with one of 10 on eight test functions: a lead
    # of .12, -.15 and .04 places, each ± .2, after 20, 30, 40 evaluations.
    num_initial: int = 10
    # The same among listed candidates, of which the first few are as good as the best of a design.
    # Measured: docs/results/journal.
    num_initial_listed: int = 4
    # Questions to a judge about the design, for each parameter and at least: an answer tells less
    # than a value. Three to twenty did not help (docs/results/journal).
    num_initial_questions: tuple[int, int] = (2, 6)

    # Values of a parameter up to which each is tried; more are searched like a range and rounded,
    # unless points are few. With 1000 three ranges from 1 to 1000 ended 14 from the optimum after
    # 35 trials, with 100 they end 1.5 from it (five seeds), in half the time.
    max_listed: int = 100
    # Points up to which any discrete space is a table, of which every point is looked at. None.
    table_size: int = 1000
    # Points of a table up to which each is looked at, which bounds time and memory; in a larger one
    # a local search leads on. With several objectives, where each point costs more, 2048 at most.
    # None.
    max_candidates: int = 100_000

    # Starting points and raw samples that they come from. Hundreds of points are evaluated as fast
    # as a few, so samples are screened in one batch. None.
    num_starts: int = 4
    num_raw: int = 512
    # Steps of L-BFGS, and its relative tolerance in machine precisions: the search ends where a
    # step gains 2e-4 of the logarithm. SciPy's 2e-9 takes longer and gains 1e-5.
    max_steps: int = 60
    tolerance: float = 1e12
    # Combinations of choices up to which starts of each are climbed from together. In spaces of 16
    # and 50 BoTorch's alternation takes 3.5 times as long, and finds a better point once in 36
    # searches, a worse one twice.
    max_combinations: int = 64
    # How far from the best points starts scatter, as a logarithm to base 10 of the width of the
    # box: from the last digits to the next basin, because the region of improvement shrinks as a
    # search converges. None.
    log10_radius: tuple[float, float] = (-3.5, -0.5)

    # Half width of the cube about a judge's champion that half of the candidates for meeting it
    # fill. A few dozen answers say little of a whole space. A cube of 0.4, or one that shrinks, did
    # not help (docs/results/journal).
    challenger_radius: float = 0.25
    # Variances of a judge's noise, in units of the judges' common one, of which the most probable
    # is taken. On or off only: docs/results/journal.
    judge_noise_ratios: tuple[float, ...] = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
    # Lengthscales of a judge's utility, of the default prior's. What is smooth over the whole space
    # pulls a narrow optimum down to the losers about it. 0.7 and 1 did not help (the same page).
    judge_lengthscale: float = 0.5
    # Answers up to which the page fits its model within a click, in 0.05 s on a core; later, as 500
    # answers take 0.4 s, the champion is that of the answers before the last one. Where it was so
    # from the end of the design on, the regret was level after 18 to 36 answers (24 seeds of the
    # four functions of docs/examples/asked_ahead.py).
    judge_fits: int = 24

    def questions_of_design(self, dim: int) -> int:
        """The number of questions about the design, of so many parameters."""
        for_each, fewest = self.num_initial_questions
        return max(fewest, for_each * dim)


@dataclass(frozen=True)
class PaperSettings:
    """The network of the paper: how large it is, how long it learns, and what is known to it.

    Where a value is "the paper's" it stands in Wang et al. (2023), section 4 "Settings" and
    appendix B, and is kept because the preset reproduces its tables. What is not named here is a
    default of the paper's acquisition functions, or stands in :mod:`botorch_popbo.paper.rate`.
    """

    # Units of each hidden layer. The paper's. Measured: none.
    hidden_sizes: tuple[int, ...] = (128, 128, 128)
    # Steps of ADAM. The paper's. Measured: none.
    num_steps: int = 100
    # Length of a list from which the plain Poisson law is taken: its mean is cheap. The paper's.
    # Measured: none.
    untruncated_from: float = 12
    # Distance in the unit cube, per root of the dimension, within which a point is known. A network
    # has no uncertainty of its own: were it small, the best point would be suggested for ever.
    # Measured: docs/paper.md, "Departures".
    known_radius: float = 0.02
    # What the network's output is multiplied by: the number of evaluated points, or, if it is
    # given, the measure of the space, as in the paper. Measured: docs/paper.md, "Departures".
    measure: float | None = None


@dataclass(frozen=True)
class Settings:
    """All of them, as every interface takes them."""

    model: ModelSettings = ModelSettings()
    acquisition: AcquisitionSettings = AcquisitionSettings()
    search: SearchSettings = SearchSettings()
    paper: PaperSettings = PaperSettings()

    def with_list(self, is_listed: bool) -> Self:
        """The same settings as they are where every point is listed, if that is so."""
        if not is_listed:
            return self
        exploration = self.acquisition.exploration_listed
        return replace(self, acquisition=replace(self.acquisition, exploration=exploration))


def read_settings(settings: Settings | None, order_only: bool = False) -> Settings:
    """Settings as they are passed, which perhaps ignore how far apart outcomes are.

    Raises:
        InputDataError: If they are something else, such as a dictionary.
    """
    if not isinstance(settings, Settings | None):
        raise InputDataError(f"settings must be Settings(...) or None, not {settings!r}.")
    given = settings or Settings()
    model = replace(given.model, order_only=order_only or given.model.order_only)
    return replace(given, model=model)
