"""
A mapper for decisions of version 9.5, named by `MAPPER_TOPIC=eventsourcing_eventstore.json_mapper:JSONMapper`. Version 10
has transcoders instead: json_transcoder.py.
"""

from typing import Generic

from eventsourcing.dcb.domain import Tagged, TDecision
from eventsourcing.dcb.persistence import DCBMapper
from eventsourcing.utils import get_topic, resolve_topic

from eventsourcing_eventstore.json_decisions import decode, encode
from eventsourcing_eventstore.library import DCBEvent


class JSONMapper(DCBMapper[TDecision], Generic[TDecision]):
    """Stores a decision, which is a dataclass or a structure of msgspec, as a JSON object."""

    def to_dcb_event(self, event: Tagged[TDecision]) -> DCBEvent:
        topic = get_topic(type(event.decision))
        return DCBEvent(type=topic, data=encode(event.decision, topic), tags=event.tags)

    def to_domain_event(self, event: DCBEvent) -> Tagged[TDecision]:
        decision: TDecision = decode(event.data, resolve_topic(event.type), event.type)
        return Tagged(tags=event.tags, decision=decision)
