"""What a worker process does with one fit.

Ax writes to the terminal while it is imported, so it is imported here only once it is silenced.
"""

from botorch_popbo.benchmarks.quiet import quiet
from botorch_popbo.benchmarks.rank_agreement.results import Result
from botorch_popbo.benchmarks.rank_agreement.study import Setting


def work(setting: Setting) -> tuple[Setting, Result | str]:
    """Fit a model and keep its error from the others.

    Args:
        setting: The fit.

    Returns:
        The fit, and its result or what went wrong.
    """
    with quiet():
        try:
            from botorch_popbo.benchmarks.rank_agreement.evaluation import evaluate

            return setting, evaluate(setting)
        except Exception as error:  # A model may raise anything.
            return setting, f"{type(error).__name__}: {' '.join(str(error).split())}"
