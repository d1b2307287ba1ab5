import {
  Conflict,
  EventStore,
  type NewEvent,
  type StoredEvent,
  type Transport,
  type TransportReply,
  type TransportRequest,
} from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { listed, placeOf, sharedTestServer, storeOf } from "../client/support.ts";

/** The server of the tests of all examples. */
export const server = sharedTestServer();

export const CLIENTS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 20 : 12;

/** Runs the work concurrently, in each call with another client. */
export async function race<Events extends object>(
  work: (store: EventStore<Events>, client: number) => Promise<void>,
): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(storeOf<Events>(server), client)));
}

/** Decides until no conflict stops the decision. @returns false if the rules reject it */
export async function isAllowed(
  ApiError: new () => Error,
  decide: () => Promise<unknown>,
): Promise<boolean> {
  for (;;) {
    try {
      await decide();
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      if (!(error instanceof Conflict)) throw error;
    }
  }
}

/** All events of the store, in order. */
export async function historyOf<Events extends object>(): Promise<StoredEvent<Events>[]> {
  return await listed(storeOf<Events>(server).readAll("*"));
}

/** Events in the form of the store, which were never written. */
export function inventedHistory<Events extends object>(...events: NewEvent<Events>[]): StoredEvent<Events>[] {
  return events.map((event, i) =>
    ({
      sequence: i + 1,
      time: "2026-11-20T19:07:36.048101Z",
      identifiers: {},
      metadata: {},
      ...event,
    }) as unknown as StoredEvent<Events>
  );
}

/** A client whose first write waits, after the client has decided. */
export function hesitating<Events extends object>(
  beforeWriting: () => Promise<void>,
  change: (body: string) => string = (body) => body,
): EventStore<Events> {
  const real = fetchTransport(placeOf(server.address).url!);
  let waiting: Promise<void> | undefined;
  const transport: Transport = {
    async send(request: TransportRequest): Promise<TransportReply> {
      if (request.path !== "/write") return await real.send(request);
      await (waiting ??= beforeWriting());
      return await real.send({ ...request, body: change(request.body!) });
    },
  };
  return new EventStore<Events>({ transport });
}

/** A client whose first write waits and that leaves out all conditions. The checks must notice its violations. */
export function careless<Events extends object>(
  beforeWriting: () => Promise<void>,
): EventStore<Events> {
  return hesitating(
    beforeWriting,
    (body) => JSON.stringify({ ...JSON.parse(body), conditions: [] }),
  );
}

/** Runs a decision of careless clients. All of them decide before the first one writes. */
export async function carelessRace<Events extends object>(
  work: (store: EventStore<Events>, client: number) => Promise<unknown>,
): Promise<void> {
  const { promise: allHaveDecided, resolve } = Promise.withResolvers<void>();
  let decided = 0;
  const beforeWriting = async (): Promise<void> => {
    if (++decided === CLIENTS) resolve();
    await allHaveDecided;
  };
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    await work(careless<Events>(beforeWriting), client);
  }));
}

/** The items in random order. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items.map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place).map(({ item }) => item);
}
