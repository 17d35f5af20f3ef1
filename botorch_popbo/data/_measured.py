from botorch_popbo.search.trials import Trials as Measured

__all__ = ["Measured"]
