"""The Poisson process of Wang et al. (2023): a rate fitted to counts of better points.

``docs/paper.md`` says which equation is where. The classes are imported from :mod:`botorch_popbo`.
"""

# They import the paper's names: loaded first, they find no module half imported.
import botorch_popbo.models  # noqa: F401
