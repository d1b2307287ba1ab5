/*
 * Seats of shows with Express, on Node. Its argument is the URL of the server. In a project of your own:
 *   npm install express@5.3.0 zod@4.6.7 eventstore-client-0.1.0.tgz
 *   node express.js http://127.0.0.1:8085
 *   curl -d '{"show": "Hamlet", "seat": "A1", "guest": "Ada"}' -H 'content-type: application/json' \
 *     http://127.0.0.1:8091/bookings
 */
// deno-lint-ignore-file no-console

import { Conflict, ConnectionLost, EventStore, Unavailable } from "eventstore-client";
// @ts-ignore: this repository does not install it
import express from "express";
import process from "node:process";
import { z } from "zod";

const Name = z.string().min(1).max(100);
const Booking = z.object({ show: Name, seat: Name, guest: Name });

class SeatTaken extends Error {}

const [url = "http://127.0.0.1:8085", port = "8091"] = process.argv.slice(2);
/** @type {EventStore<{ SeatBooked: { guest: string } }>} */
const store = new EventStore({ url });
const app = express();
app.use(express.json());

app.post("/bookings", async (request, response) => {
  const { show, seat, guest } = Booking.parse(request.body);
  const taken = {
    query: { types: ["SeatBooked"], identifiers: { show, seat } },
    initial: "",
    apply: (_, event) => event.payload.guest,
  };
  await store.decide(taken, (taken) => {
    if (taken === guest) return; // the guest tries again after a lost answer
    if (taken) throw new SeatTaken(`seat ${seat} of ${show} is taken`);
    return { type: "SeatBooked", identifiers: { show, seat }, payload: { guest } };
  });
  response.status(201).json({ show, seat });
});

app.get("/shows/:show", async (request, response) => {
  const query = { types: ["SeatBooked"], identifiers: { show: request.params.show } };
  const seats = {};
  for await (const { identifiers, payload } of store.readAll(query)) seats[identifiers.seat] = payload.guest;
  response.json(seats);
});

/** Express knows by the fourth parameter that this is the handler of errors. */
app.use((error, _request, response, _next) => {
  const { message } = error;
  if (error instanceof SeatTaken) return response.status(409).json({ message });
  if (error instanceof z.ZodError) return response.status(400).json({ message });
  // The parser of bodies gives its errors a status.
  if (error.expose) return response.status(error.status).json({ message });
  // A conflict here means that other bookings were faster each time.
  if ([Conflict, ConnectionLost, Unavailable].some((one) => error instanceof one)) {
    return response.status(503).json({ message: "try again" });
  }
  console.error(error);
  response.status(500).json({ message: "failed" });
});

app.listen(Number(port), "127.0.0.1");
