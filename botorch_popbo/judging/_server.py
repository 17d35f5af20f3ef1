"""The page that asks judges: ``popbo prefer FILE --page``."""

import asyncio
import hmac
import json
import secrets
import sys
import webbrowser
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from socket import AF_INET, AF_INET6, create_server, gethostname, socket
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from botorch_popbo._errors import UsageError
from botorch_popbo.judging._drawer import Drawer
from botorch_popbo.judging._log import Log
from botorch_popbo.judging._session import Session, Told

_LOOPBACK, _EVERYWHERE = ("127.0.0.1", "localhost", "::1"), ("0.0.0.0", "::")
_PAGE = Path(__file__).with_name("page")
_LONGEST, _PATIENCE = 1024, 10.0  # bytes of an answer, and seconds that it may take to come
_OURS = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_THEIRS = (  # of what was drawn: no script, and nothing from elsewhere
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; "
    "font-src data:; frame-ancestors 'self'"
)
_HEADERS = {
    "Content-Security-Policy": _OURS,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address is the key
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def serve(options: Namespace, log: Log, show: Callable[[Path], Drawer] | None) -> None:
    """Serve a page until Ctrl-C.

    Args:
        options: The command's.
        log: The answers.
        show: Makes, for a folder, what draws there; parameters are shown as they are if it is None.

    Raises:
        UsageError: If nobody can be served there.
    """
    judges = list(dict.fromkeys(options.judges or [""]))
    with ExitStack() as stack:
        listener = stack.enter_context(_listen(options.host, options.port))
        folder = Path(stack.enter_context(TemporaryDirectory()))
        drawer = stack.enter_context(closing(show(folder))) if show else None
        session = stack.enter_context(closing(Session(log, drawer, judges)))
        keys = {_key(log.path, judge): judge for judge in judges}
        name = (gethostname() if options.host in _EVERYWHERE else options.host).lower()
        if options.host not in _LOOPBACK:
            print(f"whoever has an address below can answer from where {name} is", file=sys.stderr)
        at = f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}"
        for key, judge in keys.items():
            print(f"{judge or 'answer'} at {at}/{key}/ ; Ctrl-C ends", flush=True)
        if options.host in _LOOPBACK:
            webbrowser.open(f"{at}/{next(iter(keys))}/")
        app = Shield(make_app(session, keys), {"localhost", name})
        config = uvicorn.Config(
            app, log_level="critical", server_header=False, timeout_graceful_shutdown=1
        )
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])


class Shield:
    """Refuses what other sites ask, and tells browsers to run no script but the page's.

    Any name may lead to this machine, but an address is its own.

    Args:
        app: What answers.
        hosts: Names by which a browser may ask, beside all addresses.
    """

    def __init__(self, app: ASGIApp, hosts: set[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI defines it."""

        async def send_shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self._app
        if scope["type"] == "http" and not self._is_ours(Headers(scope=scope)):
            app = PlainTextResponse("another site may not ask", 403)
        await app(scope, receive, send_shielded)

    def _is_ours(self, headers: Headers) -> bool:
        host = headers.get("host", "")
        try:
            name = urlsplit(f"//{host}").hostname or ""
            if name not in self._hosts:
                ip_address(name)
        except ValueError:
            return False
        return headers.get("origin", f"//{host}").rpartition("//")[2] == host


def make_app(session: Session, keys: dict[str, str]) -> Starlette:
    """The page and what it asks of the server.

    Args:
        session: What judges see and say.
        keys: The judge of each address.
    """

    def judge_of(request: Request) -> str:
        try:
            return keys[request.path_params["key"]]
        except KeyError:
            raise HTTPException(404, "this is no address of a judge") from None

    async def told(function: Callable[[], Told | None]) -> Response:
        try:
            content = await run_in_threadpool(function)
        except (OSError, UsageError) as error:
            print(error, file=sys.stderr)
            raise HTTPException(503, str(error)) from None
        if content is None:
            raise HTTPException(400, "this is no answer")
        return JSONResponse(content)

    async def state(request: Request) -> Response:
        return await told(partial(session.state, judge_of(request)))

    async def best(request: Request) -> Response:
        judge_of(request)
        return await told(session.best)

    async def answer(request: Request) -> Response:
        judge = judge_of(request)
        question, said = await _read(request, "question", "said")
        return await told(partial(session.answer, judge, question, said))

    async def undo(request: Request) -> Response:
        judge = judge_of(request)
        [question] = await _read(request, "question")
        return await told(partial(session.undo, judge, question))

    async def page(request: Request) -> Response:
        judge_of(request)
        return FileResponse(_PAGE / (request.url.path.rpartition("/")[2] or "index.html"))

    async def drawn(request: Request) -> Response:
        judge_of(request)
        file = session.file(request.path_params["name"])
        if file is None:
            raise HTTPException(404, "nothing was drawn there")
        headers = {"Content-Security-Policy": _THEIRS, "Cache-Control": "private, max-age=86400"}
        return FileResponse(file, headers=headers)

    names = [path.name for path in _PAGE.iterdir()]
    return Starlette(
        routes=[
            Route("/{key}/", page),
            *(Route(f"/{{key}}/{name}", page) for name in names),
            Route("/{key}/state", state),
            Route("/{key}/best", best),
            Route("/{key}/drawn/{name}", drawn),
            Route("/{key}/answer", answer, methods=["POST"]),
            Route("/{key}/undo", undo, methods=["POST"]),
        ]
    )


async def _read(request: Request, *names: str) -> list[str]:
    """Texts of a JSON object that is neither long nor slow."""
    body = b""
    try:
        async with asyncio.timeout(_PATIENCE):
            async for chunk in request.stream():
                body += chunk
                if len(body) > _LONGEST:
                    raise HTTPException(413, "an answer is short")
        content = json.loads(body)
        texts = [content[name] for name in names]
    except TimeoutError:
        raise HTTPException(408, "an answer is fast") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise HTTPException(400, "this is no answer") from None
    if not all(isinstance(text, str) for text in texts):
        raise HTTPException(400, "this is no answer")
    return texts


def _key(path: Path, judge: str) -> str:
    """What nobody else can guess, of a judge; the same whenever the command goes on."""
    file = path.with_suffix(".key")
    with suppress(FileExistsError):
        file.touch(0o600, exist_ok=False)
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
