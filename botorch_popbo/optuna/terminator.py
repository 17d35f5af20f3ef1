"""An Optuna callback that ends a study once hardly anything better is left."""

import logging

from botorch.exceptions import InputDataError
from optuna.study import Study
from optuna.trial import FrozenTrial

from botorch_popbo.optuna.sampler import PoPBOSampler

_logger = logging.getLogger("botorch_popbo")


class PoPBOTerminator:
    """End a study once it is unlikely that anything better is left.

    It is a callback of ``study.optimize``, and :meth:`should_terminate` serves those who ask and
    tell. The chance is that of the model of :class:`PoPBOSampler`: of the study's own, with which
    it shares the fit, or else of one with the defaults, beside any other sampler. It is never
    before the end of that design, and a line in the log says so. Optuna's own ``Terminator``, which
    compares a bound in the unit of the objective with an error, ends with Optuna 6.

    Args:
        chance: The chance at which to end.
        margin: By how much to be better, in the unit of the objective; by default a hundredth of
            the distance between the best value and the median one of the design. Of several
            objectives it is a share of the front's hypervolume, by default a hundredth. Where the
            order alone counts, any margin above zero is half a place.

    Raises:
        InputDataError: If the chance is not between 0 and 1.

    Example:
        >>> study.optimize(objective, n_trials=100, callbacks=[PoPBOTerminator(0.05)])
    """

    def __init__(self, chance: float = 0.05, margin: float | None = None) -> None:
        if not 0.0 < chance < 1.0:
            raise InputDataError(f"chance must be a number between 0 and 1, but got {chance!r}.")
        self.chance, self.margin = chance, margin
        self._sampler = PoPBOSampler(seed=0)

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """End the study if there is no reason to continue."""
        if self.should_terminate(study):
            study.stop()

    def should_terminate(self, study: Study) -> bool:
        """Whether there is no reason to continue, which the log then says."""
        sampler = study.sampler if isinstance(study.sampler, PoPBOSampler) else self._sampler
        found = sampler.outlook(study, self.margin)
        is_over = found.chance <= self.chance
        if is_over:
            _logger.warning("stopped after %s trials: %s", len(study.trials), found)
        return is_over
