import assert from "node:assert/strict";
import { EventStore, type NewEvent } from "eventstore-client";
import { Shell } from "../../shell/shell_address.ts";
import { eventually } from "../../support/eventually.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { tcpUrlOf } from "../support/tcp_url.ts";
import type { PythonEnvironment } from "./python_environment.ts";

/* Processes in TypeScript and in Python share the consumer `c`: its records are the same in both languages. */

const KEYS = 20;
const EACH = 15;
const LEASE_SECONDS = 1;

/** Does the same as the process in Python. */
function consumeHere(store: EventStore): AsyncDisposable {
  const end = new AbortController();
  const running = store.consume("c", {
    query: { types: ["Noted"] },
    by: "key",
    async handle({ sequence, identifiers }) {
      const id = String(identifiers["key"]);
      const found = await store.projections.get<number>("count", id);
      await new Promise((resolve) => setTimeout(resolve, 20 * Math.random()));
      const count = { type: "count", id, payload: (found?.payload ?? 0) + 1 };
      return {
        events: {
          type: "Done",
          identifiers,
          metadata: { of: String(sequence), by: "typescript" },
          payload: null,
        },
        projections: found ? { replace: [{ ...count, version: found.version }] } : { create: [count] },
      };
    },
  }, {
    leaseSeconds: LEASE_SECONDS,
    signal: end.signal,
  });
  const ended = running.catch((error) => assert.equal(error, end.signal.reason));
  return {
    async [Symbol.asyncDispose]() {
      end.abort(new Error("the test ends it"));
      await ended;
    },
  };
}

function consumeInPython(environment: PythonEnvironment, server: ServerProcess): Deno.ChildProcess {
  return new Deno.Command(environment.python, {
    args: ["-m", "tests.consumer_process", tcpUrlOf(server), String(LEASE_SECONDS), "0.02"],
    cwd: environment.directory,
    env: environment.variables("9.5"),
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}

/** Processes in both languages handle the events of one consumer, also when one of them, or the server, is killed. */
export async function shareConsumer(environment: PythonEnvironment): Promise<void> {
  await using server = await startServer({ listen: "tcp", listenOnly: true });
  assert.ok(server.address.transport === "tcp");
  const store = new EventStore({ url: tcpUrlOf(server) });
  const shell = new Shell(server.address);
  const members = async (count: number): Promise<void> =>
    await eventually(
      async () => assert.match(await shell.prints(["consumers"]), new RegExp(`\\s${count}  c\n$`)),
      60,
    );
  const counts = async (least: number): Promise<void> => {
    const { events } = await store.read({ types: ["Done"] }, { limit: 1000 });
    assert.ok(events.length >= least, `${events.length}`);
  };
  await using _here = consumeHere(store);
  await using killed = consumeInPython(environment, server);
  await members(2);
  const notes: NewEvent[] = Array.from({ length: KEYS * EACH }, (_, n) => ({
    type: "Noted",
    identifiers: { key: `k${n % KEYS}` },
    payload: null,
  }));
  for (let at = 0; at < notes.length; at += 100) await store.append(notes.slice(at, at + 100));
  await eventually(() => counts(50), 60);
  killed.kill("SIGKILL");
  await using stopped = consumeInPython(environment, server);
  // The keys of the killed process wait for the end of its lease.
  await eventually(() => counts(100), 60);
  await server.kill();
  await server.start();
  await eventually(() => counts(notes.length), 60);
  const { events } = await store.read({ types: ["Done"] }, { limit: 1000 });
  for (let key = 0; key < KEYS; key++) {
    const own = events.filter(({ identifiers }) => identifiers["key"] === `k${key}`);
    const { events: noted } = await store.read({ types: ["Noted"], identifiers: { key: `k${key}` } });
    assert.equal(noted.length, EACH);
    const wanted = noted.map(({ sequence }) => String(sequence));
    assert.deepEqual(own.map(({ metadata }) => metadata["of"]), wanted);
    assert.equal((await store.projections.get("count", `k${key}`))?.payload, EACH);
  }
  assert.deepEqual([...new Set(events.map(({ metadata }) => metadata["by"]))].sort(), [
    "python",
    "typescript",
  ]);
  // Either of the others has taken over from the killed process, and deleted its record.
  await members(2);
  stopped.kill("SIGTERM");
  assert.equal((await stopped.status).code, 0);
  await members(1);
}
