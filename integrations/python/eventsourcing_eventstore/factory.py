"""The factory that the library creates from its environment variables."""

from pathlib import Path
from typing import Any, TypeVar

from eventsourcing.utils import Environment, EnvType, resolve_topic

from eventsourcing_eventstore.aggregates import EventStoreAggregateRecorder, EventStoreApplicationRecorder
from eventsourcing_eventstore.client import Client
from eventsourcing_eventstore.library import (
    EVENTS_HAVE_METADATA,
    DCBInfrastructureFactory,
    InfrastructureFactory,
    InfrastructureFactoryError,
)
from eventsourcing_eventstore.names import Names
from eventsourcing_eventstore.recorder import EventStoreRecorder
from eventsourcing_eventstore.stored_events import EventStream, IDType
from eventsourcing_eventstore.tracking import EventStoreProcessRecorder, EventStoreTrackingRecorder

UNNAMED = "application"
"""The name of an application without a name, as when a program creates a factory itself."""

_T = TypeVar("_T")


class EventStoreFactory(
    InfrastructureFactory[EventStoreTrackingRecorder], DCBInfrastructureFactory[EventStoreTrackingRecorder]
):
    """
    For `PERSISTENCE_MODULE=eventsourcing_eventstore`. `EVENTSTORE_URL` is required; the README lists the
    other variables. As with all variables of the library, the application's name may be their prefix.
    """

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        self._names = Names.of_env(self.env)
        url = self.env.get("EVENTSTORE_URL")
        if url is None:
            raise InfrastructureFactoryError("EVENTSTORE_URL is not set: http://host:port or unix:/path")
        self.client = Client(
            url,
            self._token(),
            timeout_seconds=self._seconds("EVENTSTORE_TIMEOUT_SECONDS", 30.0),
            retry_seconds=self._seconds("EVENTSTORE_RETRY_SECONDS", 5.0),
            store_id=self.env.get("EVENTSTORE_STORE_ID"),
        )

    def dcb_recorder(self) -> EventStoreRecorder:
        return EventStoreRecorder(self.client, names=self._names)

    def aggregate_recorder(self, purpose: str = "events") -> EventStoreAggregateRecorder:
        return EventStoreAggregateRecorder(self.client, self._stream(purpose))

    def application_recorder(self) -> EventStoreApplicationRecorder:
        of_class = self._class_of(self.APPLICATION_RECORDER_TOPIC, EventStoreApplicationRecorder)
        return of_class(self.client, self._stream())

    def process_recorder(self) -> EventStoreProcessRecorder:
        of_class = self._class_of(self.PROCESS_RECORDER_TOPIC, EventStoreProcessRecorder)
        return of_class(self.client, self._stream())

    def tracking_recorder(
        self, tracking_recorder_class: type[EventStoreTrackingRecorder] | None = None
    ) -> EventStoreTrackingRecorder:
        of_class = tracking_recorder_class or self._class_of(
            self.TRACKING_RECORDER_TOPIC, EventStoreTrackingRecorder
        )
        return of_class(self.client, self._name)

    @property
    def _name(self) -> str:
        return self.env.name or UNNAMED

    def _stream(self, purpose: str = "events") -> EventStream:
        name = self._name if purpose == "events" else f"{self._name}.{purpose}"
        return EventStream(name, self._id_type(), self._names)

    def _id_type(self) -> IDType:
        default = "text" if EVENTS_HAVE_METADATA else "uuid"
        id_type = (self.env.get("ORIGINATOR_ID_TYPE") or default).lower()
        if id_type not in ("uuid", "text"):
            raise InfrastructureFactoryError(f"ORIGINATOR_ID_TYPE is neither uuid nor text: {id_type!r}")
        return "uuid" if id_type == "uuid" else "text"

    def _class_of(self, variable: str, default: type[_T]) -> type[_T]:
        """The class that a variable of the library names, or the default."""
        topic = self.env.get(variable)
        found: Any = resolve_topic(topic) if topic else default
        if not (isinstance(found, type) and issubclass(found, default)):
            raise InfrastructureFactoryError(f"{variable} must extend {default.__name__}: {topic!r}")
        return found

    def close(self) -> None:
        self.client.close()
        super().close()

    def _token(self) -> str | None:
        file = self.env.get("EVENTSTORE_TOKEN_FILE")
        if file is None:
            return self.env.get("EVENTSTORE_TOKEN")
        try:
            return Path(file).read_text().strip()
        except OSError as error:
            raise InfrastructureFactoryError(f"EVENTSTORE_TOKEN_FILE: {error}") from error

    def _seconds(self, name: str, default: float) -> float:
        text = self.env.get(name)
        try:
            seconds = default if text is None else float(text)
        except ValueError:
            seconds = -1
        if not 0 <= seconds < float("inf"):
            raise InfrastructureFactoryError(f"{name} is not a number of seconds: {text!r}")
        return seconds
