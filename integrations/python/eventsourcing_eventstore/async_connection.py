"""One connection to the server, for asyncio."""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from email.message import Message
from http.client import HTTPException, parse_headers
from io import BytesIO
from typing import Any, Self

from eventsourcing_eventstore.attempts import Request
from eventsourcing_eventstore.connection import IDLE_SECONDS_MAX, Address, Answer, NotConnected

_STEP_BYTES = 65_536
"""What must come within the time limit of a step."""


class AsyncConnection:
    """Sends one request after another. If an exchange fails or is cancelled, close the connection."""

    def __init__(
        self, address: Address, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timeout_seconds: float
    ) -> None:
        self._host = address.host if address.scheme == "unix" else str(address).partition("://")[2]
        self._reader = reader
        self._writer = writer
        self._timeout_seconds = timeout_seconds
        self._used_at = time.monotonic()
        self._is_last = False

    @classmethod
    async def open(cls, address: Address, timeout_seconds: float) -> Self:
        """Connects. Raises `NotConnected`."""
        try:
            async with asyncio.timeout(timeout_seconds):
                if address.scheme == "unix":
                    streams = await asyncio.open_unix_connection(address.path)
                else:
                    is_tls = address.scheme == "https"
                    streams = await asyncio.open_connection(address.host, address.port, ssl=is_tls or None)
        except TimeoutError as error:
            raise NotConnected(address, TimeoutError("timed out")) from error
        except OSError as error:
            raise NotConnected(address, error) from error
        return cls(address, *streams, timeout_seconds)

    async def exchange(self, request: Request, headers: dict[str, str]) -> Answer:
        """Sends a request and reads the whole answer. Raises OSError or http.client.HTTPException."""
        lines = [f"{request.method} {request.path} HTTP/1.1", f"Host: {self._host}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if request.body is not None:
            lines.append(f"Content-Length: {len(request.body)}")
        self._writer.write("\r\n".join([*lines, "\r\n"]).encode("latin-1") + (request.body or b""))
        try:
            async with asyncio.timeout(self._timeout_seconds):
                await self._writer.drain()
            async with asyncio.timeout(self._timeout_seconds + request.wait_seconds):
                status, fields = await self._head()
            body = await self._body(fields)
        except asyncio.IncompleteReadError as error:
            raise ConnectionResetError("the server closed the connection") from error
        except (asyncio.LimitOverrunError, ValueError) as error:
            raise HTTPException(f"not an answer in HTTP: {error}") from error
        self._used_at = time.monotonic()
        self._is_last = self._is_last or fields.get("Connection", "").lower() == "close"
        return Answer(
            status,
            fields.get("X-Service-Store"),
            fields.get("X-Service-Head"),
            fields.get("X-Service-Error"),
            fields.get("X-Service-Version"),
            body,
        )

    @property
    def can_be_used_again(self) -> bool:
        """True if it was used recently, and neither side closes it."""
        is_young = time.monotonic() - self._used_at < IDLE_SECONDS_MAX
        return is_young and not (self._is_last or self._writer.is_closing() or self._reader.at_eof())

    def close(self) -> None:
        self._writer.close()

    async def wait_closed(self) -> None:
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _head(self) -> tuple[int, Message]:
        while True:
            head = await self._reader.readuntil(b"\r\n\r\n")
            line, _, fields = head.partition(b"\r\n")
            version, _, rest = line.partition(b" ")
            if not version.startswith(b"HTTP/1."):
                raise HTTPException(f"not an answer in HTTP: {line[:80]!r}")
            status = int(rest[:3])
            if status >= 200:
                return status, parse_headers(BytesIO(fields))

    async def _body(self, fields: Message) -> bytes:
        if fields.get("Transfer-Encoding", "").lower() == "chunked":
            return await self._chunked_body()
        length = fields.get("Content-Length")
        if length is not None:
            return await self._bytes(int(length))
        self._is_last = True
        parts: list[bytes] = []
        while part := await self._step(self._reader.read(_STEP_BYTES)):
            parts.append(part)
        return b"".join(parts)

    async def _chunked_body(self) -> bytes:
        parts: list[bytes] = []
        while True:
            line = await self._step(self._reader.readuntil(b"\r\n"))
            size = int(line.partition(b";")[0], 16)
            if size == 0:
                while await self._step(self._reader.readuntil(b"\r\n")) != b"\r\n":
                    pass  # A trailer of HTTP.
                return b"".join(parts)
            parts.append(await self._bytes(size))
            await self._bytes(2)

    async def _bytes(self, length: int) -> bytes:
        parts: list[bytes] = []
        while length > 0:
            parts.append(await self._step(self._reader.readexactly(min(length, _STEP_BYTES))))
            length -= len(parts[-1])
        return b"".join(parts)

    async def _step(self, reading: Coroutine[Any, Any, bytes]) -> bytes:
        async with asyncio.timeout(self._timeout_seconds):
            return await reading
