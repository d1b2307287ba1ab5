"""One connection to the server, over TCP, TLS or a unix socket."""

import select
import socket
import ssl
import time
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from typing import Protocol, Self
from urllib.parse import urlsplit

from eventsourcing_eventstore.library_errors import ProgrammingError


_DEFAULT_PORTS = {"http": 80, "https": 443}

IDLE_SECONDS_MAX = 50
"""Servers and proxies close what was idle for a minute or more, perhaps just as a write is sent."""


@dataclass(frozen=True)
class Address:
    """The address of the server: `scheme` is `http`, `https` or `unix`, with host and port or a path."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, url: str) -> Self:
        """Takes `http://host:port`, `https://host:port` or `unix:/path/of/socket`."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise _not_an_address(url) from None
        if parts.scheme == "unix" and not parts.netloc and parts.path:
            return cls("unix", "localhost", 0, parts.path)
        has_more = parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc
        if parts.scheme in _DEFAULT_PORTS and parts.hostname and not has_more:
            return cls(parts.scheme, parts.hostname, port or _DEFAULT_PORTS[parts.scheme], "")
        raise _not_an_address(url)

    def __str__(self) -> str:
        if self.scheme == "unix":
            return f"unix:{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def _not_an_address(url: str) -> ProgrammingError:
    return ProgrammingError(f"not http://host:port, https://host:port or unix:/path: {url!r}")


class _UnixConnection(HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass(frozen=True)
class Answer:
    status: int
    store: str | None
    """The store ID (`X-Service-Store`)."""
    head: str | None
    """The highest sequence in the store (`X-Service-Head`)."""
    error: str | None
    """The code of an error that is the server's own (`X-Service-Error`), and not that of a proxy."""
    version: str | None
    """The version of a projection (`X-Service-Version`)."""
    body: bytes


class NotConnected(Exception):
    """The client could not connect, so it sent nothing."""

    def __init__(self, address: object, error: OSError) -> None:
        self.is_untrusted = isinstance(error, ssl.SSLCertVerificationError)
        """True if the server's certificate is not trusted, which no further attempt changes."""
        remedy = ": SSL_CERT_FILE names the certificates of other authorities" if self.is_untrusted else ""
        super().__init__(f"cannot reach {address} ({error.strerror or error}){remedy}")


class Connection:
    """Sends one request after another. Other threads may call only `abort`."""

    def __init__(self, address: Address, timeout_seconds: float) -> None:
        """Connects. Raises `NotConnected`."""
        self._timeout_seconds = timeout_seconds
        self._http = _http_connection(address, timeout_seconds)
        self._used_at = time.monotonic()
        try:
            self._http.connect()
        except OSError as error:
            self._http.close()
            raise NotConnected(address, error) from error

    def exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], wait_seconds: float = 0
    ) -> Answer:
        """
        Sends a request and reads the whole answer. The time limit applies to each step on the socket, and
        `wait_seconds` are added to it. Raises OSError or http.client.HTTPException.
        """
        sock: socket.socket = self._http.sock
        sock.settimeout(self._timeout_seconds + wait_seconds)
        self._http.request(method, path, body, headers)
        response = self._http.getresponse()
        store, head = response.getheader("X-Service-Store"), response.getheader("X-Service-Head")
        error, version = response.getheader("X-Service-Error"), response.getheader("X-Service-Version")
        answer = Answer(response.status, store, head, error, version, response.read())
        self._used_at = time.monotonic()
        return answer

    @property
    def can_be_used_again(self) -> bool:
        """True if it was used recently, the server has not closed it, and it has no unread bytes."""
        sock = self._http.sock
        is_young = time.monotonic() - self._used_at < IDLE_SECONDS_MAX
        return sock is not None and is_young and not _is_readable(sock)

    def abort(self) -> None:
        """Ends an exchange for which another thread waits. The exchange fails at once."""
        sock: socket.socket | None = self._http.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It has ended already.

    def close(self) -> None:
        self._http.close()


class _Polls(Protocol):
    def fileno(self) -> int: ...


def _is_readable(sock: _Polls) -> bool:
    if not hasattr(select, "poll"):
        return bool(select.select([sock], [], [], 0)[0])
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


def _http_connection(address: Address, timeout: float) -> HTTPConnection:
    if address.scheme == "unix":
        return _UnixConnection(address.path, timeout)
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    return kind(address.host, address.port, timeout=timeout)
