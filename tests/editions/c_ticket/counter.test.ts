import assert from "node:assert/strict";
import { Connection } from "../../support/connection.ts";
import { expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { rounds } from "../../support/rounds.ts";
import {
  begin,
  createProjection,
  ends,
  event,
  sequencesOf,
  startEditionC,
  type Transaction,
} from "./client.ts";

const CLIENTS = 16;
const COMMITS = rounds(10, 60);

/** The number of expiries. It is small because every other client waits for each timeout. */
const EXPIRIES = rounds(3, 20);

/** The ways in which a transaction ends after it has counted. */
type Ending = "commit" | "rollback" | "leave" | "expire";

/** Reads the counter, adds one, and appends the event of the new number. */
async function count(transaction: Transaction): Promise<void> {
  const read = expectStatus(await transaction.get("counter", "all"), 200);
  const next = Number(read.text) + 1;
  const version = read.headers.get("x-service-version");
  const replace = [{ type: "counter", id: "all", version, payload: String(next) }];
  expectStatus(await transaction.change({ replace }), 200);
  // The sequence is final before the commit. Rolled-back transactions that counted to this number had the same one.
  assert.deepEqual(sequencesOf(await transaction.append([event("Counted", String(next))])), [next]);
}

async function end(server: ServerProcess, transaction: Transaction, ending: Ending): Promise<void> {
  switch (ending) {
    case "commit":
      return void expectStatus(await transaction.commit(), 204);
    case "rollback":
      return void expectStatus(await transaction.rollback(), 204);
    case "leave": {
      using connection = await Connection.open(server.address);
      const call = transaction.bytesOf("POST", "/events", { json: { events: [event("lost")] } });
      return await connection.send(call.subarray(0, -1));
    }
    case "expire":
      // The client sends no further call.
  }
}

Deno.test(`${CLIENTS} clients that count up to ${CLIENTS * COMMITS} together, some rolled back, gone or expired in between, lose no count`, async () => {
  await using server = await startEditionC({ SERVICE_TRANSACTION_TIMEOUT: "1" });
  const client = server.client();
  await createProjection(client, "counter", "all", "0");
  const ended: Record<Ending, number> = { commit: 1, rollback: 0, leave: 0, expire: 0 };

  let begun = 0;
  const draw = (): Ending => {
    if (++begun % 40 === 20 && ended.expire < EXPIRIES) return "expire";
    const drawn = Math.random();
    return drawn < 0.1 ? "rollback" : drawn < 0.2 ? "leave" : "commit";
  };
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    for (let commits = 0; commits < COMMITS;) {
      const transaction = await begin(client);
      await count(transaction);
      const ending = draw();
      await end(server, transaction, ending);
      ended[ending]++;
      if (ending === "commit") commits++;
    }
  }));

  const total = CLIENTS * COMMITS;
  assert.equal((await client.request("GET", "/projections/counter/all")).text, String(total));
  const events = await client.allEvents();
  const expected = Array.from({ length: total }, (_, i) => [i + 1, String(i + 1)]);
  assert.deepEqual(
    events.map(({ sequence, payload }) => [sequence, payload]),
    expected,
    "no gap, none twice",
  );
  const { commit: committed, ...rest } = ended;
  assert.deepEqual(await ends(client), {
    committed,
    expired: EXPIRIES,
    client: rest.rollback + rest.leave,
    error: 0,
    reset: 0,
    shutdown: 0,
  });
});
