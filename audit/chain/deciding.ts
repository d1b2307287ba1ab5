import type { EventOf } from "../../client/mod.ts";
import { type ChainClient, type Load, wantedOf } from "./clients.ts";
import { type ChainEvents, NOTHING, type Saw, seatsOf, withEvent } from "./seats.ts";

/** Takes or frees seats of a show, in edition A. */
export async function decideSeats(client: ChainClient, load: Load): Promise<void> {
  const { random, store } = client;
  const label = client.nextLabel();
  const show = random.pick(load.shows);
  const wanted = wantedOf(random, show, label);
  await client.record(load, { label, operation: "decide", events: undefined }, async () => {
    let saw: Saw = NOTHING;
    const { events, position } = await store.decide(seatsOf(show), (seats) => {
      saw = seats;
      return wanted(seats);
    });
    if (events.length === 0) return { kind: "declined", at: position, topic: show, saw };
    return { kind: "done", storeId: position.storeId, events };
  });
}

/** Takes or frees seats in a transaction of edition B or C. */
export async function transactSeats(client: ChainClient, load: Load): Promise<void> {
  const { random, store } = client;
  const label = client.nextLabel();
  const show = random.pick(load.shows);
  const wanted = wantedOf(random, show, label);
  await client.record(load, { label, operation: "transact", events: undefined }, async () => {
    const [isWriting, saw] = await store.transaction(async (tx) => {
      const read = await tx.read({ identifiers: { show } });
      const saw = (read as EventOf<ChainEvents, number>[]).reduce(
        (saw, { type, sequence, metadata }) =>
          withEvent(saw, { type, sequence, mark: String(metadata["mark"]) }),
        NOTHING,
      );
      const events = wanted(saw);
      if (events !== undefined) await tx.append(events);
      return [events !== undefined, saw] as const;
    });
    if (!isWriting) return { kind: "declined", at: undefined, topic: show, saw };
    return { kind: "done", storeId: undefined, events: undefined };
  });
}
