"""What Wang et al. (2023) report, to stand beside what is measured here.

Mean and standard deviation over ten runs, 80 evaluations after 12 initial points.
"""

# ruff: noqa: E501  One row of the paper's tables is one line.

from collections.abc import Iterable, Mapping

#: Mean and standard deviation.
Reported = tuple[float, float]

INITIAL, TRIALS = 12, 80

#: The regret, by which the paper judges the tables of HPO-Bench.
REGRET = "regret"

_NAS_MEASURES = tuple(
    f"{data_set} {part}"
    for data_set in ("CIFAR-10", "CIFAR-100", "ImageNet16-120")
    for part in ("valid", "test")
)

# Table 1 and, for the shares of q, the appendix's ablation. The Gaussian processes are the paper's
# own, TPE is hyperopt's and SMAC the forest of scikit-optimize.
_NAS = {
    "reinforce": ((91.09, 0.37), (93.85, 0.37), (71.61, 1.12), (71.71, 1.09), (45.05, 1.02), (45.24, 1.18)),
    "rea": ((91.19, 0.31), (93.92, 0.30), (71.81, 1.12), (71.84, 0.99), (45.15, 0.89), (45.54, 1.03)),
    "random": ((91.00, 0.38), (93.83, 0.31), (71.29, 1.29), (71.47, 1.16), (44.83, 1.11), (45.05, 1.14)),
    "bohb": ((90.82, 0.53), (93.61, 0.52), (70.74, 1.29), (70.85, 1.28), (44.26, 1.36), (44.42, 1.49)),
    "hyperopt-tpe": ((91.06, 0.38), (93.90, 0.34), (71.29, 1.29), (71.85, 1.13), (45.04, 1.23), (45.27, 1.49)),
    "skopt-forest": ((91.09, 0.38), (93.95, 0.28), (71.40, 1.23), (71.66, 1.11), (45.11, 0.99), (45.32, 1.09)),
    "gp-logei": ((91.40, 0.18), (94.23, 0.15), (72.67, 0.83), (72.75, 0.47), (45.83, 0.45), (46.20, 0.63)),
    "gp-ucb": ((91.30, 0.25), (93.98, 0.22), (72.00, 0.80), (72.05, 0.76), (45.37, 0.83), (45.60, 0.94)),
    "bohamiann": ((91.36, 0.16), (94.13, 0.23), (72.36, 0.82), (72.38, 0.81), (45.93, 0.66), (46.18, 0.60)),
    "popbo-eri": ((91.52, 0.05), (94.35, 0.03), (73.21, 0.29), (73.25, 0.18), (46.27, 0.36), (46.54, 0.19)),
    "popbo-rlcb": ((91.52, 0.04), (94.33, 0.08), (73.21, 0.36), (73.19, 0.31), (46.12, 0.43), (46.61, 0.32)),
    "popbo-eri-q0.1": ((91.41, 0.15), (94.22, 0.15), (72.70, 0.63), (72.68, 0.69), (45.93, 0.61), (46.45, 0.34)),
    "popbo-eri-q0.2": ((91.47, 0.12), (94.26, 0.16), (72.96, 0.59), (73.00, 0.53), (45.90, 0.66), (46.33, 0.55)),
    "popbo-rlcb-q0.1": ((91.33, 0.19), (94.19, 0.23), (72.62, 0.82), (72.52, 0.67), (45.71, 0.56), (46.10, 0.65)),
    "popbo-rlcb-q0.2": ((91.50, 0.06), (94.30, 0.11), (73.04, 0.56), (73.04, 0.45), (46.07, 0.38), (46.37, 0.30)),
    # The same six numbers stand at every share from 0.4 to 0.6 of either function.
    **dict.fromkeys(
        [f"popbo-{name}-q{q}" for name in ("eri", "rlcb") for q in (0.4, 0.5, 0.6)],
        ((91.52, 0.04), (94.33, 0.08), (73.21, 0.36), (73.19, 0.31), (46.12, 0.43), (46.61, 0.32)),
    ),
}  # fmt: skip

# The appendix's table: naval, parkinsons, protein, slice.
_FCNET = {
    "random": ((9.54e-5, 5.76e-5), (7.99e-3, 4.18e-3), (3.04e-2, 1.51e-2), (1.48e-4, 7.45e-5)),
    "hyperopt-tpe": ((1.67e-5, 1.64e-5), (4.49e-3, 2.55e-3), (1.86e-2, 1.37e-2), (1.80e-4, 7.10e-5)),
    "skopt-forest": ((2.94e-4, 3.96e-4), (1.48e-2, 9.38e-3), (2.05e-2, 1.14e-2), (3.16e-4, 2.25e-4)),
    "gp-logei": ((1.79e-4, 1.77e-4), (6.20e-3, 2.44e-3), (8.06e-3, 6.53e-2), (1.66e-4, 7.00e-5)),
    "gp-ucb": ((1.38e-4, 1.77e-4), (5.31e-3, 2.79e-3), (8.08e-3, 1.02e-2), (1.95e-4, 1.30e-4)),
    "popbo-eri": ((1.38e-5, 1.59e-5), (1.92e-3, 1.51e-3), (5.77e-3, 3.55e-3), (4.83e-5, 3.29e-5)),
    "popbo-rlcb": ((1.07e-5, 6.26e-6), (2.41e-3, 1.93e-3), (4.62e-3, 3.91e-3), (3.14e-5, 1.74e-5)),
}  # fmt: skip

_Rows = Mapping[str, tuple[Reported, ...]]


def _by_measure(names: Iterable[str], rows: _Rows) -> dict[str, dict[str, Reported]]:
    return {
        name: {method: row[column] for method, row in rows.items()}
        for column, name in enumerate(names)
    }


#: By problem, measure and method.
PAPER: Mapping[str, Mapping[str, Mapping[str, Reported]]] = {
    "nasbench201": _by_measure(_NAS_MEASURES, _NAS),
    **{
        problem: {REGRET: reported}
        for problem, reported in _by_measure(
            ("fcnet-naval", "fcnet-parkinsons", "fcnet-protein", "fcnet-slice"), _FCNET
        ).items()
    },
}
