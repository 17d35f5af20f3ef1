"""A headless browser, driven by the WebDriver protocol over HTTP."""

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
#: Why there is none, if there is none.
MISSING = None if BROWSER and DRIVER else "chromium and chromedriver are not installed"
_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--window-size=1280,900"
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_OPENER = build_opener(ProxyHandler({}))  # the driver is on this machine


class Browser:
    def __init__(self, port: int, folder: Path) -> None:
        self._url = f"http://127.0.0.1:{port}/session"
        options = {"binary": BROWSER, "args": [*_FLAGS.split(), f"--user-data-dir={folder}"]}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        self._url += "/" + self._call("", wanted)["sessionId"]

    def _call(self, path: str, body: dict[str, Any] | None = None, method: str = "") -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._url + path, data, {"Content-Type": "application/json"})
        request.method = method or ("GET" if body is None else "POST")
        try:
            with _OPENER.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def open(self, url: str) -> None:
        self._call("/url", {"url": url})

    def find(self, xpath: str) -> list[str]:
        found = self._call("/elements", {"using": "xpath", "value": xpath})
        return [one[_ELEMENT] for one in found]

    def click(self, xpath: str, place: int = 0) -> None:
        self._call(f"/element/{self.find(xpath)[place]}/click", {})

    def run(self, script: str) -> Any:
        return self._call("/execute/sync", {"script": script, "args": []})

    @property
    def text(self) -> str:
        return str(self.run("return document.body.innerText"))

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._call("/screenshot")))

    def quit(self) -> None:
        self._call("", method="DELETE")


def wait(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    """What a condition says once it says something true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if said := condition():
            return said
        time.sleep(0.1)
    raise AssertionError(f"nothing within {seconds} seconds")


def free_port() -> int:
    with socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    port = free_port()
    driver = subprocess.Popen([str(DRIVER), f"--port={port}"], stdout=subprocess.DEVNULL)
    made: list[Browser] = []
    try:

        def start() -> bool:
            try:
                made.append(Browser(port, folder))
            except OSError:  # it does not listen yet
                return False
            return True

        wait(start)
        yield made[0]
    finally:
        for one in made:  # the driver would leave it running
            one.quit()
        driver.terminate()
        driver.wait()
