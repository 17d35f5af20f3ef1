"""Libraries in this process: Optuna, Hyperopt and scikit-optimize.

Of Optuna and Hyperopt the tree-structured Parzen estimators, of scikit-optimize a random forest, as
in the first version of SMAC. In Optuna also its Gaussian process and this package's sampler.
"""

from math import log
from typing import Any

from botorch_popbo.benchmarks.methods._libraries import Dimension, LibraryOptimizer, Row, library
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting


class OptunaSampler(LibraryOptimizer):
    def __init__(self, sampler: str, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.optuna = library("optuna", setting.method)
        module = "botorch_popbo.optuna" if sampler == "PoPBOSampler" else "optuna.samplers"
        self.sampler = getattr(library(module, setting.method), sampler)
        self.options = {"n_startup_trials": setting.initial}
        if sampler != "TPESampler":
            self.options["deterministic_objective"] = not problem.noisy
        self.space = {d.name: self._distribution(d) for d in self.dimensions}

    def ask(self, seed: int) -> Row:
        study = self.optuna.create_study(sampler=self.sampler(seed=seed, **self.options))
        for row, loss in zip(self.rows, self.losses, strict=True):
            told = {"params": dict(row), "distributions": self.space, "value": loss}
            study.add_trial(self.optuna.create_trial(**told))
        asked: Row = study.ask(self.space).params
        return asked

    def _distribution(self, d: Dimension) -> Any:
        distributions = self.optuna.distributions
        if d.kind == "category":
            return distributions.CategoricalDistribution(range(int(d.high) + 1))
        kind = distributions.IntDistribution if d.kind == "int" else distributions.FloatDistribution
        return kind(d.low, d.high, log=d.log)


class SkoptForest(LibraryOptimizer):
    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.skopt = library("skopt", setting.method)
        self.space = [self._dimension(d) for d in self.dimensions]

    def ask(self, seed: int) -> Row:
        optimizer = self.skopt.Optimizer(
            self.space,
            base_estimator="RF",
            n_initial_points=len(self.points),
            acq_func="EI",
            random_state=seed,
        )
        names = [d.name for d in self.dimensions]
        optimizer.tell([[row[name] for name in names] for row in self.rows], self.losses)
        return dict(zip(names, optimizer.ask(), strict=True))

    def _dimension(self, d: Dimension) -> Any:
        space = self.skopt.space
        if d.kind == "category":
            return space.Categorical(range(int(d.high) + 1))
        kind = space.Integer if d.kind == "int" else space.Real
        return kind(d.low, d.high, prior="log-uniform" if d.log else "uniform")


class HyperoptTPE(LibraryOptimizer):
    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.hyperopt = library("hyperopt", setting.method)
        space = {d.name: self._prior(d) for d in self.dimensions}
        self.domain = library("hyperopt.base", setting.method).Domain(lambda _: 0.0, space)

    def ask(self, seed: int) -> Row:
        trials = self.hyperopt.Trials()
        observed = zip(self.rows, self.losses, strict=True)
        trials.insert_trial_docs([self._document(i, *seen) for i, seen in enumerate(observed)])
        trials.refresh()
        (document,) = self.hyperopt.tpe.suggest(
            [len(self.points)],
            self.domain,
            trials,
            seed,
            n_startup_jobs=self.setting.initial,
            verbose=False,
        )
        return {name: value for name, (value,) in document["misc"]["vals"].items()}

    def _prior(self, d: Dimension) -> Any:
        hp = self.hyperopt.hp
        if d.kind == "category":
            return hp.randint(d.name, int(d.high) + 1)
        # Integers are as likely as the interval of the numbers that round to them.
        margin = 0.5 if d.kind == "int" else 0.0
        low, high = d.low - margin, d.high + margin
        ends = (log(low), log(high)) if d.log else (low, high)
        if d.kind == "int":
            return (hp.qloguniform if d.log else hp.quniform)(d.name, *ends, 1)
        return (hp.loguniform if d.log else hp.uniform)(d.name, *ends)

    def _document(self, index: int, row: Row, loss: float) -> dict[str, Any]:
        return {
            "tid": index,
            "result": {"loss": loss, "status": self.hyperopt.STATUS_OK},
            "misc": {
                "tid": index,
                "cmd": self.domain.cmd,
                "idxs": {name: [index] for name in row},
                "vals": {name: [number] for name, number in row.items()},
            },
            "state": self.hyperopt.JOB_STATE_DONE,
            "version": 0,
            **dict.fromkeys(("spec", "exp_key", "owner", "book_time", "refresh_time")),
        }
