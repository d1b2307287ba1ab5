import assert from "node:assert/strict";
import { join } from "node:path";
import { fillStore } from "../../bench/fill_store.ts";
import type { Round, Timing } from "../../bench/measure.ts";
import { SampleEvents } from "../../bench/sample_events.ts";
import { withReaders } from "../../bench/workloads/writes_with_readers.ts";
import { conditionCheck } from "../../bench/workloads/condition_check.ts";
import { delivery } from "../../bench/workloads/delivery.ts";
import { oneEvent } from "../../bench/workloads/one_event.ts";
import { readByArticle, readLast, readLastOfArticle } from "../../bench/workloads/selective_read.ts";
import { speedrun } from "../../bench/workloads/speedrun.ts";
import { startServer } from "../support/server_process.ts";

const EVENTS = 2000;

/** Measures again for longer if the machine is too slow to answer one request in the time. */
async function measured(row: (timing: Timing) => Promise<Round>): Promise<Round> {
  for (let seconds = 0.1;; seconds *= 4) {
    const round = await row({ warmUpSeconds: 0.02, seconds });
    if (round.latencies.total > 0 || seconds > 30) return round;
  }
}

Deno.test("workloads of the benchmark do with a real server what they say", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  try {
    fillStore(join(directory, "data"), EVENTS);
    await using server = await startServer({ directory });
    const { address } = server;
    const sample = (): SampleEvents => new SampleEvents(EVENTS, 1);
    const perRequest = ({ events, latencies }: Round): number => events / latencies.total;

    // Few requests may end in the time, so the numbers of events are not narrow.
    const reads = perRequest(await measured((timing) => readByArticle(address, 3, sample(), timing)));
    assert.ok(reads > 0 && reads < 30, `${reads} events of an article`);
    assert.equal(perRequest(await measured((timing) => readLast(address, 1, sample(), timing))), 1);
    const ofArticle = perRequest(await measured((timing) => readLastOfArticle(address, 1, sample(), timing)));
    assert.ok(ofArticle > 0 && ofArticle <= 1, `${ofArticle} last events of an article`);
    assert.equal(perRequest(await measured((timing) => conditionCheck(address, sample(), timing))), 0);
    assert.equal(perRequest(await measured((timing) => oneEvent(address, 3, timing))), 1);
    assert.equal(perRequest(await measured((timing) => withReaders(address, 3, 5, timing))), 1);
    assert.equal(perRequest(await measured((timing) => delivery(address, 2, 5, timing))), 1);
    const decisions = await measured((timing) => speedrun(address, timing));
    assert.ok(
      perRequest(decisions) >= 0 && perRequest(decisions) <= 1,
      "a decision writes at most one event",
    );
    assert.ok(decisions.conflicts! >= 0);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("sample events of one seed are the same, and their terms recur as often as the benchmark says", () => {
  const storeEvents = 20_000;
  const events = new SampleEvents(storeEvents, 7).events(storeEvents);
  assert.deepEqual(new SampleEvents(storeEvents, 7).events(storeEvents), events);

  const distinct = (name: string): number =>
    new Set(events.map(({ identifiers }) => identifiers.find((tag) => tag.name === name)!.value)).size;
  assert.equal(new Set(events.map(({ type }) => type)).size, 5);
  assert.equal(distinct("customer"), 50);
  assert.equal(distinct("article"), 2000);
  // Two events per order on average means that a share of exp(-2) of the orders has none.
  assert.ok(distinct("order") > 8400 && distinct("order") < 8900, `${distinct("order")} orders`);
  assert.equal(new Set(events.map(({ metadata }) => metadata[0]!.value)).size, storeEvents);
});
