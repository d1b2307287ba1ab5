import assert from "node:assert/strict";
import {
  ConnectionLost,
  EventStore,
  EventStoreError,
  type EventStoreOptions,
  type Transport,
} from "../../client/mod.ts";
import { memoryServer } from "./testing/memory_server.ts";
import type { Address } from "../support/connection.ts";
import { type ServerProcess, sharedServer, startServer } from "../support/server_process.ts";

/** The events of a school, the usual example in the literature. */
export interface SchoolEvents {
  CourseDefined: { capacity: number };
  StudentEnrolled: null;
  Noted: { text: string };
}

/** The address of a server in the form that the client takes. */
export function placeOf(address: Address): EventStoreOptions {
  if (address.transport === "unix") return { socketPath: address.path };
  return { url: `http://${address.hostname}:${address.port}` };
}

/** Creates a client of a server. */
export function storeOf<Events extends object = SchoolEvents>(
  server: Pick<ServerProcess, "address">,
  options: EventStoreOptions = {},
): EventStore<Events> {
  return new EventStore<Events>({ ...placeOf(server.address), ...options });
}

/** Creates a client that uses a transport of the test. */
export function storeOver<Events extends object = SchoolEvents>(
  transport: Transport,
  options: EventStoreOptions = {},
): EventStore<Events> {
  return new EventStore<Events>({ transport, ...options });
}

/** Starts a server that can be reset. */
export async function startTestServer(
  listen: "tcp" | "unix" = "tcp",
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return await startServer({ listen, listenOnly: true, env: { SERVICE_DEV_MODE: "true", ...env } });
}

/** True when the tests run on the store in memory. It has no process to kill, no `GET /debug`, and only edition A. */
export const IN_MEMORY = Deno.env.get("EVENTSTORE_TEST_STORE") === "memory";

/** A server that all tests of a file share. It is empty at the beginning of each test. */
export function sharedTestServer(
  listen: "tcp" | "unix" = "tcp",
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  if (IN_MEMORY) return memoryServer(env) as ServerProcess;
  return sharedServer({ listen, listenOnly: true, env });
}

/** Collects all values of an iterator. */
export async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** An event whose payload is only a text. */
export function note(
  text: string,
  identifiers: Record<string, string> = {},
): { type: "Noted"; identifiers: Record<string, string>; payload: { text: string } } {
  return { type: "Noted", identifiers, payload: { text } };
}

/** Waits until the work fails, and returns the error of the client. */
export async function failure(work: Promise<unknown>): Promise<EventStoreError> {
  const error = await work.then(() => undefined, (error) => error);
  assert.ok(error instanceof EventStoreError, String(error));
  return error;
}

/** Waits until the work fails with a lost connection, and returns that error. */
export async function lost(work: Promise<unknown>): Promise<ConnectionLost> {
  const error = await work.then((value) => value, (error) => error);
  assert.ok(error instanceof ConnectionLost, String(error));
  return error;
}
