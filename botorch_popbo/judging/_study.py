"""Answers that an earlier page kept in a study of Optuna."""

import json
from pathlib import Path

import optuna

from botorch_popbo._errors import UsageError
from botorch_popbo.optuna._distributions import values_of
from botorch_popbo.optuna.preferential import answer_of, read_answers
from botorch_popbo.preference_search import PreferenceSearch


def read_study(path: Path) -> PreferenceSearch:
    """A search with the answers of a database; raises UsageError if it holds none."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = optuna.load_study(study_name="popbo prefer", storage=f"sqlite:///{path}")
        begun, trials = study.user_attrs, study.get_trials()
        options = {"num_items": begun["items"], "seed": begun["seed"]}
        search = PreferenceSearch(json.loads(begun["space"]), **options)
        attrs, space = study._storage.get_study_system_attrs(study._study_id), search.space
        # Of one that the command was killed at there are no parameters.
        X = {t.number: space.encode(values_of(space, t.params)) for t in trials if t.params}
        for judge, pairs in read_answers(attrs, range(len(trials))):
            answer = answer_of(X, pairs, judge)
            if answer is not None:  # of several things one is the worst
                search.tell(answer.items, worst=answer.better[0][1], judge=judge)
    except Exception as error:  # of Optuna, SQLAlchemy and SQLite, and what is missing
        reason = str(error.__cause__ or error).splitlines()[0]
        raise UsageError(f"cannot read the study {path}: {reason}") from None
    return search
