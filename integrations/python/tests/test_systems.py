"""Process applications on one store, with every runner of version 9.5 of the library."""

import unittest
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from eventsourcing_eventstore.library import EVENTS_HAVE_METADATA

if EVENTS_HAVE_METADATA:
    raise unittest.SkipTest("the applications are written for 9.5")

from eventsourcing.application import Application, ProcessingEvent
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import IntegrityError
from eventsourcing.system import (
    MultiThreadedRunner,
    NewMultiThreadedRunner,
    NewSingleThreadedRunner,
    ProcessApplication,
    Runner,
    SingleThreadedRunner,
    System,
)

from .support import UNIX_URL, StoreTestCase, eventually, reset

ENV = {"PERSISTENCE_MODULE": "eventsourcing_eventstore", "EVENTSTORE_URL": UNIX_URL}
ORDERS = 20


class Order(Aggregate):
    @event("Placed")
    def __init__(self, customer: str) -> None:
        self.customer = customer

    @event("Changed")
    def change(self, customer: str) -> None:
        self.customer = customer


class Bill(Aggregate):
    @event("Written")
    def __init__(self, order: str) -> None:
        self.order = order

    @classmethod
    def create_id(cls, order: str) -> UUID:
        """One bill for each order: a second one would be a conflict."""
        return uuid5(NAMESPACE_URL, f"/bills/{order}")


class Letter(Aggregate):
    @event("Sent")
    def __init__(self, bill: str) -> None:
        self.bill = bill


class Shop(Application[UUID]):
    def place(self, customer: str) -> UUID:
        order = Order(customer)
        self.save(order)
        return order.id


class Billing(ProcessApplication[UUID]):
    def policy(self, domain_event: Any, processing_event: ProcessingEvent[UUID]) -> None:
        if isinstance(domain_event, Order.Placed):  # type: ignore[attr-defined]
            processing_event.collect_events(Bill(str(domain_event.originator_id)))


class Mail(ProcessApplication[UUID]):
    def policy(self, domain_event: Any, processing_event: ProcessingEvent[UUID]) -> None:
        if isinstance(domain_event, Bill.Written):  # type: ignore[attr-defined]
            processing_event.collect_events(Letter(str(domain_event.originator_id)))


class TestSystems(StoreTestCase):
    def test_each_event_is_processed_once_also_after_a_restart(self) -> None:
        runners: list[type[Runner[UUID]]] = [
            SingleThreadedRunner,
            NewSingleThreadedRunner,
            MultiThreadedRunner,
            NewMultiThreadedRunner,
        ]
        for runner_class in runners:
            with self.subTest(runner_class.__name__):
                reset()
                for expected in (ORDERS, 2 * ORDERS):
                    self._place(runner_class(System(pipes=[[Shop, Billing, Mail]]), env=ENV), expected)

    def _place(self, runner: Runner[UUID], expected: int) -> None:
        runner.start()
        try:
            shop, billing, mail = runner.get(Shop), runner.get(Billing), runner.get(Mail)
            for number in range(ORDERS):
                shop.place(f"customer-{number}")
            last_order, last_bill = shop.recorder.max_notification_id(), None
            eventually(lambda: billing.recorder.has_tracking_id("Shop", last_order))
            last_bill = billing.recorder.max_notification_id()
            eventually(lambda: mail.recorder.has_tracking_id("Billing", last_bill))
            for app in (shop, billing, mail):
                self.assertEqual(expected, len(app.recorder.select_notifications(None, 1000)))
        finally:
            runner.stop()

    def test_two_processes_that_save_the_same_aggregate(self) -> None:
        with Shop(ENV) as one, Shop(ENV) as other:
            id_ = one.place("Ada")
            first: Order = one.repository.get(id_)
            second: Order = other.repository.get(id_)
            first.change("Grace")
            second.change("Edsger")
            one.save(first)
            with self.assertRaises(IntegrityError):
                other.save(second)
            kept: Order = other.repository.get(id_)
            self.assertEqual("Grace", kept.customer)
