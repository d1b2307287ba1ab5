import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import type { Handler } from "../../../src/http/exchange.ts";
import { type Client } from "../../support/client.ts";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { startServer } from "../../support/server_process.ts";
import { seededRandom } from "../../support/test_seed.ts";
import { BODY_BYTES, type Departure, DEPARTURES, LeavingClient } from "./support/departures.ts";
import { KINDS, type Listening, listening } from "./support/listening.ts";
import { randomCuts, requestBytes, textBody, within } from "./support/requests.ts";

/** The task `campaign:leaving` runs more rounds. */
const ROUNDS = Number(
  Deno.env.get("LEAVING_ROUNDS") ?? (Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 4 : 2),
);
const SEED = Number(Deno.env.get("TEST_SEED") ?? 1);
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** Resolves when a request has arrived, and when its handler has noticed that the client disconnected. */
interface Watched {
  readonly arrived: PromiseWithResolvers<number>;
  readonly left: PromiseWithResolvers<void>;
}

/** `waiting` handlers listen for the disconnection of the client; `running` ones check for it now and then. */
function watchingHandler(watched: Map<string, Watched>): Handler {
  return async (request) => {
    const [, state, id] = request.target.split("/");
    if (state === "health") return textBody(200, "ok");
    const { arrived, left } = watched.get(id!)!;
    const body = await request.body(BODY_BYTES_MAX);
    arrived.resolve(body.length);
    if (state === "waiting") request.disconnected.addEventListener("abort", () => left.resolve());
    else await eventually(() => assert.ok(request.disconnected.aborted)).then(left.resolve, left.reject);
    await left.promise;
    return textBody(200, "nobody reads this");
  };
}

async function leaveOnce(
  { address }: Listening,
  watched: Map<string, Watched>,
  state: string,
  how: Departure,
  bodyBytes: number,
  random: (below: number) => number,
): Promise<void> {
  const id = String(watched.size);
  const seen = { arrived: Promise.withResolvers<number>(), left: Promise.withResolvers<void>() };
  watched.set(id, seen);
  using client = await LeavingClient.open(address, how);
  const request = requestBytes("POST", `/${state}/${id}`, new Uint8Array(bodyBytes));
  await client.sendSplit(request, randomCuts(request.length, 6, random));
  assert.equal(await within(10, seen.arrived.promise, "the request arrives"), bodyBytes);
  await client.leave();
  await within(3, seen.left.promise, "the client is seen leaving");
}

for (const kind of KINDS) {
  Deno.test(`every client that disconnects is noticed, whatever its body, state and way of closing (${kind})`, async () => {
    const watched = new Map<string, Watched>();
    await using server = listening(kind, watchingHandler(watched));
    const random = seededRandom(SEED);
    const unseen: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const state of ["waiting", "running"]) {
        for (const how of DEPARTURES) {
          for (const bodyBytes of BODY_BYTES) {
            await leaveOnce(server, watched, state, how, bodyBytes, random).catch((error) =>
              unseen.push(`${state}, ${how}, ${bodyBytes} bytes: ${error.message}`)
            );
          }
        }
      }
    }
    assert.deepEqual(unseen, []);
  });

  Deno.test(`a client that disconnects within its body is gone for the handler (${kind})`, async () => {
    const failures: unknown[] = [];
    await using server = listening(kind, async (request) => {
      try {
        await request.body(BODY_BYTES_MAX);
      } catch (error) {
        failures.push((error as Error).name);
        throw error;
      }
      return textBody(200, "");
    });
    for (const how of ["FIN", "half-close"] as const) {
      for (const bodyBytes of BODY_BYTES.slice(1)) {
        using connection = await Connection.open(server.address);
        const request = requestBytes("POST", "/", new Uint8Array(bodyBytes));
        await connection.send(request.subarray(0, request.length - 1));
        if (how === "FIN") connection.close();
        else await connection.closeWrite();
        if (how === "half-close") assert.ok(await connection.atEnd(), "closed without an answer");
      }
    }
    await eventually(() => assert.equal(failures.length, 8));
    assert.deepEqual(new Set(failures), new Set(["ClientDisconnected"]));
  });

  Deno.test(`a late check still shows that the client has disconnected (${kind})`, async () => {
    const told = Promise.withResolvers<boolean>();
    await using server = listening(kind, async (request) => {
      await request.body(BODY_BYTES_MAX);
      await pause(200);
      told.resolve(request.disconnected.aborted);
      return textBody(200, "");
    });
    using client = await LeavingClient.open(server.address, "FIN");
    await client.sendSplit(requestBytes("POST", "/", "body"), []);
    await pause(50);
    await client.leave();
    assert.equal(await told.promise, true);
  });

  Deno.test(`a client that stays is not taken for one that disconnected (${kind})`, async () => {
    let aborted = 0;
    await using server = listening(kind, async (request) => {
      request.disconnected.addEventListener("abort", () => aborted++);
      const body = await request.body(BODY_BYTES_MAX);
      await delay(20);
      return textBody(200, String(body.length));
    });
    using connection = await Connection.open(server.address);
    const random = seededRandom(SEED);
    for (const bodyBytes of BODY_BYTES) {
      const request = requestBytes("POST", "/", new Uint8Array(bodyBytes));
      const cut = random(request.length);
      await connection.send(request.subarray(0, cut));
      await connection.send(request.subarray(cut));
      assert.equal((await connection.readReply("POST")).text, String(bodyBytes));
    }
    assert.equal(aborted, 0);
  });
}

/** A write of exactly this number of bytes: JSON allows trailing spaces. An empty write deletes projections. */
function writeOf(client: Client, payload: string, bodyBytes: number): Uint8Array {
  if (bodyBytes === 0) return client.bytesOf("DELETE", "/projections/kept");
  const body = JSON.stringify({ events: [{ type: "t", payload }] }).padEnd(bodyBytes);
  assert.equal(body.length, bodyBytes);
  return client.bytesOf("POST", "/write", { body });
}

for (const kind of KINDS) {
  Deno.test(`a write whose client disconnects while it waits writes nothing (${kind})`, async () => {
    await using server = await startServer({ listen: kind });
    const client = server.client();
    const create = [{ type: "kept", id: "1", payload: "" }];
    assert.equal((await client.write({ projections: { create } })).status, 200);
    const random = seededRandom(SEED);
    for (const how of DEPARTURES) {
      using held = holdWriteLock(server);
      const active = client.append({ type: "t", payload: "active" });
      await waitForQueue(client, 0);
      using leaving = new DisposableStack();
      const all = await Promise.all(BODY_BYTES.map(async (bodyBytes) => {
        const one = leaving.use(await LeavingClient.open(server.address, how));
        const request = writeOf(client, "left", bodyBytes);
        await one.sendSplit(request, randomCuts(request.length, 4, random));
        return one;
      }));
      await waitForQueue(client, all.length);
      for (const one of all) await one.leave();
      await waitForQueue(client, 0);
      held.release();
      await active;
    }
    const { events } = await client.queryEvents();
    assert.deepEqual(events.map(({ payload }) => payload), ["active", "active", "active"]);
    assert.equal((await client.request("GET", "/projections/kept/1")).status, 200);
  });

  Deno.test(`a write whose client disconnects while it runs is written (${kind})`, async () => {
    await using server = await startServer({ listen: kind });
    const client = server.client();
    const random = seededRandom(SEED);
    const expected: string[] = [];
    for (const how of DEPARTURES) {
      for (const bodyBytes of BODY_BYTES.slice(1)) {
        using held = holdWriteLock(server);
        using leaving = await LeavingClient.open(server.address, how);
        const payload = `${how} ${bodyBytes}`;
        const request = writeOf(client, payload, bodyBytes);
        await leaving.sendSplit(request, randomCuts(request.length, 4, random));
        await waitForQueue(client, 0);
        await leaving.leave();
        held.release();
        expected.push(payload);
        await eventually(async () => {
          assert.equal((await client.queryEvents()).events.length, expected.length);
        });
      }
    }
    assert.deepEqual((await client.queryEvents()).events.map(({ payload }) => payload), expected);
  });
}
