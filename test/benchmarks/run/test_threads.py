from contextlib import suppress

import pytest
import torch

from botorch_popbo.benchmarks.run._threads import one_thread


@pytest.mark.parametrize("error", [None, KeyError()])
def test_one_thread_inside_and_as_before_after(error: KeyError | None) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    with suppress(KeyError), one_thread():
        assert torch.get_num_threads() == 1
        if error:
            raise error
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)
