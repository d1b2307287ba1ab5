"""The errors of the library eventsourcing, or the same errors if it is not installed: the plain client needs none of it."""

try:
    from eventsourcing.persistence import IntegrityError, InternalError

    try:
        from eventsourcing.persistence import (
            DataError,
            InterfaceError,
            OperationalError,
            ProgrammingError,
        )
    except ImportError:
        # In version 10 they are in another module.
        from eventsourcing.errors import (  # type: ignore[import-not-found, no-redef]
            DataError,
            InterfaceError,
            OperationalError,
            ProgrammingError,
        )
except ModuleNotFoundError as missing:
    if missing.name != "eventsourcing":
        raise

    class DataError(Exception):  # type: ignore[no-redef]
        """An event, a projection or a request is too large, or a payload cannot be read."""

    class IntegrityError(Exception):  # type: ignore[no-redef]
        """A condition or a version does not hold."""

    class InterfaceError(Exception):  # type: ignore[no-redef]
        """The client is closed, or the server is not one of edition A."""

    class InternalError(Exception):  # type: ignore[no-redef]
        """The server failed, and wrote nothing."""

    class OperationalError(Exception):  # type: ignore[no-redef]
        """The server cannot be reached, cannot serve the request now, or does not accept the token."""

    class ProgrammingError(Exception):  # type: ignore[no-redef]
        """The request or an argument is wrong."""


__all__ = [
    "DataError",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "OperationalError",
    "ProgrammingError",
]
