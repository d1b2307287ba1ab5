"""The application of the README, with racing students."""

import importlib
import re
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from eventsourcing_eventstore.library import EVENTS_HAVE_METADATA

from .support import UNIX_URL, StoreTestCase

README = Path(__file__).resolve().parent.parent / "README.md"


@unittest.skipIf(EVENTS_HAVE_METADATA, "the application is written for 9.5")
class TestApplication(StoreTestCase):
    enrolment: Any
    use: str

    @classmethod
    def setUpClass(cls) -> None:
        module, cls.use = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "enrolment.py").write_text(module)
            sys.path.insert(0, directory)
            cls.enrolment = importlib.import_module("enrolment")
            sys.path.remove(directory)

    def test_it_runs_as_it_is_shown(self) -> None:
        exec(self.use.replace("unix:/run/service/service.sock", UNIX_URL), {})
        types = [each.event.type for each in self.recorder().read()]
        self.assertEqual(["enrolment:CourseDefined", "enrolment:StudentEnrolled"], types)

    def test_no_seat_is_given_twice_and_none_stays_free(self) -> None:
        rejected: list[str] = []
        with self.enrolment.Enrolment({"EVENTSTORE_URL": UNIX_URL}) as app:
            app.define_course("course-1", seats=7)

            def enrol(student: str) -> None:
                try:
                    app.enrol("course-1", student)
                except self.enrolment.CourseFull:
                    rejected.append(student)

            threads = [threading.Thread(target=enrol, args=(f"student-{n}",)) for n in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(13, len(rejected))
        self.assertEqual(8, self.recorder().head())
