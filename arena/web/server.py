"""The live page's server: four files and one JSON document, on loopback unless told otherwise.

The standard library's server in threads of its own: it reads what `LiveState` says and answers nothing else.
A request must name this server as its host, so that a page elsewhere cannot read it by way of a DNS name that
was turned to this address.
"""

from __future__ import annotations

import ipaddress
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from arena.errors import ArenaError, Exit
from arena.tournament.events import RunReport
from arena.web.state import LiveState

POLL_S = 1.0
"""How often the page asks."""
FAREWELL_S = 2.5
"""At the end a page that is open gets so long to ask once more."""
MOST_CONNECTIONS = 32
TIMEOUT_S = 15.0
PAGES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/live.css": ("live.css", "text/css; charset=utf-8"),
    "/live.js": ("live.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class LiveServer(ThreadingHTTPServer):
    """Serves one `LiveState`; made by `serve_live`."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, host: str, port: int, state: LiveState) -> None:
        """Listen. Raises ArenaError (ENVIRONMENT) where that cannot be."""
        self.state = state
        self.asked_at = 0.0
        """Monotonic seconds at which the page last asked for data."""
        self.asked_version = -1
        self._room = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._pages = {
            path: (files("arena.web").joinpath("page", name).read_bytes(), kind)
            for path, (name, kind) in PAGES.items()
        }
        if ":" in host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise ArenaError(
                f"the live page cannot listen on {host} port {port}: {error.strerror or error}",
                hint="give another --serve PORT, or end what uses it",
                exit_code=Exit.ENVIRONMENT,
            ) from None
        self.host = host

    def server_bind(self) -> None:
        """Bind; unlike HTTPServer without asking the network for this machine's name."""
        if self.allow_reuse_address:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    @property
    def url(self) -> str:
        """Where a browser on this machine finds the page."""
        shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{f'[{shown}]' if ':' in shown else shown}:{self.server_port}/"

    def page(self, path: str) -> tuple[bytes, str] | None:
        """Content and type of what lies at a path."""
        if path == "/state.json":
            self.asked_at = time.monotonic()
            data = self.state.snapshot()
            self.asked_version = data["version"]
            return json.dumps(data, ensure_ascii=True, allow_nan=False).encode(), "application/json"
        return self._pages.get(path)

    def knows(self, host: str) -> bool:
        """Whether the Host header of a request names this server."""
        name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "80")
        if not name:
            name, port = host, "80"
        name = name.strip("[]").lower()
        if port != str(self.server_port):
            return False
        if name in {"localhost", self.host.lower()}:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or self.host in ("0.0.0.0", "::")

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own, if there is room for one more."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """One connection, to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no error of ours."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT_S
    server: LiveServer

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or not self.server.knows(hosts[0].strip()):
            self._send(HTTPStatus.MISDIRECTED_REQUEST, b"this server has another name\n", "text/plain", body)
            return
        found = self.server.page(self.path.partition("?")[0])
        if found is None:
            self._send(HTTPStatus.NOT_FOUND, b"there is no such page\n", "text/plain", body)
            return
        self._send(HTTPStatus.OK, *found, body)

    def _send(self, status: HTTPStatus, content: bytes, kind: str, body: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content)

    def version_string(self) -> str:
        return "arena"

    def log_message(self, format: str, *values: Any) -> None:
        """Nothing: a terminal shows the run."""


class Live:
    """A page that is being served."""

    def __init__(self, server: LiveServer) -> None:
        self._server = server
        self.state = server.state
        self.url = server.url

    def finish(self, report: RunReport) -> None:
        """Show the end; a page that is open gets the time to see it."""
        self.state.finish(report)
        deadline = time.monotonic() + FAREWELL_S
        watched = time.monotonic() - self._server.asked_at < 2 * POLL_S
        while watched and self._server.asked_version < self.state.version and time.monotonic() < deadline:
            time.sleep(0.05)


@contextmanager
def serve_live(host: str, port: int) -> Iterator[Live]:
    """Serve a page for as long as the context lasts; `live.state` is the observer that fills it.

    Port 0 means any free one. Raises ArenaError where nothing can listen there.
    """
    server = LiveServer(host, port, LiveState())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield Live(server)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def is_open(host: str) -> bool:
    """Whether a page served at `host` can be seen from other machines."""
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"
