"""Prints the position of each new event. The command line gives the number of events."""

import os
import sys
from itertools import islice

from eventsourcing_eventstore import EventStoreFactory

factory = EventStoreFactory(os.environ)
with factory.dcb_recorder().subscribe() as subscription:
    for each in islice(subscription, int(sys.argv[1])):
        print(each.position, flush=True)
factory.close()
