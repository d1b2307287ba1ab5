"""The errors of the adapter, and the mapping from answers of the server to errors of the library."""

import json
from collections.abc import Mapping
from typing import Any

from eventsourcing_eventstore.library_errors import (
    DataError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
)
from eventsourcing_eventstore.plain_types import NewProjection, Projection

NOTHING_WRITTEN = frozenset(
    {
        "ConcurrencyException",
        "DiskFull",
        "Forbidden",
        "InternalError",
        "InvalidRequest",
        "PayloadTooLarge",
        "ShuttingDown",
        "SubjectNotFound",
        "Unauthorized",
        "Unavailable",
        "WriteQueueFull",
    }
)
"""The codes of `X-Service-Error` after which a write has certainly not happened."""


class OutcomeUnknown(OperationalError):
    """
    A write was sent, but there was no answer, or one that does not come from the server itself, such as from a
    proxy. The write may have happened, or may still happen.
    """


class Unavailable(OperationalError):
    """The server cannot be reached, or cannot serve the request now. Nothing was written."""


class Conflict(IntegrityError):
    """A condition or a version does not hold. Nothing was written."""

    def __init__(self, message: str, detail: Mapping[str, Any]) -> None:
        """`detail` is the server's `conflict`, such as `{"condition": 0, "sequence": 1234}`."""
        super().__init__(message)
        self.detail = detail

    @property
    def condition(self) -> int | None:
        """The index of the condition that does not hold, from 0. None if a version does not."""
        return self.detail.get("condition")

    @property
    def sequence(self) -> int | None:
        """The sequence of the first event that breaks the condition."""
        return self.detail.get("sequence")


class ProjectionConflict(Conflict):
    """A projection was created, changed or deleted since it was read. Nothing was written."""

    projection: NewProjection | Projection | None = None
    """The one of `projections` or `deletes` that does not fit, with type, ID and version, as `append` got it."""


class SubjectNotFound(DataError):
    """No event was ever stored encrypted for the person to forget. Nothing was written."""


class StoreChanged(OperationalError):
    """The store was reset or replaced, so earlier positions are not valid in it. Use a new recorder."""


def error_of(status: int, body: bytes) -> Exception:
    """The error for an answer that is not 200. Answers from outside the interface are plain text."""
    code, message, conflict = _parts(body)
    text = ": ".join(part for part in (f"{status} {code}".strip(), message) if part)
    if status == 409:
        # A condition without an event was read on another store.
        if "condition" in conflict and "sequence" not in conflict:
            return StoreChanged(text)
        return ProjectionConflict(text, conflict) if "list" in conflict else Conflict(text, conflict)
    if status == 400 and code == "InvalidRequest":
        return ProgrammingError(text)
    if status == 404 and code == "SubjectNotFound":
        return SubjectNotFound(text)
    if status == 413:
        return DataError(text)
    if status == 500:
        return InternalError(text)
    # 502 and 504 come from a proxy that does not reach the server.
    if status in (502, 503, 504, 507):
        return Unavailable(text)
    if status in (401, 403):
        return OperationalError(text)
    return InterfaceError(f"unexpected answer, is this a server of edition A? {text}")


def _parts(body: bytes) -> tuple[str, str, dict[str, Any]]:
    try:
        envelope = json.loads(body)
        return envelope["error"], envelope.get("message", ""), envelope.get("conflict", {})
    except (ValueError, TypeError, KeyError):
        return "", body[:200].decode("utf-8", "replace").strip(), {}
