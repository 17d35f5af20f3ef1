from dataclasses import replace

from botorch_popbo.benchmarks.settings import Setting

SETTING = Setting("branin", "popbo", 12, 3)


def test_a_replication_has_a_name_and_a_file_of_its_own() -> None:
    assert str(SETTING) == "popbo on branin, seed 3"
    changes = {"problem": "hartmann6", "method": "random", "initial": 5, "seed": 4}
    others = [replace(SETTING, **{name: value}) for name, value in changes.items()]
    assert len({one.stem for one in (SETTING, *others)}) == 5
