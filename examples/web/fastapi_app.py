"""Seats of shows with FastAPI. The variable EVENTSTORE_URL has the URL of the server, or unix: and its socket.

pip install fastapi uvicorn && pip install --no-deps ./integrations/python
uvicorn --app-dir examples/web fastapi_app:app --port 8092
curl -d '{"show": "Hamlet", "seat": "A1", "guest": "Ada"}' -H 'content-type: application/json' \
  http://127.0.0.1:8092/bookings
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from os import environ
from typing import Annotated

from eventsourcing_eventstore.plain import (
    AsyncEventStore,
    Conflict,
    Event,
    NewEvent,
    OperationalError,
    QueryItem,
)
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

Name = Annotated[str, Field(min_length=1, max_length=100)]


class Booking(BaseModel):
    show: Name
    seat: Name
    guest: Name


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with AsyncEventStore(environ.get("EVENTSTORE_URL", "http://127.0.0.1:8085")) as store:
        app.state.store = store
        yield


app = FastAPI(lifespan=lifespan)


def store_of(request: Request) -> AsyncEventStore:
    store: AsyncEventStore = request.app.state.store
    return store


@app.post("/bookings", status_code=201)
async def book(booking: Booking, request: Request) -> dict[str, str]:
    tags = {"show": booking.show, "seat": booking.seat}

    def decide(events: Sequence[Event]) -> NewEvent | None:
        for event in events:
            if event.payload["guest"] != booking.guest:
                raise HTTPException(409, f"seat {booking.seat} of {booking.show} is taken")
            return None  # the guest tries again after a lost answer
        return NewEvent("SeatBooked", {"guest": booking.guest}, tags)

    await store_of(request).decide(QueryItem(types=["SeatBooked"], identifiers=tags), decide)
    return tags


@app.get("/shows/{show}")
async def seats(show: str, request: Request) -> dict[str, str]:
    query = QueryItem(types=["SeatBooked"], identifiers={"show": show})
    return {
        str(event.identifiers["seat"]): event.payload["guest"]
        async for event in store_of(request).read_all(query)
    }


@app.exception_handler(OperationalError)
@app.exception_handler(Conflict)
async def try_again(_request: Request, _error: Exception) -> JSONResponse:
    # A conflict here means that other bookings were faster each time.
    return JSONResponse({"message": "try again"}, 503)
