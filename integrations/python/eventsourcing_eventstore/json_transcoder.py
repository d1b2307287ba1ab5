"""
A transcoder for decisions of version 10, named by
`TRANSCODER_TOPIC=eventsourcing_eventstore.json_transcoder:JSONTranscoder`. Version 9.5 has mappers instead:
json_mapper.py.
"""

from typing import Any

from eventsourcing.persistence import Transcoder
from eventsourcing.utils import get_topic

from eventsourcing_eventstore.json_decisions import decode, encode


class JSONTranscoder(Transcoder):
    """Stores a decision, which is a dataclass or a structure of msgspec, as a JSON object."""

    def encode(self, decision: Any) -> bytes:
        return encode(decision, get_topic(type(decision)))

    def decode(self, data: bytes, decision_class: type[Any]) -> Any:  # type: ignore[override]
        return decode(data, decision_class, get_topic(decision_class))
