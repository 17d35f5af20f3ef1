"""The page that asks judges: ``popbo prefer FILE --page``."""

import hmac
import secrets
import sys
import webbrowser
from argparse import Namespace
from collections.abc import Callable, Mapping, Set
from contextlib import ExitStack, closing
from ipaddress import ip_address
from pathlib import Path
from socket import AF_INET, AF_INET6, create_server, gethostname, socket
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from botorch_popbo._errors import UsageError
from botorch_popbo.judging._drawer import Drawer
from botorch_popbo.judging._log import Log
from botorch_popbo.judging._session import Content, Session

_LOOPBACK, _EVERYWHERE = ("127.0.0.1", "localhost", "::1"), ("0.0.0.0", "::")
_OURS = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_DRAWN = (  # no script, and nothing from elsewhere
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; "
    "font-src data:; frame-ancestors 'self'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address is the key
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def serve(options: Namespace, log: Log, folder: Path, drawer: Drawer | None) -> None:
    """Serve a page until Ctrl-C.

    Args:
        options: The command's.
        log: The answers.
        folder: Where files are drawn to.
        drawer: What draws, unless parameters are shown as they are.

    Raises:
        UsageError: If nobody can be served there.
        KeyboardInterrupt: After Ctrl-C.
    """
    judges = dict.fromkeys(options.judges or [""])
    with ExitStack() as stack:
        listener = stack.enter_context(_listen(options.host, options.port))
        session = stack.enter_context(closing(Session(log, drawer, judges)))
        keys = {_key(log.path, judge): judge for judge in judges}
        name = (gethostname() if options.host in _EVERYWHERE else options.host).lower()
        at = f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}"
        for key, judge in keys.items():
            print(f"{judge or 'answer'} at {at}/{key}/ ; Ctrl-C ends", flush=True)
        if options.host in _LOOPBACK:
            webbrowser.open(f"{at}/{next(iter(keys))}/")
        app = shield(make_app(session, keys, folder), {"localhost", name})
        config = uvicorn.Config(
            app, log_level="critical", server_header=False, timeout_graceful_shutdown=1
        )
        uvicorn.Server(config).run(sockets=[listener])


def shield(app: ASGIApp, hosts: Set[str]) -> ASGIApp:
    """Refuse what other sites ask, and tell browsers to run no script but the page's.

    Args:
        app: What answers.
        hosts: Names by which a browser may ask, beside all addresses.
    """

    async def shielded(request: Request, answer: RequestResponseEndpoint) -> Response:
        refusal = PlainTextResponse("requests from other sites are refused", 403)
        response = await answer(request) if _is_ours(request.headers, hosts) else refusal
        policy = _DRAWN if "/drawn/" in request.scope["path"] else _OURS
        response.headers.update(_HEADERS | {"Content-Security-Policy": policy})
        return response

    return BaseHTTPMiddleware(app, shielded)


def _is_ours(headers: Headers, hosts: Set[str]) -> bool:
    """Whether no other site asks: any name may lead to this machine, but an address is its own."""
    host = headers.get("host", "")
    try:
        name = urlsplit(f"//{host}").hostname or ""
        if name not in hosts:
            ip_address(name)
    except ValueError:
        return False
    return headers.get("origin", f"//{host}").rpartition("//")[2] == host


def make_app(session: Session, keys: Mapping[str, str], folder: Path) -> Starlette:
    """The page and what it asks of the server, in addresses alone: what else is sent is not read.

    Args:
        session: What judges see and say.
        keys: The judge of each address.
        folder: Where things are drawn.
    """

    def route(method: str, name: str, function: Callable[..., Content], *arguments: str) -> Route:
        def respond(request: Request) -> Response:
            judge = keys.get(request.path_params["key"])
            if judge is None:
                return PlainTextResponse("this is not the address of a judge", 404)
            try:
                values = [request.query_params.get(argument, "") for argument in arguments]
                return JSONResponse(function(judge, *values))
            except (OSError, UsageError) as error:
                print(error, file=sys.stderr)
                return PlainTextResponse(f"{error}; please try again", 503)

        return Route(f"/{{key}}/{name}", respond, methods=[method])

    return Starlette(
        routes=[
            route("GET", "state", session.state),
            route("GET", "best", session.best),
            route("POST", "answer", session.answer, "question", "said"),
            route("POST", "undo", session.undo, "question"),
            Mount("/{key}/drawn", StaticFiles(directory=folder)),
            Mount("/{key}", StaticFiles(packages=[("botorch_popbo.judging", "page")], html=True)),
        ]
    )


def _key(path: Path, judge: str) -> str:
    """What nobody else can guess, of a judge; the same at each start."""
    file = path.with_suffix(".key")
    file.touch(0o600)
    secret = file.read_bytes()
    if len(secret) < 32:  # it is new
        secret = secrets.token_bytes(32)
        file.write_bytes(secret)
    return hmac.digest(secret, judge.encode(), "sha256").hex()[:24]


def _listen(host: str, port: int | None) -> socket:
    """At the port that is asked for, or else at any that is free."""
    asked = [port] if port else [8080, 0]
    for number in asked:
        try:
            return create_server((host, number), family=AF_INET6 if ":" in host else AF_INET)
        except (OSError, OverflowError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or error
    raise UsageError(f"cannot listen at {host}, port {asked[0]}: {reason}")
