import logging
import warnings
from contextlib import suppress

import pytest

from botorch_popbo.benchmarks.run._quiet import quiet


def test_talk_is_dropped_and_errors_are_not(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("a library")
    logger.setLevel(logging.DEBUG)
    with quiet():
        logger.info("dropped")
        logger.warning("kept")
        warnings.warn("dropped", UserWarning, stacklevel=1)
    logger.info("kept again")
    assert caplog.messages == ["kept", "kept again"]


@pytest.mark.parametrize("threshold", [logging.NOTSET, logging.ERROR])
def test_the_threshold_is_put_back(threshold: int) -> None:
    logging.disable(threshold)
    try:
        with suppress(ValueError), quiet():
            assert logging.root.manager.disable == max(threshold, logging.INFO)
            raise ValueError
        assert logging.root.manager.disable == threshold
    finally:
        logging.disable(logging.NOTSET)
