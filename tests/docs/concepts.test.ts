import assert from "node:assert/strict";
import type { EventStore } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { FaultyTransport } from "../client/faulty_transport.ts";
import {
  listed,
  note,
  placeOf,
  type SchoolEvents,
  startTestServer,
  storeOf,
  storeOver,
} from "../client/support.ts";
import { inDirectory } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";

/* The comparison of the editions in docs/concepts.md. */

const EDITIONS = ["A", "B", "C"] as const;
type Edition = typeof EDITIONS[number];

const QUERY = { types: ["Noted" as const], identifiers: { about: "x" } };

/** The smallest decision: a read, and the write of an event. */
async function decide(store: EventStore<SchoolEvents>, edition: Edition): Promise<void> {
  const event = note("decided", { about: "x" });
  if (edition === "A") {
    await store.decide({ query: QUERY, initial: 0, apply: (count) => count + 1 }, () => event);
  } else {
    await store.transaction(async (tx) => {
      await tx.read(QUERY);
      await tx.append(event);
    });
  }
}

Deno.test("the smallest decision takes as many requests as the table says", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/concepts.md", import.meta.url));
  const row = /^\| Requests, at least +\| (\d) +\| (\d) +\| (\d) +\|$/m.exec(page);
  assert.ok(row, "the table has such a row");
  for (const [i, edition] of EDITIONS.entries()) {
    await using server = await startTestServer("tcp", { SERVICE_EDITION: edition });
    const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
    await decide(storeOver(transport, { edition }), edition);
    assert.equal(transport.requests.length, Number(row[i + 1]), edition);
  }
});

Deno.test("one store is served by each edition in turn, and a pause of one does not hold in another", async () => {
  await inDirectory(async (directory) => {
    const start = (edition: Edition) => startServer({ directory, env: { SERVICE_EDITION: edition } });
    for (const [i, edition] of [...EDITIONS, ...EDITIONS].entries()) {
      await using server = await start(edition);
      const store = storeOf(server, { edition });
      assert.equal((await listed(store.readAll(QUERY))).length, i);
      // Only a pause of this edition, from the first round, needs to end.
      const ownPause = edition !== "A" && i > EDITIONS.length;
      if (ownPause) assert.equal((await server.client().request("POST", "/resume")).status, 204);
      await decide(store, edition);
      if (edition !== "A") {
        const { status } = await server.client().request("POST", "/pause");
        assert.ok(status === 200 || status === 204, `${status}`);
      }
      assert.equal((await server.stop()).code, 0);
    }
  });
});
