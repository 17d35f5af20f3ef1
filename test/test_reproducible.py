"""PyTorch's number of threads, which is a process's and a thread's at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError, Event
from time import sleep

import pytest
import torch

from botorch_popbo._reproducible import one_thread, seeded


@pytest.fixture(autouse=True)
def five() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(5)
    yield
    torch.set_num_threads(before)


def new_thread() -> int:
    with ThreadPoolExecutor(1) as fresh:
        return fresh.submit(torch.get_num_threads).result()


def test_one_thread_may_be_entered_again() -> None:
    with one_thread():
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == new_thread() == 1
    assert torch.get_num_threads() == new_thread() == 5


@pytest.mark.parametrize("waits", [True, False])
def test_a_thread_that_was_born_while_another_was_inside_leaves_all_as_it_was(waits: bool) -> None:
    born, left = Event(), Event()

    def enter() -> int:
        assert torch.get_num_threads() == 1  # which it keeps
        born.set()
        if not waits:
            left.wait()
        with one_thread():
            assert left.is_set()
            assert torch.get_num_threads() == 1
        return torch.get_num_threads()

    with ThreadPoolExecutor(1) as other:
        with one_thread():
            entering = other.submit(enter)
            born.wait()
            assert torch.get_num_threads() == 1
            left.set()
        assert entering.result() == 5
    assert torch.get_num_threads() == new_thread() == 5


def test_threads_do_not_share_a_seed() -> None:
    met = Barrier(2)

    def draw(seed: int) -> float:
        with seeded(seed):
            with suppress(BrokenBarrierError):
                sleep(0.1 * met.wait(0.2))  # the second leaves last
            return torch.rand(1).item()

    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(draw, [1, 2])] == [draw(1), draw(2)]
