"""What a judge's browser may ask of Optuna's dashboard."""

import json
from collections.abc import Callable, Iterable, Set
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit
from wsgiref.headers import Headers
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from optuna.exceptions import StorageInternalError
from optuna.study import Study
from optuna_dashboard import _preferential_history as history

from botorch_popbo.optuna.preferential import JUDGE, ON_PAGE, SKIPPED

_LONGEST = 2**16  # bytes of an answer


class Gateway:
    """The dashboard for one judge, who can look, answer, undo and skip, and change nothing else.

    The dashboard is asked for nothing but what it shows. What changes the study is read and checked
    here, so there is no second reading of a request. Pages of other sites cannot answer in the
    judge's name, as they have another origin, or a name of their own for this machine. No script
    runs but the dashboard's.

    Args:
        app: The dashboard.
        study: The study.
        judge: The judge's name; empty if answers belong to nobody.
        hosts: Names by which a browser may ask, beside all addresses.
    """

    def __init__(self, app: WSGIApplication, study: Study, judge: str, hosts: Set[str]) -> None:
        self._app, self._study, self._judge, self._hosts = app, study, judge, hosts

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, as WSGI defines it."""
        try:
            self._check_source(environ)
            if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
                # A program may name no encodings, which the dashboard wants, and send a body.
                environ.setdefault("HTTP_ACCEPT_ENCODING", "identity")
                environ.update(dict.fromkeys(("CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING"), ""))
                return self._app(environ, partial(_start_shielded, start_response))
            self._change(environ)
            status, content = "200 OK", {}
        except (PermissionError, history.PreferenceHistoryNotFound) as error:
            status, content = "403 Forbidden", {"reason": str(error) or "there is no such answer"}
        except StorageInternalError:
            reason = "another program uses the study; please try again"
            status, content = "503 Service Unavailable", {"reason": reason}
        start_response(status, [("Content-Type", "application/json")])
        return [json.dumps(content).encode()]

    def _check_source(self, environ: WSGIEnvironment) -> None:
        """Refuse other sites: any name may lead to this machine, but an address is its own."""
        host = environ.get("HTTP_HOST", "")
        try:
            name = urlsplit(f"//{host}").hostname or ""
            if name not in self._hosts:
                ip_address(name)
        except ValueError:
            raise PermissionError(f"this page is not known as {host}") from None
        if environ.get("HTTP_ORIGIN", f"http://{host}").rpartition("//")[2] != host:
            raise PermissionError("another site may not answer")

    def _change(self, environ: WSGIEnvironment) -> None:
        storage, study = self._study._storage, self._study._study_id
        action = environ["PATH_INFO"].removeprefix(f"/api/studies/{study}/").split("/")
        match [environ["REQUEST_METHOD"], *action]:
            case ["POST", "preference"]:
                self._answer(*_read(environ))
            case ["POST", "preference", answer]:
                history.restore_history(study, storage, answer)
            case ["DELETE", "preference", answer]:
                history.remove_history(study, storage, answer)
            case ["POST", trial_id, "skip"] if trial_id in map(str, self._ids().values()):
                storage.set_study_system_attr(study, f"{SKIPPED}{trial_id}", True)
            case _:
                raise PermissionError("on this page one can answer, undo and skip")

    def _answer(self, candidates: list[int], clicked: int) -> None:
        """Keep a judgement of trials: one is the worst of several.

        If one picture is left after a fast click, another click takes it from the page and says
        nothing of it.
        """
        storage, study, ids = self._study._storage, self._study._study_id, self._ids()
        if not {clicked} <= {*candidates} <= ids.keys():
            raise PermissionError("an answer names trials of this study")
        if {*candidates} == {clicked}:
            storage.set_study_system_attr(study, f"{SKIPPED}{ids[clicked]}", "alone")
            return
        worst = history.NewHistory("ChooseWorst", candidates, clicked)
        answer = history.report_history(study, storage, worst)
        if self._judge:
            storage.set_study_system_attr(study, JUDGE + answer, self._judge)

    def _ids(self) -> dict[int, int]:
        """The id of each trial that is or was on the page, by its number."""
        trials = self._study.get_trials(deepcopy=False, states=ON_PAGE)
        return {trial.number: trial._trial_id for trial in trials}


def _read(environ: WSGIEnvironment) -> tuple[list[int], int]:
    """The numbers of the trials that were shown, and that of the worst."""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        content = json.loads(environ["wsgi.input"].read(length if 0 < length <= _LONGEST else 0))
        candidates, clicked = [*content["candidates"]], content["clicked"]
        if {*map(type, [*candidates, clicked])} == {int}:
            return candidates, clicked
    raise PermissionError("an answer names numbers of trials")


def _start_shielded(
    start: StartResponse, status: str, headers: list[tuple[str, str]], *rest: Any
) -> Callable[[bytes], object]:
    """Have a browser run no script but that of the dashboard, which says so of its page itself."""
    shielded = Headers(headers)
    del shielded["Access-Control-Allow-Origin"]
    shielded.setdefault("Content-Security-Policy", "sandbox")
    shielded["X-Content-Type-Options"] = "nosniff"
    return start(status, shielded.items(), *rest)
