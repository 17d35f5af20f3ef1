"""The script that exports NAS-Bench-201, with a stand-in for the API that it uses."""

import csv
import os
import subprocess
import sys
from pathlib import Path

from helpers.examples import EXAMPLES

SCRIPT = EXAMPLES / "export_nasbench201.py"
STAND_IN = """
class Results:
    def __init__(self, index, schedule):
        self.index, self.schedule = index, schedule

    def get_dataset_seeds(self, data_set):
        return [999, 777] if self.index == 1 else [777, 888, 999]

    def get_metrics(self, data_set, part, iepoch=None, is_random=False):
        assert iepoch is None
        assert is_random is not True
        assert (data_set, part) in {
            ("cifar10-valid", "x-valid"), ("cifar10", "ori-test"), ("cifar100", "x-valid"),
            ("cifar100", "x-test"), ("ImageNet16-120", "x-valid"), ("ImageNet16-120", "x-test"),
        }
        seed = 0 if is_random is False else is_random
        return {"loss": 1.0, "accuracy": self.index + int(self.schedule) / 1000 + seed / 1e6}

class API:
    arch2infos_dict = {}
    def __len__(self):
        return 2
    def arch(self, index):
        return f"|op{index}~0|"
    def query_meta_info_by_index(self, index, hp="12"):
        return Results(index, hp)

def create(file_path_or_dict, search_space, fast_mode=False, verbose=True):
    assert (file_path_or_dict, search_space, fast_mode) == ("RELEASE", "tss", True)
    return API()
"""


def test_the_export_has_the_columns_that_are_converted(tmp_path: Path) -> None:
    (tmp_path / "nats_bench.py").write_text(STAND_IN)
    subprocess.run(
        [sys.executable, str(SCRIPT), "RELEASE", "export.csv"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        check=True,
    )
    with (tmp_path / "export.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    data_sets = ("cifar10", "cifar100", "imagenet16")
    assert set(first) == {
        "index",
        "arch_str",
        *(f"{d}_{part}_ep12" for d in data_sets for part in ("valid", "test")),
        *(f"{d}_valid_ep200" for d in data_sets),
        *(f"{d}_valid_ep200_seed{i}" for d in data_sets for i in range(3)),
    }
    assert (second["index"], second["arch_str"]) == ("1", "|op1~0|")
    assert float(second["cifar10_valid_ep12"]) == 1.012
    assert float(second["cifar100_valid_ep200"]) == 1.2
    seeds = [second[f"imagenet16_valid_ep200_seed{i}"] for i in range(3)]
    assert seeds == [str(1.2 + 777 / 1e6), str(1.2 + 999 / 1e6), ""]
    assert first["imagenet16_valid_ep200_seed2"] != ""
