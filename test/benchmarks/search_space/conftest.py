from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

RANGES = [
    RangeParameterConfig(name="linear", bounds=(-5.0, 10.0), parameter_type="float"),
    RangeParameterConfig(name="log", bounds=(1e-4, 1e2), parameter_type="float", scaling="log"),
]
INTEGERS = [
    RangeParameterConfig(name="few", bounds=(2, 5), parameter_type="int"),
    RangeParameterConfig(name="wide", bounds=(-100, 900), parameter_type="int"),
    RangeParameterConfig(name="one", bounds=(1, 100), parameter_type="int", scaling="log"),
    RangeParameterConfig(name="bits", bounds=(16, 512), parameter_type="int", scaling="log"),
]
CHOICES = [
    ChoiceParameterConfig(name=name, values=values, parameter_type=kind, is_ordered=is_ordered)
    for name, values, kind, is_ordered in (
        ("name", ["a", "b", "c"], "str", False),
        ("ordered", [8, 16, 32, 64], "int", True),
        ("real", [0.0, 0.3], "float", True),
        ("flag", [False, True], "bool", False),
    )
]
