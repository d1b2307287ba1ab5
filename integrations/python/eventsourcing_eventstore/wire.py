"""The JSON that requests and answers share, whichever program is behind them."""

import base64
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from eventsourcing_eventstore.library_errors import ProgrammingError

ENCODING = "eventsourcing-encoding"
"""The name of the metadata entry of events whose payload is not text."""

EVERY_POSITION = 2**53 - 1
"""Behind the last event of any store."""


def to_json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def payload_of(data: bytes) -> tuple[str, dict[str, str]]:
    """A payload, and the metadata that says how it is encoded."""
    try:
        return data.decode(), {}
    except UnicodeDecodeError:
        return base64.b64encode(data).decode(), {ENCODING: "base64"}


def data_of(payload: str, encoding: str | list[str] | None) -> bytes:
    return base64.b64decode(payload) if encoding == "base64" else payload.encode()


def values_of(value: str | list[str]) -> list[str]:
    """The values of an identifier or a metadata entry of a stored event."""
    return [value] if isinstance(value, str) else value


def texts_in(texts: Iterable[str], name: str) -> Iterable[str]:
    """
    The same texts. A single string counts as many, its letters, to Python and to type checkers, and a condition on
    these would always hold.
    """
    if isinstance(texts, str):
        raise ProgrammingError(f"{name} is a list, not {texts!r}")
    return texts


def headers_with(token: str | None) -> dict[str, str]:
    """The headers of a request. The error for a token that no header can hold does not show it."""
    if token is None:
        return {}
    if not re.fullmatch(r"[\x20-\x7e]*", token):
        raise ProgrammingError("the token must be printable ASCII characters")
    return {"Authorization": f"Bearer {token}"}


def position_of_line(line: bytes) -> int:
    """The position of an event of a page."""
    position: int = json.loads(line)["sequence"]
    return position


def projection_path(type_: str, id_: str) -> str:
    return f"/projections/{quote(type_, safe='')}/{quote(id_, safe='')}"


@dataclass(frozen=True)
class StoredProjection:
    payload: str
    version: str


def replacing(type_: str, id_: str, payload: str | None, found: StoredProjection | None) -> dict[str, Any]:
    """The `projections` of a write that put this payload in place of the one found, or delete it: None."""
    named = {"type": type_, "id": id_}
    if found is not None:
        named["version"] = found.version
        return {"delete": [named]} if payload is None else {"replace": [{**named, "payload": payload}]}
    return {} if payload is None else {"create": [{**named, "payload": payload}]}
