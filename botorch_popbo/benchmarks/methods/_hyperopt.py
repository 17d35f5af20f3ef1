"""Hyperopt: the tree-structured Parzen estimator."""

from math import log
from typing import Any

from botorch_popbo.benchmarks.methods._libraries import Dimension, LibraryOptimizer, Row, library
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting


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
        if d.kind == "float":
            if d.log:
                return hp.loguniform(d.name, log(d.low), log(d.high))
            return hp.uniform(d.name, d.low, d.high)
        # Integers are as likely as the interval of the numbers that round to them.
        if d.log:
            return hp.qloguniform(d.name, log(d.low - 0.5), log(d.high + 0.5), 1)
        return hp.quniform(d.name, d.low - 0.5, d.high + 0.5, 1)

    def _document(self, index: int, row: Row, loss: float) -> dict[str, Any]:
        return {
            "tid": index,
            "spec": None,
            "result": {"loss": loss, "status": self.hyperopt.STATUS_OK},
            "misc": {
                "tid": index,
                "cmd": self.domain.cmd,
                "idxs": {name: [index] for name in row},
                "vals": {name: [number] for name, number in row.items()},
            },
            "state": self.hyperopt.JOB_STATE_DONE,
            "exp_key": None,
            "owner": None,
            "version": 0,
            "book_time": None,
            "refresh_time": None,
        }
