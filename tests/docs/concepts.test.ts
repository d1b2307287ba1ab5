import assert from "node:assert/strict";
import type { EventStore } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { FaultyTransport } from "../client/faulty_transport.ts";
import { listed, note, placeOf, type SchoolEvents, storeOf, storeOver } from "../client/support.ts";
import { inDirectory } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";

/* The comparison of the editions in docs/concepts.md. */

type Edition = "A" | "B" | "C";

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

Deno.test("one store is served by each edition in turn, a pause holds in its own, and a decision takes as many requests as the table says", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/concepts.md", import.meta.url));
  const row = /^\| Requests, at least +\| (\d) +\| (\d) +\| (\d) +\|$/m.exec(page);
  assert.ok(row, "the table has such a row");
  const paused = new Set<Edition>();
  await inDirectory(async (directory) => {
    for (const [i, edition] of (["B", "C", "A", "B", "C"] as const).entries()) {
      await using server = await startServer({
        directory,
        listenOnly: true,
        env: { SERVICE_EDITION: edition },
      });
      assert.equal((await listed(storeOf(server, { edition }).readAll(QUERY))).length, i);
      // Only a pause of this edition needs to end.
      if (paused.has(edition)) {
        assert.equal((await server.client().request("POST", "/resume")).status, 204);
      }
      const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
      await decide(storeOver(transport, { edition }), edition);
      assert.equal(transport.requests.length, Number(row["ABC".indexOf(edition) + 1]), edition);
      if (edition !== "A") {
        const { status } = await server.client().request("POST", "/pause");
        assert.ok(status === 200 || status === 204, `${status}`);
        paused.add(edition);
      }
      assert.equal((await server.stop()).code, 0);
    }
  });
});
