import assert from "node:assert/strict";
import type { RoutedRequest } from "../../../src/http/router.ts";
import { metricsRoute } from "../../../src/editions/shared/common_metrics.ts";
import { ReadsInFlight } from "../../../src/editions/shared/reads_in_flight.ts";

async function page(reads: ReadsInFlight): Promise<unknown> {
  return (await metricsRoute(() => "a 1\n", reads).handle({} as RoutedRequest)).body;
}

const waiting = (count: number): string =>
  "a 1\n# HELP service_reads_waiting Reads that wait for an event that matches.\n" +
  `# TYPE service_reads_waiting gauge\nservice_reads_waiting ${count}\n`;

Deno.test("the page of metrics says in which format it is, and is not cached", async () => {
  const { status, headers } = await metricsRoute(() => "", new ReadsInFlight({ watching: 0 })).handle(
    {} as RoutedRequest,
  );
  assert.equal(status, 200);
  assert.deepEqual(headers, { "Content-Type": "text/plain; version=0.0.4", "Cache-Control": "no-store" });
});

Deno.test("after the metrics of an edition come those of all: the reads that wait, and no others", async () => {
  const reads = new ReadsInFlight({ watching: 3 });
  using _other = reads.begin();
  assert.equal(await page(reads), waiting(3));
});
