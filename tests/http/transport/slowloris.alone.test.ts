import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/server_process.ts";
import { honestP99, untilStalled } from "./support/honest_clients.ts";
import { SLOW_SHAPES, SlowClients } from "./support/slow_clients.ts";

/** A task runs the full number, 500: see docs/measurements.md. */
const SLOW_CLIENTS = 100;
const SECONDS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 1 : 0.4;

/** A smaller difference is noise of the machine, and shows nothing about the server. */
const NOISE_MILLISECONDS = 40;

/** A machine that is busy for a moment may spoil one comparison, but not all of them. */
const ATTEMPTS = 4;

for (const shape of SLOW_SHAPES) {
  Deno.test(`slow clients do not slow down honest ones: ${shape.name}`, async () => {
    await using server = await startServer();
    const client = server.client();
    for (let i = 0; i < 2; i++) {
      await client.append(...Array(100).fill({ type: "t", payload: "x".repeat(60_000) }));
    }
    const seen: string[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const quiet = await honestP99(server.address, SECONDS);
      await using slow = new SlowClients(server.address, shape, SLOW_CLIENTS);
      await eventually(() => assert.equal(slow.connected, SLOW_CLIENTS));
      await untilStalled(client);
      const beside = await honestP99(server.address, SECONDS);
      if (beside < Math.max(2 * quiet, NOISE_MILLISECONDS)) return;
      seen.push(`${beside.toFixed(0)} ms, quiet ${quiet.toFixed(0)} ms`);
    }
    assert.fail(`the p99 of honest clients beside ${SLOW_CLIENTS} slow ones: ${seen.join("; ")}`);
  });
}
