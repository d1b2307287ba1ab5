import assert from "node:assert/strict";
import { pause } from "../../support/eventually.ts";
import { assertRejected, expectStatus } from "../../support/replies.ts";
import { begin, event, sequencesOf, startEditionC } from "./client.ts";

const TIMEOUT = { SERVICE_TRANSACTION_TIMEOUT: "1", SERVICE_MAX_TRANSACTION_DURATION: "20" };

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`a call that arrived in time on a new connection is not too late because the process was stopped (${listen})`, async () => {
    await using server = await startEditionC(TIMEOUT, { listen });
    const transaction = await begin(server.client());
    for (let round = 0; round < 3; round++) {
      server.signal("SIGSTOP");
      const reply = transaction.append([event("t")]);
      await pause(1500);
      server.signal("SIGCONT");
      assert.deepEqual(sequencesOf(await reply), [round + 1]);
    }
    expectStatus(await transaction.commit(), 204);
  });
}

Deno.test("a transaction without a call while the process was stopped is expired soon after", async () => {
  await using server = await startEditionC(TIMEOUT);
  const transaction = await begin(server.client());
  server.signal("SIGSTOP");
  await pause(1500);
  server.signal("SIGCONT");
  const startedAt = performance.now();
  const next = await begin(server.client());
  assert.ok(performance.now() - startedAt < 5000);
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  expectStatus(await next.commit(), 204);
});
