import assert from "node:assert/strict";
import { append } from "../../editions/b_tx/client.ts";
import { failoverTest } from "./support/failover.ts";
import { healthOf } from "./support/pair.ts";
import { inTime } from "./support/in_time.ts";

/** Longer than a takeover takes. */
const LOOKS_MILLISECONDS = 10_000;

await failoverTest(
  "a server that stands by does not become active on a primary that was replaced",
  async (failover) => {
    const [old, promoted] = failover.hosts;
    const env = { SERVICE_EDITION: "B", SERVICE_POSTGRES_URL: failover.url([0, 1]) };
    const clients = [await failover.serve(env), await failover.serve(env)];
    await append(clients[0]!, { type: "a", payload: "" });
    await failover.caughtUp(1, 1);
    await old!.end("SIGKILL");
    await promoted!.sql("SELECT pg_promote()");
    const healths = (): Promise<string[]> => Promise.all(clients.map(healthOf));
    await inTime(
      async () => assert.deepEqual((await healths()).toSorted(), ["Standby", "ok"]),
    );
    await old!.run();
    await promoted!.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'eventstore'",
    );
    const endAt = performance.now() + LOOKS_MILLISECONDS;
    while (performance.now() < endAt) assert.notDeepEqual(await healths(), ["ok", "ok"]);
  },
);
