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
