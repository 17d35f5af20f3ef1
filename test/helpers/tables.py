"""The script that makes files of tables, which is no module of the package."""

import sys

from .examples import EXAMPLES

sys.path.insert(0, str(EXAMPLES / "tables"))

import grids
import make
import published
import train_networks

__all__ = ["grids", "make", "published", "train_networks"]
