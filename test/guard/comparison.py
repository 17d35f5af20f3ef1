"""Which suites and problems are behind their records."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

# A regret below a ten-thousandth of a random point's is as good as none.
FLOOR = 1e-4
# Decades that a search counts at most.
LIMIT = 1.0
# Deviation of a search's lead, in decades, where chance decides it, and how many units it is worth:
# a few units often scatter too little.
SCATTER, WEIGHT = 0.4, 4.0
# Errors by which suites and problems are behind. There are twenty and a hundred, and two errors
# would be chance in every other run.
SUITE_ERRORS, PROBLEM_ERRORS = 2.5, 3.5
THREEFOLD = math.log10(3.0)


@dataclass
class Record:
    """What the searches of a suite found.

    Attributes:
        budgets: Numbers of evaluations.
        regrets: Regrets after each budget, by problem and seed.
        seconds: CPU seconds of all searches.
        cannot: Why a search is impossible, if one is.
        reason: Why this was recorded.
    """

    budgets: list[int]
    regrets: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    seconds: float = 0.0
    cannot: str = ""
    reason: str = ""

    def add(self, problem: str, seed: str, result: list[float] | str, seconds: float) -> None:
        """Add a search: its regrets, or why there are none."""
        self.seconds = round(self.seconds + seconds, 1)
        if isinstance(result, str):
            self.cannot = f"{problem}: {result}"
        else:
            self.regrets.setdefault(problem, {})[seed] = result

    @property
    def pace(self) -> float:
        """Seconds a search."""
        return self.seconds / max(sum(map(len, self.regrets.values())), 1)


@dataclass(frozen=True)
class Lead:
    """By how many decades regrets are smaller than those on record, and the standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, units: Sequence[Sequence[float]]) -> "Lead":
        """The mean over units, each the mean of its searches."""
        means = [fmean(unit) for unit in units]
        mean, number = fmean(means), len(means)
        chance = SCATTER**2 * fmean(1 / len(unit) for unit in units)
        squares = WEIGHT * chance + sum((unit - mean) ** 2 for unit in means)
        return cls(mean, math.sqrt(squares / (WEIGHT + number - 1) / number))

    def is_behind(self, errors: float, decades: float = 0.0) -> bool:
        """Whether it is negative by so many errors and decades."""
        return self.mean < -max(errors * self.error, decades)

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.error:.2f}"


@dataclass(frozen=True)
class Comparison:
    """A suite beside its record, by the searches that both have."""

    recorded: Record
    found: Record

    @property
    def leads(self) -> dict[str, list[list[float]]]:
        """Of every problem each search's lead after each budget."""
        both = {
            problem: [
                _leads(self.recorded.regrets[problem][seed], regrets)
                for seed, regrets in seeds.items()
                if seed in self.recorded.regrets.get(problem, {})
            ]
            for problem, seeds in self.found.regrets.items()
        }
        return {problem: searches for problem, searches in both.items() if searches}

    def lead(self, place: int = -1) -> Lead:
        """That after the budget at such a place, with families of problems as units."""
        families = defaultdict[str, list[float]](list)
        for problem, searches in self.leads.items():
            families[problem.split("/")[0]] += [search[place] for search in searches]
        return Lead.of(list(families.values()))

    @property
    def gap(self) -> str:
        """Why this cannot be compared, if so."""
        if self.recorded.cannot:
            return f"could not: {self.recorded.cannot}"
        if self.found.cannot:
            return f"cannot any more: {self.found.cannot}"
        if self.recorded.budgets != self.found.budgets:
            return "has no record of these budgets"
        missing = sorted(self.found.regrets.keys() - self.leads.keys())
        return f"has no record of {', '.join(missing)}" if missing else ""

    def behind(self, suite_errors: float, problem_errors: float) -> dict[str, Lead]:
        """What ends behind by so many errors: problems, and the suite by the empty name."""
        if self.gap:
            return {}
        leads = {name: Lead.of([[search[-1]] for search in s]) for name, s in self.leads.items()}
        leads = {n: one for n, one in leads.items() if one.is_behind(problem_errors, THREEFOLD)}
        overall = self.lead()
        return {"": overall} | leads if overall.is_behind(suite_errors) else leads

    @property
    def suspects(self) -> list[str]:
        """Problems to search with another seed."""
        behind = self.behind(1.0, 0.0)
        return list(self.leads if "" in behind else behind)

    @property
    def alarms(self) -> list[str]:
        """What is wrong, in words."""
        if self.gap:
            return [] if self.recorded.cannot else [self.gap]
        return [
            f"{name} has {10**-lead.mean:.0f} times the regret" if name else f"is behind: {lead}"
            for name, lead in self.behind(SUITE_ERRORS, PROBLEM_ERRORS).items()
        ]

    def __str__(self) -> str:
        pace = f"{len(self.found.regrets)} problems, {self.found.pace:.1f} s"
        budgets = enumerate(self.found.budgets)
        leads = (f"{self.lead(place)} at {budget}" for place, budget in budgets)
        return f"{pace} (was {self.recorded.pace:.1f}): {self.gap or ', '.join(leads)}"


def _leads(recorded: Sequence[float], found: Sequence[float]) -> list[float]:
    """Decades by which regrets are smaller than recorded ones, within limits."""
    return [
        max(-LIMIT, min(LIMIT, math.log10(max(old, FLOOR) / max(new, FLOOR))))
        for old, new in zip(recorded, found, strict=True)
    ]
