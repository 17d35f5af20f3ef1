"""The files of tables over one grid of p parameters, with several values in every cell.

As arrays they hold ``X_index`` (n, p), the index of each parameter's choice, every combination
once; ``param_names`` (p,) in that order; ``param_choices`` (p,), each a Python literal list; and
for each table its values (n, m).

FCNet's are validation errors of two-layer networks (Klein & Hutter 2019). Small networks on data
sets that scikit-learn bundles are trained by ``docs/examples/tables/make.py``; parameters and
scales are those of the networks of HPOBench (Eggensperger et al. 2021), with fewer choices each.
GPU kernels are the exhaustive measurements that the FAIR Benchmark Hub for Auto-Tuning publishes
under the MIT licence (github.com/AutoTuningAssociation/benchmark_hub, doi:10.5281/zenodo.15364124).
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.data.table import Choices, Table, find_file, on_grid, read_arrays


@dataclass(frozen=True)
class TableFile:
    """A file of tables.

    Attributes:
        file: Its name.
        parts: The names of the tables.
        kind: What the name of a table's array ends with.
        num_replicates: The number of values in each cell.
    """

    file: str
    parts: tuple[str, ...]
    kind: str
    num_replicates: int

    def load(self, data: Path | None, part: str) -> Table:
        """Read one table from a folder.

        Raises:
            UsageError: If the file is missing, unreadable or not such a file.
        """
        path, name = find_file(data, self.file), f"{part}_{self.kind}"
        arrays = read_arrays(path, ("X_index", "param_names", "param_choices", name))
        if arrays[name].shape[1:] != (self.num_replicates,):
            raise UsageError(f"{path}: array {name!r} needs {self.num_replicates} values per row")
        choices = [_parse_choices(str(literal), path) for literal in arrays["param_choices"]]
        grid = on_grid(arrays, name, tuple(map(len, choices)), path)
        return Table(dict(zip(map(str, arrays["param_names"]), choices, strict=True)), grid)


def _parse_choices(literal: str, path: Path) -> Choices:
    try:
        values = ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        values = None
    if not isinstance(values, Sequence) or not values:
        raise UsageError(f"{path}: {literal!r} in 'param_choices' is not a list")
    return tuple(values)


FCNET = TableFile(
    "fcnet_valid.npz",
    ("naval_propulsion", "parkinsons_telemonitoring", "protein_structure", "slice_localization"),
    "valid_mse",
    4,
)

#: What small networks are trained on, with what is measured.
MLP_LABELS = {
    "digits": "error rate",
    "breast_cancer": "error rate",
    "wine": "error rate",
    "diabetes": "mean squared error / variance",
}
MLP = TableFile("mlp.npz", (*MLP_LABELS,), "error", 8)

_GPUS = ("A100", "A4000", "A6000", "MI250X", "W6600", "W7800")
KERNELS = {
    name: TableFile(f"{name}.npz", _GPUS, "milliseconds", 32)
    for name in ("dedispersion", "convolution")
}
