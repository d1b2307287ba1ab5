import assert from "node:assert/strict";
import { RequestMetrics } from "../../src/http/request_metrics.ts";
import { emptyReply } from "../../src/http/replies.ts";
import type { Route } from "../../src/http/router.ts";

const ROUTE: Route = {
  method: "GET",
  path: "/a/:b",
  right: "none",
  body: "ignored",
  handle: () => emptyReply(204),
};

/** Returns the samples of a metric, without its name. */
function samplesOf(metrics: RequestMetrics, name: string): string[] {
  return metrics.text().split("\n").filter((line) => line.startsWith(name)).map((line) =>
    line.slice(name.length)
  );
}

/** Returns the samples of the duration metric with this suffix. */
function samples(metrics: RequestMetrics, suffix: string): string[] {
  return samplesOf(metrics, `service_request_duration_seconds_${suffix}`);
}

Deno.test("every class of status is counted from 0, so that the first request of one shows in a rate", () => {
  const metrics = new RequestMetrics();
  const counted = (): string[] => samplesOf(metrics, "service_requests_total");
  assert.deepEqual(counted(), ['{status="2xx"} 0', '{status="4xx"} 0', '{status="5xx"} 0']);
  for (const status of [200, 409, 499]) metrics.ended(ROUTE, status, performance.now());
  metrics.ended(undefined, 401, performance.now());
  assert.deepEqual(counted(), ['{status="2xx"} 1', '{status="4xx"} 3', '{status="5xx"} 0']);
});

Deno.test("each route and each class of status has a series, and so have requests without a route", () => {
  const metrics = new RequestMetrics();
  for (const status of [200, 204, 404, 409, 499, 500, 503]) metrics.ended(ROUTE, status, performance.now());
  for (const status of [401, 403, 404, 405]) metrics.ended(undefined, status, performance.now());
  assert.deepEqual(samples(metrics, "count"), [
    '{method="GET",route="/a/:b",status="2xx"} 2',
    '{method="GET",route="/a/:b",status="4xx"} 3',
    '{method="GET",route="/a/:b",status="5xx"} 2',
    '{method="other",route="other",status="4xx"} 4',
  ]);
});

Deno.test("a route that was made anew continues the series of the one before it", () => {
  const metrics = new RequestMetrics();
  for (const route of [ROUTE, { ...ROUTE }]) metrics.ended(route, 200, performance.now());
  assert.deepEqual(samples(metrics, "count"), ['{method="GET",route="/a/:b",status="2xx"} 2']);
});

Deno.test("the duration of a request is the time since it began", () => {
  const metrics = new RequestMetrics();
  metrics.ended(ROUTE, 200, performance.now() - 300);
  const [sum] = samples(metrics, "sum");
  const seconds = Number(sum!.slice(sum!.indexOf(" ")));
  assert.ok(seconds >= 0.3 && seconds < 5, sum);
  const buckets = samples(metrics, "bucket");
  assert.ok(buckets.includes('{method="GET",route="/a/:b",status="2xx",le="0.1"} 0'), buckets.join("\n"));
  assert.ok(buckets.includes('{method="GET",route="/a/:b",status="2xx",le="+Inf"} 1'), buckets.join("\n"));
});

Deno.test("errors are counted by code and route", () => {
  const metrics = new RequestMetrics();
  metrics.ended(ROUTE, 200, performance.now());
  for (const code of ["InvalidRequest", "PayloadTooLarge", "InvalidRequest"]) {
    metrics.ended(ROUTE, 400, performance.now(), code);
  }
  metrics.ended(undefined, 401, performance.now(), "Unauthorized");
  assert.deepEqual(samplesOf(metrics, "service_request_errors_total"), [
    '{code="InvalidRequest",method="GET",route="/a/:b"} 2',
    '{code="PayloadTooLarge",method="GET",route="/a/:b"} 1',
    '{code="Unauthorized",method="other",route="other"} 1',
  ]);
});
