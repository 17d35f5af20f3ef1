import pytest
import torch

from botorch_popbo.benchmarks.run._threads import one_thread


@pytest.mark.parametrize("fails", [False, True])
def test_one_thread_inside_and_as_before_after(fails: bool) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        try:
            with one_thread():
                assert torch.get_num_threads() == 1
                if fails:
                    raise KeyError
        except KeyError:
            assert fails
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
