"""Write NAS-Bench-201 as a CSV file, which ``tables/make.py`` converts.

The release, ``NATS-tss-v1_0-3ffb9-simple.tar`` of github.com/D-X-Y/NATS-Bench unpacked, is made of
pickles, and reading a pickle can run any code. This script therefore needs neither popbo nor the
environment that popbo runs in:

    python -m venv DIR
    DIR/bin/pip install nats_bench==1.8 "numpy<2"
    DIR/bin/python docs/examples/export_nasbench201.py NATS-tss-v1_0-3ffb9-simple nasbench201.csv
"""

import csv
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nats_bench import create

#: The release's names of what was trained on the training part alone and validated on the rest.
DATA_SETS = {"cifar10": "cifar10-valid", "cifar100": "cifar100", "imagenet16": "ImageNet16-120"}
#: Where the test accuracies are; that of CIFAR-10 is after training on the validation part as well.
TESTS = {
    "cifar10": ("cifar10", "ori-test"),
    "cifar100": ("cifar100", "x-test"),
    "imagenet16": ("ImageNet16-120", "x-test"),
}
NUM_SEEDS = 3


def accuracy(results: Any, data_set: str, part: str, seed: int | bool = False) -> float:
    """Look up an accuracy in per cent after the last epoch, the mean over the seeds by default."""
    return float(results.get_metrics(data_set, part, is_random=seed)["accuracy"])


def row(api: Any, index: int) -> dict[str, Any]:
    """Look up all columns of one architecture."""
    short, long = (api.query_meta_info_by_index(index, schedule) for schedule in ("12", "200"))
    cells: dict[str, Any] = {"index": index, "arch_str": api.arch(index)}
    for name, data_set in DATA_SETS.items():
        cells[f"{name}_valid_ep12"] = accuracy(short, data_set, "x-valid")
        cells[f"{name}_test_ep12"] = accuracy(short, *TESTS[name])
        cells[f"{name}_valid_ep200"] = accuracy(long, data_set, "x-valid")
        seeds = sorted(long.get_dataset_seeds(data_set))
        for i in range(NUM_SEEDS):
            # Many architectures were trained with fewer seeds.
            cell = accuracy(long, data_set, "x-valid", seeds[i]) if i < len(seeds) else ""
            cells[f"{name}_valid_ep200_seed{i}"] = cell
    return cells


def rows(api: Any) -> Iterator[dict[str, Any]]:
    """Look up every architecture."""
    for index in range(len(api)):
        yield row(api, index)
        # The API keeps all that it has read.
        api.arch2infos_dict.clear()
        if (index + 1) % 1000 == 0:
            print(f"{index + 1} of {len(api)}", file=sys.stderr)


def main() -> None:
    """Run the script."""
    parser = ArgumentParser(description="Write NAS-Bench-201 as a CSV file.")
    parser.add_argument("release", type=Path, help="the folder NATS-tss-v1_0-3ffb9-simple")
    parser.add_argument("output", type=Path, help="the CSV file")
    options = parser.parse_args()
    api = create(str(options.release), "tss", fast_mode=True, verbose=False)
    with options.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, row(api, 0))
        writer.writeheader()
        writer.writerows(rows(api))


if __name__ == "__main__":
    main()
