"""The factory that the library creates from its environment variables."""

from pathlib import Path

from eventsourcing.utils import Environment, EnvType

from eventsourcing_eventstore.client import Client
from eventsourcing_eventstore.library import (
    DCBInfrastructureFactory,
    InfrastructureFactoryError,
    TrackingRecorder,
)
from eventsourcing_eventstore.recorder import EventStoreRecorder


class EventStoreFactory(DCBInfrastructureFactory[TrackingRecorder]):
    """
    For `PERSISTENCE_MODULE=eventsourcing_eventstore`. `EVENTSTORE_URL` is required; the README lists the
    other variables. As with all variables of the library, the application's name may be their prefix.
    """

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
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
        return EventStoreRecorder(self.client)

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
