import assert from "node:assert/strict";
import { join } from "node:path";
import { fillStore } from "../../bench/fill_store.ts";
import type { Round } from "../../bench/measure.ts";
import { SampleEvents } from "../../bench/sample_events.ts";
import { conditionCheck } from "../../bench/workloads/condition_check.ts";
import { oneEvent } from "../../bench/workloads/one_event.ts";
import { readByArticle } from "../../bench/workloads/selective_read.ts";
import { speedrun } from "../../bench/workloads/speedrun.ts";
import { startServer } from "../support/server_process.ts";

const EVENTS = 2000;
const TIMING = { warmUpSeconds: 0.2, seconds: 0.5 };

Deno.test("workloads of the benchmark do with a real server what they say", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  try {
    fillStore(join(directory, "data"), EVENTS);
    await using server = await startServer({ directory });
    const { address } = server;
    const sample = (): SampleEvents => new SampleEvents(EVENTS, 1);
    const perRequest = ({ events, latencies }: Round): number => events / latencies.total;

    // A slow machine may end few requests in the time, so the numbers of events are not narrow.
    const reads = await readByArticle(address, 3, sample(), TIMING);
    assert.ok(perRequest(reads) > 2 && perRequest(reads) < 20, `${perRequest(reads)} events of an article`);
    assert.equal(perRequest(await conditionCheck(address, sample(), TIMING)), 0);
    assert.equal(perRequest(await oneEvent(address, 3, TIMING)), 1);
    const decisions = await speedrun(address, TIMING);
    assert.ok(perRequest(decisions) > 0 && perRequest(decisions) <= 1, "some decisions write");
    assert.ok(decisions.conflicts! >= 0);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
