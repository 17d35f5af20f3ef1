"""The Poisson process of Wang et al. (2023): a rate fitted to counts of better points.

The counts are those of :mod:`botorch_popbo.data.rank_counts`, the acquisition functions in
:mod:`botorch_popbo.acquisition`; ``docs/paper.md`` says which equation is where. The classes are
imported from :mod:`botorch_popbo`.
"""

# They import PoissonRankModel from here: loaded first, they find no module half imported.
import botorch_popbo.models  # noqa: F401
