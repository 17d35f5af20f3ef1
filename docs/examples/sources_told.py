"""How much the whole tables of three tasks say of the best of a fourth: FCNet's data sets.

Prints a Markdown table: the least regret among the best configurations by the mean logarithm of the
ranks that they have in the three other tables, all 62,208 rows of which are known.
``python docs/examples/sources_told.py DIR`` for the folder that ``--data`` names.
"""

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from botorch_popbo.benchmarks.data.fcnet import DATA_SETS, load_fcnet

NUMBERS = (1, 3, 10, 30, 100)
Array = npt.NDArray[np.float64]


def least_regrets(target: Array, sources: list[Array]) -> list[float]:
    """After each of ``NUMBERS``, of tables of the same shape."""
    ranks = [np.log(rankdata(source)) for source in sources]
    regrets = target.ravel()[np.sum(ranks, axis=0).argsort(kind="stable")] - target.min()
    return [float(regrets[:number].min()) for number in NUMBERS]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the tables")
    folder = parser.parse_args().data
    tables = {name: load_fcnet(folder, name).means for name in DATA_SETS}
    print(f"| configurations | {' | '.join(map(str, NUMBERS))} |")
    print(f"| {' | '.join(['---'] * (len(NUMBERS) + 1))} |")
    for name, target in tables.items():
        sources = [table for other, table in tables.items() if other != name]
        cells = (f"{regret:.2g}" for regret in least_regrets(target, sources))
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
