"""Several objectives, or one under constraints: BoTorch's problems, and some of engineers."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import torch
from botorch.test_functions import multi_objective, synthetic
from botorch.utils.multi_objective.hypervolume import Hypervolume
from botorch.utils.multi_objective.pareto import is_non_dominated
from botorch.utils.sampling import draw_sobol_samples

_NUM_POINTS = 2**12

#: Objectives, smaller being better, and slacks, which are negative where a constraint is violated.
Goals = tuple[list[float], list[float]]


@dataclass(frozen=True)
class GoalProblem:
    """Objectives that are minimized where all constraints hold.

    Attributes:
        bounds: The ends of the range of each parameter.
        evaluate: Returns objectives and slacks of a point.
    """

    bounds: Sequence[tuple[float, float]]
    evaluate: Callable[[Sequence[float]], Goals]

    @property
    def shape(self) -> tuple[int, int]:
        """How many objectives and constraints there are."""
        values, slacks = self.evaluate([low + 0.5 * (high - low) for low, high in self.bounds])
        return len(values), len(slacks)

    @cached_property
    def reference(self) -> "torch.Tensor":
        """Where the hypervolume begins: a tenth of the range of feasible Sobol points beyond them.

        BoTorch's are close to some fronts, so that forty trials count nothing, and others lack one.
        """
        ends = torch.tensor(self.bounds, dtype=torch.float64).T
        points = draw_sobol_samples(ends, n=_NUM_POINTS, q=1, seed=0).squeeze(1)
        Y = torch.tensor(_feasible(map(self.evaluate, points.tolist())), dtype=torch.float64)
        return Y.amax(0) + 0.1 * (Y.amax(0) - Y.amin(0))

    def loss(self, found: Sequence[Goals]) -> float:
        """The least objective of the feasible points, or minus the hypervolume below theirs.

        It is not a number as long as nothing counts: no point is feasible, or none is better than
        the reference in all objectives.
        """
        feasible = _feasible(found)
        if not feasible or len(feasible[0]) == 1:
            return min((value for (value,) in feasible), default=math.nan)
        Y = -torch.tensor(feasible, dtype=torch.float64)
        inside = Y[(-self.reference < Y).all(-1)]
        if not len(inside):
            return math.nan
        return -float(Hypervolume(-self.reference).compute(inside[is_non_dominated(inside)]))


def _feasible(found: Iterable[Goals]) -> list[list[float]]:
    """The objectives of points where no constraint is violated."""
    return [values for values, slacks in found if min(slacks, default=0.0) >= 0.0]


def _botorch(module: Any, title: str, **options: Any) -> GoalProblem:
    function = getattr(module, title)(**options).double()

    def evaluate(point: Sequence[float]) -> Goals:
        X = torch.tensor([point], dtype=torch.float64)
        values: list[float] = function(X, noise=False).reshape(-1).tolist()
        if not hasattr(function, "evaluate_slack"):
            return values, []
        return values, function.evaluate_slack(X, noise=False).reshape(-1).tolist()

    bounds = [(low, high) for low, high in torch.as_tensor(function.bounds).T.tolist()]
    return GoalProblem(bounds, evaluate)


def _truss(point: Sequence[float]) -> Goals:
    """The three-bar truss: its volume, with a stress of at most 2 in each bar."""
    a, b = point
    root, load, length, most = math.sqrt(2.0), 2.0, 100.0, 2.0
    shared = root * a * a + 2.0 * a * b
    stresses = (root * a + b) / shared, b / shared, 1.0 / (root * b + a)
    return [(2.0 * root * a + b) * length], [most - load * stress for stress in stresses]


def _g4(point: Sequence[float]) -> Goals:
    a, b, c, d, e = point
    u = 85.334407 + 0.0056858 * b * e + 0.0006262 * a * d - 0.0022053 * c * e
    v = 80.51249 + 0.0071317 * b * e + 0.0029955 * a * b + 0.0021813 * c * c
    w = 9.300961 + 0.0047026 * c * e + 0.0012547 * a * c + 0.0019085 * c * d
    loss = 5.3578547 * c * c + 0.8356891 * a * e + 37.293239 * a - 40792.141
    return [loss], [92.0 - u, u, 110.0 - v, v - 90.0, 25.0 - w, w - 20.0]


def _g6(point: Sequence[float]) -> Goals:
    a, b = point
    slacks = (a - 5.0) ** 2 + (b - 5.0) ** 2 - 100.0, 82.81 - (a - 6.0) ** 2 - (b - 5.0) ** 2
    return [(a - 10.0) ** 3 + (b - 20.0) ** 3], [*slacks]


def _g9(point: Sequence[float]) -> Goals:
    a, b, c, d, e, f, g = point
    loss = (a - 10) ** 2 + 5 * (b - 12) ** 2 + c**4 + 3 * (d - 11) ** 2 + 10 * e**6
    loss += 7 * f * f + g**4 - 4 * f * g - 10 * f - 8 * g
    return [loss], [
        127 - 2 * a * a - 3 * b**4 - c - 4 * d * d - 5 * e,
        282 - 7 * a - 3 * b - 10 * c * c - d + e,
        196 - 23 * a - b * b - 6 * f * f + 8 * g,
        -4 * a * a - b * b + 3 * a * b - 2 * c * c - 5 * f + 11 * g,
    ]


def _front(title: str, **options: Any) -> Callable[[], GoalProblem]:
    return cache(partial(_botorch, multi_objective, title, **options))


#: What makes them, by name. G4, G6 and G9 are those of CEC 2006.
GOALS: dict[str, Callable[[], GoalProblem]] = {
    "branin-currin": _front("BraninCurrin"),
    "vehicle-safety": _front("VehicleSafety"),
    "constrained-branin-currin": _front("ConstrainedBraninCurrin"),
    "disc-brake": _front("DiscBrake"),
    "dtlz2": _front("DTLZ2", dim=4, num_objectives=2),
    "zdt1": _front("ZDT1", dim=4),
    "zdt2": _front("ZDT2", dim=4),
    "zdt3": _front("ZDT3", dim=4),
    "dh1": _front("DH1", dim=4),
    "bnh": _front("BNH"),
    "srn": _front("SRN"),
    "welded-beam-front": _front("WeldedBeam"),
    "pressure-vessel": partial(_botorch, synthetic, "PressureVessel"),
    "speed-reducer": partial(_botorch, synthetic, "SpeedReducer"),
    "gramacy": partial(_botorch, synthetic, "ConstrainedGramacy"),
    "constrained-hartmann": partial(_botorch, synthetic, "ConstrainedHartmann"),
    "welded-beam": partial(_botorch, synthetic, "WeldedBeamSO"),
    "tension-string": partial(_botorch, synthetic, "TensionCompressionString"),
    "truss": partial(GoalProblem, [(1e-3, 1.0)] * 2, _truss),
    "g4": partial(GoalProblem, [(78.0, 102.0), (33.0, 45.0), *[(27.0, 45.0)] * 3], _g4),
    "g6": partial(GoalProblem, [(13.0, 100.0), (0.0, 100.0)], _g6),
    "g9": partial(GoalProblem, [(-10.0, 10.0)] * 7, _g9),
}
