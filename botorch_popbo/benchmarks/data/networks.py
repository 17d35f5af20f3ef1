"""Tables of small networks on the data sets that scikit-learn bundles, trained by ``popbo data``.

Parameters and their scales are those of the networks of HPOBench (Eggensperger et al. 2021), with
fewer choices each.
"""

from pathlib import Path

from botorch_popbo.benchmarks.data.replicates import LAYOUT, load_replicates
from botorch_popbo.benchmarks.data.table import Choices, Table, find_file

FILE = "mlp.npz"
#: What is trained on, with what is measured.
DATA_SETS = {
    "digits": "error rate",
    "breast_cancer": "error rate",
    "wine": "error rate",
    "diabetes": "mean squared error / variance",
}
#: Every parameter's choices, by name.
GRID: dict[str, Choices] = {
    "alpha": (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1),
    "batch_size": (8, 16, 32, 64, 128),
    "depth": (1, 2, 3),
    "learning_rate_init": (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1),
    "width": (4, 8, 16, 32, 64),
}
NUM_REPLICATES = 8

_HELP = f"""\
It holds test errors of small networks, trained on data sets of scikit-learn, as arrays
{LAYOUT.format(parameters=len(GRID))}
  <data set>_error (n, {NUM_REPLICATES}) floats: error of each split on its other half
for {", ".join(DATA_SETS)}. popbo data mlp makes it, in some minutes."""


def errors_name(data_set: str) -> str:
    """The name of the array of a data set's errors."""
    return f"{data_set}_error"


def load_networks(data: Path | None, data_set: str) -> Table:
    """Read the test errors of all splits of one data set from the folder ``data``.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    path = find_file(data, FILE, _HELP)
    return load_replicates(path, errors_name(data_set), len(GRID), NUM_REPLICATES)
