import assert from "node:assert/strict";
import { HEALTH_GROUPS, type Look } from "../../../../explorer/page/health/health_numbers.ts";
import { parseMetrics, quantile, valueOf } from "../../../../explorer/page/health/metrics_text.ts";
import { startServer } from "../../../support/server_process.ts";

const TEXT = `# HELP a_total What "it" is.
# TYPE a_total counter
a_total{reason="x \\"1\\""} 2
a_total{reason="y"} 3 1700000000
# TYPE s_seconds histogram
s_seconds_bucket{le="0.1"} 5
s_seconds_bucket{le="1"} 9
s_seconds_bucket{le="+Inf"} 10
s_seconds_sum 4
s_seconds_count 10
`;

Deno.test("samples, labels and histograms are read", () => {
  const metrics = parseMetrics(TEXT);
  assert.equal(valueOf(metrics, "a_total"), 5);
  assert.equal(valueOf(metrics, "a_total", { reason: 'x "1"' }), 2);
  assert.equal(valueOf(metrics, "nothing"), undefined);
  const family = metrics.get("s_seconds")!;
  assert.deepEqual([family.sum, family.count, family.buckets], [4, 10, [[0.1, 5], [1, 9], [Infinity, 10]]]);
  assert.equal(quantile(0.5, family, undefined), 0.1);
  assert.equal(quantile(0.7, family, undefined), 0.55);
  assert.equal(quantile(1, family, undefined), 1);
  assert.equal(quantile(0.5, family, family), undefined);
});

for (const edition of ["A", "B", "C"] as const) {
  Deno.test(`edition ${edition} shows its health by numbers`, async () => {
    await using server = await startServer({ env: { SERVICE_EDITION: edition } });
    const text = (await server.client().request("GET", "/metrics")).text;
    const looks: Look[] = [0, 1].map((at) => ({ metrics: parseMetrics(text), at }));
    const labels = HEALTH_GROUPS.flatMap(({ numbers }) => numbers).filter((number) =>
      number.value(looks[1]!, looks[0]) !== undefined
    )
      .map(({ label }) => label);
    const common = ["Waiting writes", "Longest wait", "Waiting reads", "Requests", "Memory"];
    const own = {
      A: ["Writes", "Conflicts"],
      B: ["Writes", "Transactions", "Conflicts", "Open transactions", "Expired"],
      C: ["Transactions", "Conflicts", "Expired tickets"],
    }[edition];
    for (const label of [...common, ...own]) {
      assert.ok(labels.includes(label), `${label} is not in ${labels}`);
    }
  });
}
