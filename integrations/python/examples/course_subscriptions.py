"""
The decisions of examples/course_subscriptions.ts in Python, on the same events. Both programs may work on one store at
the same time, and no course gets too many students. For version 9.5 of the library:

    EVENTSTORE_URL=http://127.0.0.1:8085 python course_subscriptions.py c1 Ada Grace Edsger
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from eventsourcing.dcb.application import DCBApplication
from eventsourcing.dcb.domain import Decision, Selector, Tagged
from eventsourcing.persistence import IntegrityError

COURSES_PER_STUDENT = 5


@dataclass
class CourseDefined(Decision):
    capacity: int


@dataclass
class CapacityChanged(Decision):
    capacity: int


@dataclass
class StudentSubscribed(Decision):
    pass


class RuleBroken(Exception):
    """An action that the rules do not allow."""


class Courses(DCBApplication):
    env = {
        "PERSISTENCE_MODULE": "eventsourcing_eventstore",
        "MAPPER_TOPIC": "eventsourcing_eventstore.json_mapper:JSONMapper",
        "EVENTSTORE_TAG_SEPARATOR": ":",
        "EVENTSTORE_TYPE_MODULES": __name__,
    }

    def define(self, course: str, capacity: int) -> None:
        boundary = Selector(types=[CourseDefined], tags=[f"course:{course}"])
        known = self.events.read(boundary)
        if list(known):
            raise RuleBroken("the course is there already")
        event = Tagged(tags=[f"course:{course}"], decision=CourseDefined(capacity))
        self.events.append([event], boundary, after=known.head)

    def subscribe(self, course: str, student: str) -> None:
        while True:
            try:
                return self._subscribe(f"course:{course}", f"student:{student}")
            except IntegrityError:
                pass  # A relevant event came in between: decide again.

    def _subscribe(self, course: str, student: str) -> None:
        boundary = [
            Selector(types=[CourseDefined, CapacityChanged, StudentSubscribed], tags=[course]),
            Selector(types=[StudentSubscribed], tags=[student]),
        ]
        known = self.events.read(boundary)
        capacity: int | None = None
        taken, courses = 0, list[Sequence[str]]()
        for event in known:
            if isinstance(event.decision, CourseDefined | CapacityChanged):
                capacity = event.decision.capacity
            if isinstance(event.decision, StudentSubscribed):
                taken += course in event.tags
                if student in event.tags:
                    courses.append(event.tags)
        if capacity is None:
            raise RuleBroken("there is no such course")
        if any(course in tags for tags in courses):
            raise RuleBroken("the student is in the course already")
        if len(courses) >= COURSES_PER_STUDENT:
            raise RuleBroken("the student has enough courses")
        if taken >= capacity:
            raise RuleBroken("the course is full")
        event = Tagged(tags=[course, student], decision=StudentSubscribed())
        self.events.append([event], boundary, after=known.head)


def main(course: str, students: Sequence[str]) -> None:
    with Courses() as app:
        for student in students:
            try:
                app.subscribe(course, student)
                print(f"{student} has a seat")
            except RuleBroken as error:
                print(f"{student}: {error}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
