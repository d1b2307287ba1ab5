"""
A mapper for decisions of version 9.5, named by `MAPPER_TOPIC=eventsourcing_eventstore.json_mapper:JSONMapper`. It needs
msgspec. In version 10, `TRANSCODER_TOPIC` or the application class chooses JSON.
"""

from typing import Any, Generic

import msgspec
from eventsourcing.dcb.domain import Tagged, TDecision
from eventsourcing.dcb.persistence import DCBMapper
from eventsourcing.utils import get_topic, resolve_topic

from eventsourcing_eventstore.library import DataError, DCBEvent


class JSONMapper(DCBMapper[TDecision], Generic[TDecision]):
    """
    Stores a decision as a JSON object with its fields. A decision is a dataclass or a structure of msgspec. When it
    is read, unknown fields are ignored, and `null` counts as an object without fields.
    """

    def to_dcb_event(self, event: Tagged[TDecision]) -> DCBEvent:
        topic = get_topic(type(event.decision))
        try:
            data = msgspec.json.encode(event.decision)
        except (TypeError, ValueError) as error:
            raise DataError(f"{topic} cannot be stored as JSON: {error}") from error
        return DCBEvent(type=topic, data=data, tags=event.tags)

    def to_domain_event(self, event: DCBEvent) -> Tagged[TDecision]:
        data = b"{}" if event.data == b"null" else event.data
        decision_class: Any = resolve_topic(event.type)
        try:
            decision: TDecision = msgspec.json.decode(data, type=decision_class)
        except msgspec.DecodeError as error:
            raise DataError(f"the payload of an event is not a {event.type}: {error}") from error
        return Tagged(tags=event.tags, decision=decision)
