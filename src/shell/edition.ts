import { EventStore, EventStoreError } from "../../client/mod.ts";
import { type Server, serverOf } from "../../client/server.ts";
import type { ServerAddress } from "./server_address.ts";

export type Edition = "A" | "B" | "C";

/** A path that only this edition has, for older servers. None of them supports GET, so the request changes nothing. */
const OWN_PATHS: readonly (readonly [Edition, string])[] = [["A", "/write"], ["B", "/tx"], ["C", "/begin"]];

const OK = 200;
const NOT_FOUND = 404;
const METHOD_NOT_ALLOWED = 405;

/** A server that has answered, and its edition. Payloads are texts, as they are stored. */
export interface Reached {
  readonly edition: Edition;
  readonly store: EventStore;
  readonly server: Server;
}

/** Asks the server once for its edition. An unreachable server is reported at once, before anything is written. */
export async function reach({ options }: ServerAddress, signal?: AbortSignal): Promise<Reached> {
  const edition = await editionOf(serverOf(options), signal);
  const known = { ...options, edition, payload: "text" } as const;
  return { edition, store: new EventStore(known), server: serverOf(known) };
}

async function editionOf(server: Server, signal: AbortSignal | undefined): Promise<Edition> {
  try {
    const { body, json } = await server.once({ method: "GET", path: "/whoami", signal });
    const said = json<{ readonly edition?: string }>(body).edition;
    const found = OWN_PATHS.find(([edition]) => edition === said);
    if (found !== undefined) return found[0];
  } catch (error) {
    // An older server does not know the path, and any other program answers in its own way.
    const { status } = error as Partial<EventStoreError>;
    if (![OK, NOT_FOUND, METHOD_NOT_ALLOWED].includes(status!)) throw error;
  }
  for (const [edition, path] of OWN_PATHS) {
    try {
      await server.once({ method: "GET", path, signal });
    } catch (error) {
      const { status } = error as Partial<EventStoreError>;
      if (status === METHOD_NOT_ALLOWED) return edition;
      if (status !== NOT_FOUND) throw error;
    }
  }
  throw new EventStoreError({ code: "NoEventStore", status: 0, message: "this is not an event store" });
}
