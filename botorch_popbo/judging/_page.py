"""Judges answer on a page: ``popbo prefer FILE --page``."""

import json
import logging
import signal
import sys
import webbrowser
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from socket import AF_INET, AF_INET6, gethostname
from socketserver import ThreadingMixIn
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import optuna
from filelock import FileLock, Timeout
from optuna.artifacts import FileSystemArtifactStore, get_all_artifact_meta, upload_artifact
from optuna.artifacts.exceptions import ArtifactNotFound
from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, Trial, TrialState
from optuna_dashboard import register_preference_feedback_component, save_note
from optuna_dashboard._app import create_app
from optuna_dashboard.preferential import create_study
from sqlalchemy.exc import SQLAlchemyError  # type: ignore[import-untyped]  # that of version 1

from botorch_popbo._errors import UsageError
from botorch_popbo.judging._drawer import Drawer, Drawn
from botorch_popbo.judging._gateway import Gateway
from botorch_popbo.judging._learned import draw_learned
from botorch_popbo.judging._words import NUM_RANKED, said_of, sure
from botorch_popbo.optuna import PreferentialPoPBOSampler
from botorch_popbo.optuna._distributions import distributions_of, values_of
from botorch_popbo.optuna.preferential import ON_PAGE, RankedTrial
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.space import Space

_LOOPBACK, _EVERYWHERE = ("127.0.0.1", "localhost", "::1"), ("0.0.0.0", "::")
_DATABASE, _NAME = "study.db", "popbo prefer"
_SHOWN = "shown"  # the attribute of a trial that names its artifact


def ask(
    options: Namespace, search: PreferenceSearch, show: Callable[[Path], Drawer] | None
) -> None:
    """Ask on a page until the command is interrupted; then say what was learned.

    Args:
        options: The command's.
        search: A new search, of what it asks for.
        show: Makes, for a folder, what draws there; parameters are shown as they are if it is None.

    Raises:
        UsageError: If the folder is about something else, in use or broken, or if nothing can be
            drawn.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    # Whoever asks is answered what went wrong; the terminal is told here.
    logging.getLogger("optuna_dashboard").setLevel(logging.CRITICAL)
    folder = options.state or options.file.with_name(f"{options.file.stem}-answers")
    judges = options.judges or [""]
    servers = [_listen(options.host, options.port, place) for place in range(len(judges))]
    folder.mkdir(exist_ok=True)
    try:
        with ExitStack() as stack:
            stack.enter_context(FileLock(folder / "lock").acquire(blocking=False))
            drawn = Path(stack.enter_context(TemporaryDirectory()))
            drawers = [stack.enter_context(closing(show(drawn))) for _ in range(2) if show]
            page = Page(search.space, folder, drawers, search.num_items, search.seed)
            stack.callback(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
            stop = _interruption()
            _serve(page, options.host, dict(zip(servers, judges, strict=True)))
            page.run(stop)
            page.conclude()
    except Timeout:
        raise UsageError(f"another popbo prefer is using {folder}") from None
    except (SQLAlchemyError, StorageInternalError) as error:
        cause = error.__cause__ or error
        raise UsageError(
            f"cannot use {folder / _DATABASE}: {getattr(cause, 'orig', cause)}; once it can be "
            "used, the same command goes on with all answers"
        ) from None


class Page:
    """A study that is on a page.

    Args:
        space: The space.
        folder: Where the study and what was drawn are kept; what is there goes on.
        drawers: One for what the page waits for, and one for what it may ask for next.
        num_items: How many things are shown at a time.
        seed: Seed of the questions.
    """

    def __init__(
        self, space: Space, folder: Path, drawers: list[Drawer], num_items: int, seed: int
    ) -> None:
        self.space, self.folder, self._drawers = space, folder, drawers
        self.sampler = PreferentialPoPBOSampler(seed=seed)
        # Seconds that another program may hold the database, as one that makes a copy.
        patience = {"connect_args": {"timeout": 10}}
        self.study = create_study(
            n_generate=num_items,
            storage=RDBStorage(f"sqlite:///{folder / _DATABASE}", engine_kwargs=patience),
            sampler=self.sampler,
            study_name=_NAME,
            load_if_exists=True,
        )
        said = {"space": json.dumps(space.to_json()), "items": num_items, "seed": seed}
        for name, value in said.items():
            if self.study.user_attrs.get(name, value) != value:
                raise UsageError(f"{folder} was begun with another {name}; choose another --state")
            self.study.set_user_attr(name, value)
        artifacts = folder / "artifacts"
        artifacts.mkdir(exist_ok=True)
        self.store = FileSystemArtifactStore(artifacts)
        self._prepared: dict[str, Future[Drawn]] = {}

    def run(self, stop: Event) -> None:
        """Show something new after each answer until it is time to stop."""
        for trial in self.study.get_trials(states=(TrialState.RUNNING,)):
            if _SHOWN not in trial.user_attrs:  # the command was killed before anybody saw it
                self._drop(trial.number)
        failures, known = 0, (-1, -1)
        ahead: Iterator[Any] = iter(())
        while not stop.is_set():
            told = len(self.study.get_preferences(deepcopy=False))
            state = told, len(self.study.get_trials(deepcopy=False))
            if self.study.should_generate() and not self._has_shown_all():
                is_shown = self._show(self.study.ask(distributions_of(self.space)), stop)
                failures = 0 if is_shown else failures + 1
                if failures == 5:
                    raise UsageError(f"{failures} things one after another could not be drawn")
            elif state != known:
                known, ahead = state, self._look_ahead()
            elif next(ahead, None) is None:  # one at a time, as an answer may come
                stop.wait(0.2)  # seconds until another look for an answer

    def conclude(self) -> None:
        """Say who is the champion, and keep pictures of it and of what was learned."""
        ranking = self.sampler.ranking(self.study)
        if not ranking:
            print("nothing was compared; the same command goes on")
            return
        for place, line in enumerate(self._lines(ranking), start=1):
            print(f"{place}. {line}")
        learned = self.folder / "learned.png"
        space = Space(dict(sorted(self.space.parameters.items())))  # as a study has them
        champion = space.encode(values_of(space, ranking[0].trial.params))
        draw_learned(self.sampler.model(self.study), space, champion, learned)
        print(f"what was learned: {learned}")
        for artifact in get_all_artifact_meta(ranking[0].trial, storage=self.study._study._storage):
            kept = self.folder / f"champion{Path(artifact.filename).suffix}"
            with suppress(ArtifactNotFound), self.store.open_reader(artifact.artifact_id) as source:
                kept.write_bytes(source.read())
                print(f"the champion: {kept}")

    def _show(self, trial: Trial, stop: Event) -> bool:
        """Put a trial on the page; whether there is something to be seen."""
        values = values_of(self.space, trial.params)
        # In Markdown four spaces show letter by letter.
        words = "\n".join(f"    {line}" for line in said_of(self.space, values))
        drawn = self._drawn(values, stop) if self._drawers else Drawn(text=words)
        if drawn.error:
            print(f"trial {trial.number} is not shown: {drawn.error}", file=sys.stderr)
            self._drop(trial.number)
            return False
        text, shown = drawn.text, ""
        if drawn.file is not None:
            path = str(drawn.file)
            shown = upload_artifact(artifact_store=self.store, file_path=path, study_or_trial=trial)
            text = self._link(trial, shown, drawn.file.name)
        save_note(trial, text)
        trials = self.study.get_trials(deepcopy=False)
        is_file = shown and all(trial.user_attrs.get(_SHOWN) != "" for trial in trials)
        kind = "artifact" if is_file else "note"  # the page shows the files of all or the notes
        register_preference_feedback_component(self.study, kind, _SHOWN)
        trial.set_user_attr(_SHOWN, shown)
        return True

    def _has_shown_all(self) -> bool:
        """Whether nothing is left that nobody has seen, as in a small space."""
        trials = self.study.get_trials(deepcopy=False, states=ON_PAGE)
        return len({repr(trial.params) for trial in trials}) >= self.space.num_points

    def _drop(self, number: int) -> None:
        self.study._study.tell(number, state=TrialState.FAIL)

    def _drawn(self, values: dict[str, Any], stop: Event) -> Drawn:
        """What was drawn meanwhile, is being drawn, or is drawn now, unless it is time to stop."""
        future = self._prepared.get(json.dumps(values))
        if future is None or future.cancel():
            future = self._drawers[0].submit(values)
        while not wait([future], 0.2).done:
            if stop.is_set():
                return Drawn(error="interrupted")
        return future.result()

    def _look_ahead(self) -> Iterator[Future[Drawn]]:
        """Say who is the champion; draw what comes next if this or that trial is the worst."""
        self._report()
        shown, is_complete = self.sampler.shown(self.study), self._has_shown_all()
        if is_complete and len(shown) < 2:
            print(f"all {self.space.num_points} things were compared; Ctrl-C ends", flush=True)
        self._prepared = {key: f for key, f in self._prepared.items() if not f.cancel()}
        for worst in reversed(shown if self._drawers and not is_complete else []):
            values = values_of(self.space, self.sampler.foresee(self.study, worst))
            if (key := json.dumps(values)) not in self._prepared:
                self._prepared[key] = self._drawers[1].submit(values)
            yield self._prepared[key]

    def _lines(self, ranking: Sequence[RankedTrial]) -> list[str]:
        """The best trials in words, the champion first."""
        return [
            f"trial {trial.number} {sure(self.space, chance, len(ranking))}: "
            + ", ".join(said_of(self.space, values_of(self.space, trial.params)))
            for trial, _, chance in ranking[:NUM_RANKED]
        ]

    def _report(self) -> None:
        """Keep the note of the page up to date: who is the champion."""
        ranking = self.sampler.ranking(self.study)
        if not ranking:
            return
        trial, _, chance = ranking[0]
        text = [f"# Trial {trial.number} is the champion {sure(self.space, chance, len(ranking))}"]
        if artifact := trial.user_attrs.get(_SHOWN):
            text.append(self._link(trial, artifact, "the champion"))
        text += ["## The best", "\n".join(f"    {line}" for line in self._lines(ranking))]
        save_note(self.study._study, "\n\n".join(text))

    def _link(self, trial: Trial | FrozenTrial, artifact: str, name: str) -> str:
        """Markdown of a picture, which is a link to the file if it is none."""
        url = f"/artifacts/{self.study._study._study_id}/{trial._trial_id}/{artifact}"
        return f"[![{name}]({url})]({url})"


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def __init__(self, host: str, port: int) -> None:
        self.address_family = AF_INET6 if ":" in host else AF_INET
        super().__init__((host, port), _Handler)


class _Handler(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Leave the terminal to what matters."""


def _interruption() -> Event:
    """An event that Ctrl-C sets, which so cuts no access to the database; a second one ends all."""
    stop, previous = Event(), signal.getsignal(signal.SIGINT)

    def handle(*_: Any) -> None:
        stop.set()
        print(flush=True)
        signal.signal(signal.SIGINT, previous)

    signal.signal(signal.SIGINT, handle)
    return stop


def _serve(page: Page, host: str, judges: Mapping[_Server, str]) -> None:
    """Serve the page, to each judge at an address of their own."""
    study = page.study._study
    app = create_app(study._storage, artifact_store=page.store)
    name = (gethostname() if host in _EVERYWHERE else host).lower()
    if host not in _LOOPBACK:
        warning = f"anybody who reaches {name} can see the page and answer, without a password"
        print(warning, file=sys.stderr)
    shown = f"[{name}]" if ":" in name else name
    for server, judge in judges.items():
        server.set_app(Gateway(app, study, judge, {"localhost", name}))
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://{shown}:{server.server_port}/dashboard/studies/{study._study_id}"
        print(f"{judge or 'answer'} at {url}; Ctrl-C ends", flush=True)
        if server is next(iter(judges)):
            webbrowser.open(url)


def _listen(host: str, port: int | None, place: int) -> _Server:
    """At the port that is asked for, or else at any that is free."""
    asked = [port + place] if port else [8080 + place, 0]
    for number in asked:
        try:
            return _Server(host, number)
        except (OSError, OverflowError, UnicodeError) as error:
            reason = getattr(error, "strerror", error)
    raise UsageError(f"cannot listen at {host}, port {asked[0]}: {reason}")
