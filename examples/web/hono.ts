/*
 * Seats of shows with Hono, and a page that shows each booking as it happens, by server-sent events. Start it with
 * `npx --yes deno@2.9.6 task example examples/web/hono.ts`, open http://127.0.0.1:8090, and book a seat twice.
 */
// deno-lint-ignore-file no-console

import { Conflict, ConnectionLost, EventStore, type Identified, Unavailable } from "eventstore-client";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";

interface Events {
  SeatBooked: Identified<{ guest: string }, "show" | "seat">;
}
const Name = z.string().min(1).max(100);
const Booking = z.object({ show: Name, seat: Name, guest: Name });
/** A position in the store. A browser sends that of the last booking that it has got. */
const Position = z.object({ storeId: z.string(), sequence: z.int().nonnegative() });

const booked = { types: ["SeatBooked"] } as const;

class SeatTaken extends Error {}

export function web(store: EventStore<Events>): Hono {
  const app = new Hono();
  app.get("/", (context) => context.html(PAGE));
  app.post("/bookings", async (context) => {
    const { show, seat, guest } = Booking.parse(await context.req.json());
    const query = { ...booked, identifiers: { show, seat } };
    await store.decide({ query, initial: "", apply: (_, event) => event.payload.guest }, (taken) => {
      if (taken === guest) return; // the guest tries again after a lost answer
      if (taken) throw new SeatTaken(`seat ${seat} of ${show} is taken`);
      return { type: "SeatBooked", identifiers: { show, seat }, payload: { guest } };
    });
    return context.json({ show, seat }, 201);
  });
  app.get("/live", (context) => {
    const last = context.req.header("last-event-id");
    const from = last === undefined ? undefined : Position.parse(JSON.parse(last));
    return streamSSE(context, async (stream) => {
      const end = new AbortController();
      stream.onAbort(() => end.abort());
      const options = { from, signal: end.signal, onReset: "restart" } as const;
      try {
        for await (const { events, checkpoint: { storeId }, isReset } of store.follow(booked, options)) {
          if (isReset) await stream.writeSSE({ event: "reset", data: "" });
          for (const { sequence, identifiers: { show, seat } } of events) {
            const id = JSON.stringify({ storeId, sequence });
            await stream.writeSSE({ id, data: JSON.stringify({ show, seat }) });
          }
        }
      } catch (error) {
        // The browser has left. After any other error it connects again, and continues after its last event.
        if (!end.signal.aborted) console.error(error);
      }
    });
  });
  app.onError((error, context) => {
    const { message } = error;
    if (error instanceof SeatTaken) return context.json({ message }, 409);
    if (error instanceof z.ZodError || error instanceof SyntaxError) return context.json({ message }, 400);
    // A conflict here means that other bookings were faster each time.
    const passing = [Conflict, ConnectionLost, Unavailable].some((one) => error instanceof one);
    if (!passing) console.error(error);
    return passing ? context.json({ message: "try again" }, 503) : context.json({ message: "failed" }, 500);
  });
  return app;
}

const PAGE = `<!doctype html>
<title>Seats</title>
<h1>Bookings</h1>
<form><input name="show" value="Hamlet"><input name="seat" value="A1"><input name="guest" value="Ada">
<button>Book</button></form><p role="status"></p><ul></ul>
<script type="module">
  const [form, said, list] = ["form", "p", "ul"].map((name) => document.querySelector(name));
  const live = new EventSource("/live");
  live.addEventListener("reset", () => list.replaceChildren());
  live.onmessage = ({ data }) => {
    const { show, seat } = JSON.parse(data);
    list.append(Object.assign(document.createElement("li"), { textContent: show + " " + seat }));
  };
  form.onsubmit = async (event) => {
    event.preventDefault();
    const body = JSON.stringify(Object.fromEntries(new FormData(form)));
    const answer = await fetch("/bookings", { method: "POST", body });
    said.textContent = answer.ok ? "booked" : (await answer.json()).message;
  };
</script>`;

if (import.meta.main) {
  const store = new EventStore<Events>({ url: Deno.args[0] ?? "http://127.0.0.1:8085" });
  Deno.serve({ port: Number(Deno.args[1] ?? 8090), hostname: "127.0.0.1" }, web(store).fetch);
}
