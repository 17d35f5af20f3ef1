"""What a judge's browser may ask of Optuna's dashboard."""

import json
import re
from collections.abc import Callable, Iterable
from io import BytesIO
from threading import Lock
from typing import Any

from optuna.study import Study

from botorch_popbo.optuna.preferential import JUDGE

Environ = dict[str, Any]
App = Callable[[Environ, Any], Iterable[bytes]]

_HISTORY = "preference:history"  # as the dashboard names it, before the id of an answer
_ANSWER = re.compile(r"/api/studies/\d+/preference")
_ALLOWED = re.compile(r"/api/studies/\d+/(preference(/[\w-]+)?|\d+/skip)")
# One answer at a time, so that each is ascribed to who gave it.
_LOCK = Lock()


class Gateway:
    """The dashboard for one judge, who can answer, undo and skip, and change nothing else.

    Pages of other sites cannot answer in the judge's name, as they have another origin, or name
    another host. A file that is shown runs no script.

    Args:
        app: The dashboard.
        study: The study.
        judge: The judge's name.
        hosts: Names and addresses by which a browser may ask; any if there are none.
    """

    def __init__(self, app: App, study: Study, judge: str, hosts: Iterable[str]) -> None:
        self._app, self._study, self._judge = app, study, judge
        self._hosts = {*hosts}

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """Answer a request, as WSGI defines it."""
        reason = self._refusal(environ)
        if reason:
            body = json.dumps({"reason": reason}).encode()
            start_response("403 Forbidden", [("Content-Type", "application/json")])
            return [body]
        if environ["REQUEST_METHOD"] == "GET":
            return self._app(environ, _with_headers(start_response, environ["PATH_INFO"]))
        said: list[Any] = []
        with _LOCK:
            body = b"".join(self._app(environ, lambda *args: said.extend(args[:2])))
            if self._judge:
                self._sign()
        status, headers = said
        if status.startswith("204"):  # the dashboard's page wants JSON of every answer
            status, body = "200 OK", b"{}"
            headers = [("Content-Type", "application/json"), ("Content-Length", "2")]
        start_response(status, headers)
        return [body]

    def _refusal(self, environ: Environ) -> str:
        """Why a request is refused; empty if it is not."""
        host = environ.get("HTTP_HOST", "")
        if self._hosts and host.partition(":")[0] not in self._hosts:
            return f"this page is not known as {host}"
        if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            return ""
        origin = environ.get("HTTP_ORIGIN", f"http://{host}")
        if origin.rpartition("//")[2] != host:
            return "another site may not answer"
        path = environ["PATH_INFO"].rstrip("/")
        if not _ALLOWED.fullmatch(path):
            return "on this page one can answer, undo and skip"
        if _ANSWER.fullmatch(path) and not self._is_answer(environ):
            return "an answer names trials of this study"
        return ""

    def _is_answer(self, environ: Environ) -> bool:
        """Whether the numbers are those of trials: the dashboard keeps whatever is sent."""
        try:
            length = int(environ.get("CONTENT_LENGTH") or 0)
            sent = environ["wsgi.input"].read(min(length, 2**16))
            environ["wsgi.input"] = BytesIO(sent)
            said = json.loads(sent)
            numbers = [*said["candidates"], said["clicked"]]
            known = range(len(self._study.get_trials(deepcopy=False)))
            return all(type(number) is int and number in known for number in numbers)
        except (ValueError, KeyError, TypeError):
            return False

    def _sign(self) -> None:
        storage, study = self._study._storage, self._study._study_id
        attrs = storage.get_study_system_attrs(study)
        for key in attrs:
            signature = JUDGE + key.removeprefix(_HISTORY)
            if key.startswith(_HISTORY) and signature not in attrs:
                storage.set_study_system_attr(study, signature, self._judge)


def _with_headers(start_response: Any, path: str) -> Any:
    """Have a browser run nothing of a file that is shown, whatever it holds."""

    def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        if path.startswith("/artifacts/"):
            headers = [
                *(pair for pair in headers if pair[0] != "Access-Control-Allow-Origin"),
                ("Content-Security-Policy", "sandbox"),
                ("X-Content-Type-Options", "nosniff"),
            ]
        return start_response(status, headers, *rest)

    return start
