"""
The names that tags and types have in the store. With the settings of this module, programs in other languages see
the identifier `course` and the type `CourseDefined`, not the tag `course:c1` and the topic `school:CourseDefined`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from eventsourcing.utils import Environment, TopicError, resolve_topic

from eventsourcing_eventstore.library import InfrastructureFactoryError, ProgrammingError
from eventsourcing_eventstore.wire import texts_in, values_of

TAG = "tag"
"""The name of the identifiers that hold tags without a name."""


@dataclass(frozen=True)
class Names:
    tag_separator: str = ""
    """Separates name and value of a tag. Without it, tags have no names."""
    type_modules: tuple[str, ...] = ()
    """Modules whose classes are types without the name of the module."""

    @classmethod
    def of_env(cls, env: Environment) -> Self:
        separator = env.get("EVENTSTORE_TAG_SEPARATOR") or ""
        if len(separator) > 1 or separator.isalnum():
            raise InfrastructureFactoryError(
                f"EVENTSTORE_TAG_SEPARATOR is not one character, such as ':' or '=': {separator!r}"
            )
        modules = [name.strip() for name in (env.get("EVENTSTORE_TYPE_MODULES") or "").split(",")]
        names = cls(separator, tuple(name for name in modules if name))
        for module in names.type_modules:
            try:
                resolve_topic(module)
            except TopicError as error:
                raise InfrastructureFactoryError(f"EVENTSTORE_TYPE_MODULES: {error}") from error
        return names

    def type_of(self, topic: str) -> str:
        """The type of a topic. Raises ProgrammingError if it would be read as another topic."""
        module, _, name = topic.partition(":")
        if not name or module not in self.type_modules:
            return topic
        found = self.topic_of(name)
        if found != topic:
            raise ProgrammingError(f"EVENTSTORE_TYPE_MODULES: {topic} and {found} would have the same type, {name}")
        return name

    def topic_of(self, type_: str) -> str:
        """The topic of a type. A type that no module has stays as it is."""
        if ":" not in type_:
            for module in self.type_modules:
                topic = f"{module}:{type_}"
                try:
                    resolve_topic(topic)
                except TopicError:
                    continue
                return topic
        return type_

    def identifier_of(self, tag: str) -> tuple[str, str]:
        """Name and value of the identifier for a tag."""
        if self.tag_separator:
            name, separator, value = tag.partition(self.tag_separator)
            if separator and name not in ("", TAG):
                return name, value
        return TAG, tag

    def identifiers_of(self, tags: Iterable[str]) -> dict[str, list[str]]:
        """The identifiers of an event. A repeated tag counts once."""
        identifiers: dict[str, list[str]] = {}
        for name, value in map(self.identifier_of, dict.fromkeys(texts_in(tags, "tags"))):
            identifiers.setdefault(name, []).append(value)
        return identifiers

    def tags_of(self, identifiers: Mapping[str, str | list[str]]) -> list[str]:
        """
        The tags of a stored event. Without a separator, identifiers with other names are omitted, and with one,
        those whose name contains it: only other programs write them.
        """
        tags: list[str] = []
        for name, value in identifiers.items():
            for each in values_of(value):
                tag = each if name == TAG else f"{name}{self.tag_separator}{each}"
                if self.identifier_of(tag) == (name, each):
                    tags.append(tag)
        return tags


PLAIN = Names()
"""Topics as they are, and tags without names."""
