"""Judges answer on a page: ``popbo prefer FILE --page``."""

import json
import logging
import signal
import sys
import webbrowser
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from socket import AF_INET, AF_INET6, gethostname
from socketserver import ThreadingMixIn
from tempfile import TemporaryDirectory
from threading import Event, Thread
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import optuna
from filelock import FileLock, Timeout
from optuna.artifacts import FileSystemArtifactStore, get_all_artifact_meta, upload_artifact
from optuna.artifacts.exceptions import ArtifactNotFound
from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, Trial, TrialState
from optuna_dashboard import register_preference_feedback_component, save_note, wsgi
from optuna_dashboard.preferential import create_study
from sqlalchemy.exc import SQLAlchemyError  # type: ignore[import-untyped]  # that of version 1

from botorch_popbo._errors import UsageError
from botorch_popbo.judging._drawer import Drawer, Drawn
from botorch_popbo.judging._gateway import Gateway
from botorch_popbo.judging._learned import draw_learned
from botorch_popbo.judging._words import NUM_RANKED, describe, how_sure
from botorch_popbo.optuna import PreferentialPoPBOSampler
from botorch_popbo.optuna._distributions import distributions_of, values_of
from botorch_popbo.optuna.preferential import ON_PAGE, PREFERENCES, SKIPPED
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.space import Space

_LOOPBACK, _EVERYWHERE = ("127.0.0.1", "localhost", "::1"), ("0.0.0.0", "::")
_DATABASE, _NAME = "study.db", "popbo prefer"
_SHOWN = "shown"  # the attribute of a trial that names its artifact


@contextmanager
def open_page(
    options: Namespace, search: PreferenceSearch, show: Callable[[Path], Drawer] | None
) -> Iterator["Page"]:
    """Serve a page until the context ends.

    Args:
        options: The command's.
        search: A new search, of what it asks for.
        show: Makes, for a folder, what draws there; parameters are shown as they are if it is None.

    Yields:
        The page.

    Raises:
        UsageError: If the folder is about something else, in use or broken.
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
            drawer = stack.enter_context(closing(show(drawn))) if show else None
            page = Page(search, folder, drawer)
            # An exception would cut an access to the database.
            previous = signal.signal(signal.SIGINT, lambda *_: page.stop.set())
            stack.callback(signal.signal, signal.SIGINT, previous)
            _serve(page, options.host, dict(zip(servers, judges, strict=True)))
            yield page
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
        search: A new search, of what it asks for.
        folder: Where the study and what was drawn are kept; what is there goes on.
        drawer: What draws, unless parameters are shown as they are.

    Attributes:
        space: The space.
        sampler: What suggests.
        study: The study.
        store: Where what was drawn is kept.
        stop: Set when it is time to stop.

    Raises:
        UsageError: If the folder was begun with something else.
    """

    after_all = "Ctrl-C ends"

    def __init__(self, search: PreferenceSearch, folder: Path, drawer: Drawer | None) -> None:
        self.space, self.stop = search.space, Event()
        self._folder, self._drawer = folder, drawer
        self.sampler = PreferentialPoPBOSampler(seed=search.seed)
        # Seconds that another program may hold the database, as one that makes a copy.
        patience = {"connect_args": {"timeout": 10}}
        self.study = create_study(
            n_generate=search.num_items,
            storage=RDBStorage(f"sqlite:///{folder / _DATABASE}", engine_kwargs=patience),
            sampler=self.sampler,
            study_name=_NAME,
            load_if_exists=True,
        )
        space = json.dumps(search.space.to_json())
        begun = {"space": space, "items": search.num_items, "seed": search.seed}
        for name, value in begun.items():
            if self.study.user_attrs.get(name, value) != value:
                raise UsageError(f"{folder} was begun with another {name}; choose another --state")
            self.study.set_user_attr(name, value)
        artifacts = folder / "artifacts"
        artifacts.mkdir(exist_ok=True)
        self.store = FileSystemArtifactStore(artifacts)
        self._answers_shown = self._answers()
        for trial in self.study.get_trials(states=(TrialState.RUNNING,)):
            if _SHOWN not in trial.user_attrs:  # the command was killed before anybody saw it
                self._drop(trial.number)

    def has_shown_all(self) -> bool:
        """Whether every thing of the space was shown and compared."""
        return self._has_drawn_all() and len(self.sampler.shown(self.study)) < 2

    def show(self) -> None:
        """Fill the page; raises UsageError if several things cannot be drawn."""
        self._answers_shown = self._answers()  # an answer that comes meanwhile is new
        failures = 0
        while self.study.should_generate() and not (self._has_drawn_all() or self.stop.is_set()):
            is_shown = self._show(self.study.ask(distributions_of(self.space)))
            failures = 0 if is_shown else failures + 1
            if failures == 5:
                raise UsageError(f"{failures} things one after another could not be drawn")

    def is_answered(self) -> bool:
        """Wait until judges have answered, taken back or skipped; false when it is time to stop."""
        self._report()
        pictures = self._draw_ahead()
        while not self.stop.wait(0.2):  # seconds until another look for an answer
            if self._answers() != self._answers_shown:
                return True
            next(pictures, None)  # one at a time, as an answer may come
        print(flush=True)
        return False

    def best(self) -> list[str]:
        """The best trials in words, the champion first; none before anything was compared."""
        ranking = self.sampler.ranking(self.study)
        return [
            f"trial {trial.number} {how_sure(self.space, chance, len(ranking))}: "
            + ", ".join(describe(self.space, values_of(self.space, trial.params)))
            for trial, _, chance in ranking[:NUM_RANKED]
        ]

    def keep_pictures(self) -> None:
        """Keep pictures of the champion and of what was learned, if anything was."""
        ranking = self.sampler.ranking(self.study)
        if not ranking:
            print("nothing was compared; the same command goes on")
            return
        champion = ranking[0].trial
        space = Space(dict(sorted(self.space.parameters.items())))  # as a study has them
        x = space.encode(values_of(space, champion.params))
        learned = self._folder / "learned.png"
        draw_learned(self.sampler.model(self.study), space, x, learned)
        print(f"what was learned: {learned}")
        for artifact in get_all_artifact_meta(champion, storage=self.study._study._storage):
            kept = self._folder / f"champion{Path(artifact.filename).suffix}"
            with suppress(ArtifactNotFound), self.store.open_reader(artifact.artifact_id) as source:
                kept.write_bytes(source.read())
                print(f"the champion: {kept}")

    def _show(self, trial: Trial) -> bool:
        """Put a trial on the page; whether there is something to be seen."""
        values = values_of(self.space, trial.params)
        # In Markdown four spaces show letter by letter.
        words = "\n".join(f"    {line}" for line in describe(self.space, values))
        drawn = self._drawer.draw(values, self.stop) if self._drawer else Drawn(text=words)
        if drawn.error:
            print(f"trial {trial.number} is not shown: {drawn.error}", file=sys.stderr)
            self._drop(trial.number)
            return False
        text, artifact = drawn.text, ""
        if drawn.file is not None:
            artifact = upload_artifact(
                artifact_store=self.store, file_path=str(drawn.file), study_or_trial=trial
            )
            text = self._link(trial, artifact, drawn.file.name)
        save_note(trial, text)
        trial.set_user_attr(_SHOWN, artifact)
        # The page shows the files of all trials or their notes.
        trials = self.study.get_trials(deepcopy=False)
        kind = "note" if "" in (one.user_attrs.get(_SHOWN) for one in trials) else "artifact"
        register_preference_feedback_component(self.study, kind, _SHOWN)
        return True

    def _draw_ahead(self) -> Iterator[None]:
        """Have one thing after another drawn that may be shown after the next answer."""
        if self._drawer is not None and not self._has_drawn_all():
            for params in self.sampler.foresee(self.study):
                self._drawer.draw_ahead(values_of(self.space, params), self.stop)
                yield

    def _report(self) -> None:
        """Keep the note of the page up to date: who is the champion."""
        ranking = self.sampler.ranking(self.study)
        if not ranking:
            return
        champion = ranking[0].trial
        text = [f"# Trial {champion.number} is the champion"]
        if artifact := champion.user_attrs.get(_SHOWN):
            text.append(self._link(champion, artifact, "the champion"))
        text += ["## The best", "\n".join(f"    {line}" for line in self.best())]
        save_note(self.study._study, "\n\n".join(text))

    def _answers(self) -> dict[str, object]:
        """All answers, and what was skipped."""
        attrs = self.study._study._storage.get_study_system_attrs(self.study._study._study_id)
        return {key: attrs[key] for key in attrs if key.startswith((PREFERENCES, SKIPPED))}

    def _has_drawn_all(self) -> bool:
        """Whether nothing is left that nobody has seen, as in a small space."""
        trials = self.study.get_trials(deepcopy=False, states=ON_PAGE)
        return len({repr(trial.params) for trial in trials}) >= self.space.num_points

    def _drop(self, number: int) -> None:
        self.study._study.tell(number, state=TrialState.FAIL)

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
    def log_message(self, *args: object) -> None:
        """Leave the terminal to what matters."""


def _serve(page: Page, host: str, judges: Mapping[_Server, str]) -> None:
    """Serve the page, to each judge at an address of their own."""
    study = page.study._study
    app = wsgi(study._storage, page.store)
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
