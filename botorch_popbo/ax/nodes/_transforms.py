"""The transforms between Ax's search space and the model of each kind of node."""

from typing import Any

from ax.adapter.registry import Cont_X_trans, Mixed_transforms, Y_trans
from ax.adapter.transforms.base import Transform
from ax.adapter.transforms.choice_encode import ChoiceToNumericChoice
from ax.adapter.transforms.derelativize import Derelativize
from ax.adapter.transforms.int_to_float import IntToFloat
from ax.adapter.transforms.log import Log
from ax.adapter.transforms.logit import Logit
from ax.adapter.transforms.map_key_to_float import MapKeyToFloat
from ax.adapter.transforms.one_hot import OneHot
from ax.adapter.transforms.remove_fixed import RemoveFixed

from botorch_popbo.ax._ordered_choices import OrderedLeafToIntegerRange
from botorch_popbo.ax._rounding import ReproducibleIntToFloat, ReproducibleOneHot
from botorch_popbo.ax.failures import FailedTrialsLast
from botorch_popbo.ax.transforms import MaximizeObjective

# Ax's own but for the rounding.
_OWN: dict[type[Transform], type[Transform]] = {
    IntToFloat: ReproducibleIntToFloat,
    OneHot: ReproducibleOneHot,
}
DESIGN_TRANSFORMS = [_OWN.get(transform, transform) for transform in Cont_X_trans]

#: The transforms of a rank model, in this order.
# No outcome transform beside the sign: winsorising would tie distinct outcomes. Ordered choices
# become whole numbers, unordered ones keep a column each that the model encodes one-hot.
RANK_TRANSFORMS = [
    FailedTrialsLast,
    RemoveFixed,
    OrderedLeafToIntegerRange,
    ChoiceToNumericChoice,
    Log,
    Logit,
    Derelativize,
    MaximizeObjective,
]

#: The model must not learn from parameters without a meaning, which depend on what is kept. And
#: what is relative is so to the baseline as measured: its prediction is an average over ranks.
RANK_TRANSFORM_CONFIGS: dict[str, Any] = {
    "Cast": {"flatten_hss": False},
    "Derelativize": {"use_raw_status_quo": True},
}

# Ax's default transforms but for the one-hot relaxation of categories, whose candidates round to
# points already evaluated; here the kernel handles categories.
GP_TRANSFORMS = [MapKeyToFloat, *Mixed_transforms, *Y_trans]
