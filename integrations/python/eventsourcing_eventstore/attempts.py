"""A request, and the rules that decide after each attempt if it is final, an error, or repeated."""

from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException
from typing import Self
from urllib.parse import urlencode

from eventsourcing_eventstore.connection import Answer, NotConnected
from eventsourcing_eventstore.errors import NOTHING_WRITTEN, OutcomeUnknown, Unavailable, error_of
from eventsourcing_eventstore.library_errors import OperationalError
from eventsourcing_eventstore.patience import Patience
from eventsourcing_eventstore.wire import to_json

_REJECTED_UNWRITTEN = frozenset({"WriteQueueFull", "ShuttingDown"})
"""Codes of 503 after which it makes sense to send a write again."""

_TRAILERS = (b'{"hasMore":true}\n', b'{"hasMore":false}\n')


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    content: dict[str, object] | None
    """The body, before it becomes JSON."""
    wait_seconds: float
    """How long the server may wait for an event before it answers."""
    is_read: bool
    has_trailer: bool
    """True if the answer is a page, which is complete only with its last line."""

    @cached_property
    def body(self) -> bytes | None:
        return None if self.content is None else to_json(self.content)

    @classmethod
    def page(cls, content: dict[str, object]) -> Self:
        wait_seconds = content.get("waitSeconds", 0)
        assert isinstance(wait_seconds, int | float)
        return cls("QUERY", "/events", content, wait_seconds, is_read=True, has_trailer=True)

    @classmethod
    def write(cls, content: dict[str, object]) -> Self:
        return cls("POST", "/write", content, 0, is_read=False, has_trailer=False)

    @classmethod
    def forget(cls, content: dict[str, object]) -> Self:
        return cls("POST", "/forget", content, 0, is_read=False, has_trailer=False)

    @classmethod
    def projections(cls, type_: str, after: str | None) -> Self:
        query = urlencode({"type": type_} if after is None else {"type": type_, "after": after})
        return cls("GET", f"/projections?{query}", None, 0, is_read=True, has_trailer=True)

    @classmethod
    def get(cls, path: str) -> Self:
        return cls("GET", path, None, 0, is_read=True, has_trailer=False)


class Attempts:
    """The attempts of one request. They end with an answer, 200 or a 404 that is the server's own, or an error."""

    def __init__(self, request: Request, retry_seconds: float) -> None:
        self._request = request
        self._patience = Patience(retry_seconds)
        self._error: Exception = OperationalError("not sent")
        self._was_served = False

    def begin(self) -> None:
        self._patience.begin()
        self._was_served = False

    def is_final(self, answer: Answer) -> bool:
        """True if the answer is the result. Raises the error if the request must not be repeated."""
        is_read = self._request.is_read
        if answer.status == 404 and answer.error == "ProjectionNotFound" and is_read:
            return True
        if answer.status != 200:
            self._error = error_of(answer.status, answer.body)
            if not is_read and answer.error not in NOTHING_WRITTEN:
                raise OutcomeUnknown(f"an answer to a write that is not the server's own: {self._error}")
            if not _may_be_sent_again(answer, is_read):
                raise self._error
            return False
        if not is_read and answer.store is None:
            raise OutcomeUnknown("an answer to a write that is not the server's own")
        # Some proxies do not report that a page was cut short.
        if self._request.has_trailer and not answer.body.endswith(_TRAILERS):
            self._error = Unavailable("a page was cut short")
            return False
        return True

    def failed(self, cause: OSError | HTTPException | NotConnected) -> None:
        """Notes that there was no answer. Raises the error if the request must not be repeated."""
        if isinstance(cause, NotConnected):
            if cause.is_untrusted:
                raise OperationalError(str(cause)) from cause
            self._error = Unavailable(str(cause))
            return
        if not self._request.is_read:
            raise OutcomeUnknown(f"no answer to a write: {cause!r}") from cause
        self._error = Unavailable(f"the connection broke: {cause!r}")
        if isinstance(cause, TimeoutError):
            raise self._error from cause
        self._was_served = self._request.wait_seconds > 0

    def pause_seconds(self) -> float:
        """How long to wait before the next attempt. Raises the last error when there are no more."""
        return self._patience.pause_after(self._error, was_served=self._was_served)


def _may_be_sent_again(answer: Answer, is_read: bool) -> bool:
    return answer.status == 503 and (is_read or answer.error in _REJECTED_UNWRITTEN)
