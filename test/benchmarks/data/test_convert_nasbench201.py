import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from botorch_popbo.benchmarks.data._convert_nasbench201 import convert_nasbench201
from botorch_popbo.benchmarks.data.nasbench201 import load_nasbench201
from botorch_popbo.benchmarks.errors import UsageError

from .conftest import write_csv

Columns = dict[str, list[Any]]
SEED = "cifar10_valid_ep200_seed1"


def test_the_needed_columns_make_a_table(columns: Columns, tmp_path: Path) -> None:
    arrays = convert_nasbench201(write_csv(tmp_path / "export.csv", columns))
    assert arrays.keys() == {"X_index", "op_names", "arch_str", "cifar10_valid_ep12"}
    np.savez(tmp_path / "nasbench201.npz", **arrays)
    table = load_nasbench201(tmp_path)
    for i in (0, 1, 7000, 15624):
        operations = re.findall(r"(\w+)~", columns["arch_str"][i])
        assert arrays["arch_str"][columns["index"][i]] == columns["arch_str"][i]
        cell = table.cell(dict(zip(table.choices, operations, strict=True)))
        assert table.values[cell] == columns["cifar10_valid_ep12"][i]


def test_the_real_table_comes_back_to_the_bit(real_tables: Path, tmp_path: Path) -> None:
    with np.load(real_tables / "nasbench201.npz", allow_pickle=False) as archive:
        real = {name: archive[name] for name in archive}
    columns: Columns = {"index": list(range(15625)), "arch_str": real["arch_str"].tolist()}
    for name, values in real.items():
        if name.endswith("_seeds"):
            for i in range(3):
                cells = values[:, i].tolist()
                columns[f"{name[:-1]}{i}"] = ["" if np.isnan(cell) else cell for cell in cells]
        elif values.dtype.kind == "f":
            columns[name] = values.tolist()
    arrays = convert_nasbench201(write_csv(tmp_path / "export.csv", columns))
    assert arrays.keys() == real.keys()
    for name, values in arrays.items():
        assert values.dtype == real[name].dtype
        np.testing.assert_array_equal(values, real[name])


def changed(column: str, value: object) -> Any:
    def edit(columns: Columns) -> Columns:
        return {**columns, column: [value, *columns[column][1:]]}

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda c: {k: v for k, v in c.items() if k != "arch_str"}, "no column arch_str"),
        (lambda c: {k: v[1:] for k, v in c.items()}, "'index' is not 0 to 15623, each once"),
        (lambda c: {k: v[:0] for k, v in c.items()}, "expected 15625"),
        (changed("index", 15625), "'index' is not 0 to 15624"),
        (changed("cifar10_valid_ep12", ""), "'cifar10_valid_ep12' has empty cells"),
        (changed("cifar10_valid_ep12", "nan"), "values that are not finite"),
        (changed("cifar10_valid_ep12", "good"), "'cifar10_valid_ep12'.*'good'"),
        (changed("arch_str", "|conv~0|"), "is not an architecture"),
        (lambda c: changed("arch_str", c["arch_str"][1])(c), "15624 different architectures"),
        (lambda c: {**c, "cifar_valid": c["index"]}, "unknown or repeated column cifar_valid"),
        (lambda c: {**c, SEED: c["index"]}, "not all of the columns cifar10_valid_ep200_seed0"),
    ],
)
def test_what_is_wrong_is_named(columns: Columns, tmp_path: Path, edit: Any, message: str) -> None:
    path = write_csv(tmp_path / "export.csv", edit(columns))
    with pytest.raises(UsageError, match=message) as error:
        convert_nasbench201(path)
    assert str(path) in str(error.value)


def test_a_truncated_file(columns: Columns, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "export.csv", columns)
    text = path.read_text()
    path.write_text(text[: text.rindex("|")])
    with pytest.raises(UsageError, match="row 15626: 2 cells, expected 3"):
        convert_nasbench201(path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'index,"arch'])
def test_what_is_no_csv_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"cannot be read as a CSV file|has no column"):
        convert_nasbench201(path)


@pytest.mark.parametrize("name", ["none.csv", "."])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        convert_nasbench201(tmp_path / name)
