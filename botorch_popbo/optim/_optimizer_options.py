from botorch_popbo.search.maximize import default_options

_NAMES = ("optimize_acqf", "optimize_acqf_mixed", "optimize_acqf_mixed_alternating")
OPTIMIZER_OPTIONS = {name: default_options(name, is_smooth=False) for name in _NAMES}
__all__ = ["OPTIMIZER_OPTIONS", "default_options"]
