from botorch_popbo.search.maximize import maximize, unless_known
from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Domain, rounded_columns

MAX_LISTED = SearchSettings().max_listed
__all__ = ["MAX_LISTED", "Domain", "maximize", "rounded_columns", "unless_known"]
