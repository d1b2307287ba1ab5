"""The applications of the pages, as they are shown, and with racing students."""

import importlib
import re
import sys
import tempfile
import threading
import unittest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from eventsourcing_eventstore.library import EVENTS_HAVE_METADATA
from eventsourcing_eventstore.plain import EventStore, QueryItem

from .support import UNIX_URL, StoreTestCase, request

PAGES = Path(__file__).resolve().parent.parent


def blocks_of(page: str) -> list[str]:
    """The Python blocks of a page. They use the server of the tests."""
    text = (PAGES / page).read_text().replace("unix:/run/service/service.sock", UNIX_URL)
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def import_text(name: str, text: str) -> Any:
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / f"{name}.py").write_text(text)
        sys.path.insert(0, directory)
        module = importlib.import_module(name)
        sys.path.remove(directory)
    return module


@unittest.skipIf(EVENTS_HAVE_METADATA, "the applications are written for 9.5")
class TestReadme(StoreTestCase):
    def test_application_and_view_run_as_they_are_shown(self) -> None:
        module, use, view = blocks_of("README.md")
        shop: Any = import_text("shop", module)
        with redirect_stdout(StringIO()) as printed:
            exec(use, {})
        self.assertEqual("['tea']\n", printed.getvalue())
        types = [each.event.type for each in self.recorder().read()]
        self.assertEqual(["shop:Order.Placed", "shop:Order.ItemAdded"], types)
        exec(view, {})
        self.assertEqual(b"1", request("GET", "/projections/totals/tea").body)
        self.assertEqual(b"3", request("GET", "/projections/totals/_tracking%2FShop").body)
        self.assertEqual("Shop", shop.Shop.name)


class TestPlainClient(StoreTestCase):
    def test_the_examples_run_as_they_are_shown(self) -> None:
        with_threads, with_tasks, traced = blocks_of("client.md")
        (shown,) = re.findall(r"^```text\n(.*?)^```$", (PAGES / "client.md").read_text(), re.DOTALL | re.MULTILINE)
        with redirect_stdout(StringIO()) as printed:
            exec(with_threads, {})
        self.assertEqual(shown, printed.getvalue())
        with redirect_stdout(StringIO()) as printed:
            exec(with_tasks, {"__name__": "example"})
        self.assertRegex(printed.getvalue(), r"^event 3 is in the way\n\[{'seats': 30}\] Position\(.*=3\)\n$")
        exec(traced, {})
        with EventStore(UNIX_URL) as store:
            (placed,) = store.read(QueryItem(["OrderPlaced"])).events
        self.assertEqual(({"order": "o1"}, {}), (placed.identifiers, placed.metadata))


class TestConsumers(StoreTestCase):
    def test_both_examples_run_as_they_are_shown(self) -> None:
        with_threads, with_tasks = blocks_of("consume.md")
        (shown,) = re.findall(r"^```text\n(.*?)^```$", (PAGES / "consume.md").read_text(), re.DOTALL | re.MULTILINE)
        with redirect_stdout(StringIO()) as printed:
            exec(with_threads, {})
        self.assertEqual(shown, printed.getvalue())
        with redirect_stdout(StringIO()) as printed:
            exec(with_tasks, {"__name__": "example"})
        self.assertEqual("2\n", printed.getvalue())


@unittest.skipIf(EVENTS_HAVE_METADATA, "the application is written for 9.5")
class TestApplication(StoreTestCase):
    enrolment: Any
    use: str

    @classmethod
    def setUpClass(cls) -> None:
        module, cls.use = blocks_of("dcb.md")
        cls.enrolment = import_text("enrolment", module)

    def test_it_runs_as_it_is_shown(self) -> None:
        exec(self.use, {})
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
