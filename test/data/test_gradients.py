from dataclasses import dataclass

import torch
from torch import Tensor

from botorch_popbo.data._gradients import detach_fields


@dataclass(frozen=True)
class Record:
    first: Tensor
    second: Tensor


def test_values_stay_and_gradients_go() -> None:
    values = torch.ones(2, requires_grad=True)
    record = Record(values, 2.0 * values)
    detach_fields(record)
    assert not record.first.requires_grad
    assert not record.second.requires_grad
    assert record.second.tolist() == [2.0, 2.0]
    assert values.requires_grad
