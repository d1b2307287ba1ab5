"""Decisions of version 10 of the library, as dataclasses."""

from typing import Any

import eventsourcing.dataclasses  # type: ignore[import-not-found, unused-ignore]

library: Any = eventsourcing.dataclasses


class Defined(library.Decision):  # type: ignore[misc]
    capacity: int


class Subscribed(library.Decision):  # type: ignore[misc]
    pass
