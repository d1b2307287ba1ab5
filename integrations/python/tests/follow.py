"""Prints the position of each event as it comes, as many as the command line says."""

import os
import sys
from itertools import islice

from eventsourcing_eventstore import EventStoreFactory

factory = EventStoreFactory(os.environ)
with factory.dcb_recorder().subscribe() as subscription:
    for each in islice(subscription, int(sys.argv[1])):
        print(each.position, flush=True)
factory.close()
