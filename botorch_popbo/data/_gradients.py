"""Frozen records of tensors, without their gradients."""

from dataclasses import fields
from typing import Any


def detach_fields(record: Any) -> None:
    """Drop the gradients of a frozen dataclass of tensors: a model of them could not be copied.

    Args:
        record: The dataclass.
    """
    for field in fields(record):
        object.__setattr__(record, field.name, getattr(record, field.name).detach())
