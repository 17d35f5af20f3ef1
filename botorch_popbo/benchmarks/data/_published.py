"""Whether the numbers in a table file are those that the published results were made with."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from botorch_popbo.benchmarks.data import fcnet, kernels, nasbench201, networks
from botorch_popbo.benchmarks.data.table import Array, Choices, Table

#: The file of each table, by the name of the command that makes it.
FILES = {
    "fcnet": fcnet.FILE,
    "nasbench201": nasbench201.FILE,
    "mlp": networks.FILE,
    **kernels.FILES,
}
Parts = dict[str, Callable[[Path], Table]]
#: The parts of each file, by the file's name, and what reads them.
_PARTS: dict[str, Parts] = {
    fcnet.FILE: {name: partial(fcnet.load_fcnet, data_set=name) for name in fcnet.DATA_SETS},
    nasbench201.FILE: {nasbench201.ACCURACY: nasbench201.load_nasbench201},
    networks.FILE: {
        f"mlp {name}": partial(networks.load_networks, data_set=name) for name in networks.DATA_SETS
    },
    **{
        file: {
            f"{kernel} {gpu}": partial(kernels.load_kernel, kernel=kernel, gpu=gpu)
            for gpu in kernels.GPUS
        }
        for kernel, file in kernels.FILES.items()
    },
}
#: The checksum of each part that is read (the means, where a cell has several values) in the tables
#: that the published results were made with; docs/benchmarks.md says where those are from. The
#: checksum of a part that differs is shown by ``popbo data check FOLDER``.
_PUBLISHED = {
    "naval_propulsion": "2742695aad09ba3354cce638dbf95428a5701ca34337b12121217d0b1d8e7588",
    "parkinsons_telemonitoring": "91757ce318595432f82282c26cc295d5129daf5198decc77778b3156bbae968c",
    "protein_structure": "b8e55777a1a6d855880eb515ef48d5744a23c809dfaec3889bf099f9df3b1cd3",
    "slice_localization": "e84ef030090c3c6fb90a9f134136d77fb97dc2c41e96a35903feae5276d1242f",
    "cifar10_valid_ep12": "a6fce3ec9ab5ef2fe4a878c27b2c6a29ccec8976a5269d5d4be1ff6166ae6f2e",
    "mlp digits": "be46c036a4b0429c25b7112de74dd5ca61fcdd8a7db35979e03612277fc03b58",
    "mlp breast_cancer": "2b351671df6262c7d97a972f7c8c9483d1c90db722ecfa132a0e5ed411f0bd55",
    "mlp wine": "47d5599ee168776bc722f70d8118291b5d7b4a7e00f17e7d78b5837471df281b",
    "mlp diabetes": "ba7df6c5e001611fc48bf7cfb98d5eaaa7a6aef6f6730ed50b41d0f6617ae120",
    "dedispersion A100": "ad24b2b3ddbf9e153487aceadd58258f7835a4e0ae19d32377257667a2df0cdf",
    "dedispersion A4000": "a570be8314abf9e0d74e721eb395d96db1f4ddfbbf584ba34e697e7879bda7ff",
    "dedispersion A6000": "35ead35257b9d5bfe3b4bce66862445a568db26092a724861ae6a9bde4c4d307",
    "dedispersion MI250X": "243f0f93f3402d7f7b608c1471435e088767e5994fb218d77a36024187132330",
    "dedispersion W6600": "ae1eef614134de5c517e5476ae27cd3e71b97d72f624cf6799051549ab3645cf",
    "dedispersion W7800": "26628ee8124b8674b75adb63950d400845a794a5f3f48ffa7bf7a89dd75fb645",
    "convolution A100": "134baa12eb2b7ecb8f502d4b536a9b46fa072a39fb201bb1074ae8e73afac1fd",
    "convolution A4000": "be14f140db5af145e4e56816a47f80fe2299105cbc539ce3bc84cb0e5753c659",
    "convolution A6000": "cfe250f1fa95d5d7d1120504e859701a5e6f737bd5e772d6353cd94db729760a",
    "convolution MI250X": "1c0d27c1a641a6c7dbdd0529e83e70994e8954039f5f5c62e230c910c37a2a8e",
    "convolution W6600": "3078e250a502f84d812fb03986883eb685bceb9d6d8507f0251a64883e7a9634",
    "convolution W7800": "60acdaf901671e142e2ed1e3227ca658160957f0a1208b8d5e6146042ea62a4d",
}


def differences(folder: Path, file_name: str) -> list[str]:
    """Say of each part of a table file that it differs from the published one, if it does."""
    tables = {part: load(folder) for part, load in _PARTS[file_name].items()}
    checksums = {part: checksum(t.choices, t.means) for part, t in tables.items()}
    return [
        f"the numbers of {part} differ from those that the published results were made with "
        f"(checksum {found})"
        for part, found in checksums.items()
        if found != _PUBLISHED[part]
    ]


def checksum(axes: Mapping[str, Choices], values: Array) -> str:
    """Sum up what a table says, however it is stored: its SHA-256 in alphabetical order.

    The order of rows, parameters (``axes``: their choices by name) and choices, the type of the
    numbers, and all digits after the sixth make no difference.
    """
    names = sorted(axes)
    cells = values.transpose([list(axes).index(name) for name in names])
    choices = []
    for axis, name in enumerate(names):
        literals = [repr(value) for value in axes[name]]
        order = sorted(range(len(literals)), key=literals.__getitem__)
        cells = cells.take(order, axis=axis)
        choices.append(sorted(literals))
    digest = hashlib.sha256(json.dumps([names, choices]).encode())
    digest.update("\n".join(f"{value:.5e}" for value in cells.ravel()).encode())
    return digest.hexdigest()
