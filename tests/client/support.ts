import assert from "node:assert/strict";
import { EventStore, EventStoreError, type EventStoreOptions, type Transport } from "../../client/mod.ts";
import type { Address } from "../support/connection.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";

/** A school, as the literature has it. */
export interface SchoolEvents {
  CourseDefined: { capacity: number };
  StudentEnrolled: null;
  Noted: { text: string };
}

/** The address of a server as the client takes it. */
export function placeOf(address: Address): EventStoreOptions {
  if (address.transport === "unix") return { socketPath: address.path };
  return { url: `http://${address.hostname}:${address.port}` };
}

/** A client of a server. */
export function storeOf<Events extends object = SchoolEvents>(
  server: Pick<ServerProcess, "address">,
  options: EventStoreOptions = {},
): EventStore<Events> {
  return new EventStore<Events>({ ...placeOf(server.address), ...options });
}

/** A client over a transport of the test's own. */
export function storeOver<Events extends object = SchoolEvents>(
  transport: Transport,
  options: EventStoreOptions = {},
): EventStore<Events> {
  return new EventStore<Events>({ transport, ...options });
}

/** A server that can be reset. */
export async function startTestServer(
  listen: "tcp" | "unix" = "tcp",
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return await startServer({ listen, listenOnly: true, env: { SERVICE_DEV_MODE: "true", ...env } });
}

/** Everything that an iterator gives. */
export async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** An event of the type that only has a text. */
export function note(
  text: string,
  identifiers: Record<string, string> = {},
): { type: "Noted"; identifiers: Record<string, string>; payload: { text: string } } {
  return { type: "Noted", identifiers, payload: { text } };
}

/** The error of the client with which something fails. */
export async function failure(work: Promise<unknown>): Promise<EventStoreError> {
  const error = await work.then(() => undefined, (error) => error);
  assert.ok(error instanceof EventStoreError, String(error));
  return error;
}
