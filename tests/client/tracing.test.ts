import assert from "node:assert/strict";
import * as api from "@opentelemetry/api";
import { type EventStore, type NewEvent, Refused } from "../../client/mod.ts";
import { processed, withTrace } from "../../client/tracing.ts";
import { withCollector } from "./collector.ts";
import { capacity, students } from "./school.ts";
import {
  failure,
  IN_MEMORY,
  listed,
  note,
  placeOf,
  type SchoolEvents,
  sharedTestServer,
  storeOf,
} from "./support.ts";
import { checkConventions } from "./trace_conventions.ts";
import { inTracedApplication } from "./traced_application.ts";
import { consumeInAnotherProcess } from "./traced_consumer.ts";

/** A span as OTLP sends it. */
interface Exported {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

/** `SpanKind` as OTLP numbers it. */
const KIND = { internal: 1, client: 3, producer: 4, consumer: 5 };

const server = sharedTestServer();

/**
 * Runs the work in an application that records traces. The URL also takes the spans of other processes.
 * @returns the spans that were received
 */
async function spansOf(
  work: (store: EventStore<SchoolEvents>, url: string) => Promise<unknown>,
): Promise<Exported[]> {
  const received: Exported[] = [];
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    assert.equal(new URL(request.url).pathname, "/v1/traces");
    const { resourceSpans } = await request.json();
    for (const { scopeSpans } of resourceSpans) {
      for (const { scope, spans } of scopeSpans) {
        if (scope.name === "eventstore-client") received.push(...spans);
      }
    }
    return Response.json({});
  });
  await withCollector(`http://127.0.0.1:${receiver.addr.port}`, async (url) => {
    await inTracedApplication(url, () => work(storeOf(server, { openTelemetry: api }), url));
  });
  for (const span of received) checkConventions(span.name, attributesOf(span));
  return received;
}

function attributesOf({ attributes }: Exported): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => {
    const [[type, content]] = Object.entries(value) as [[string, unknown]];
    // A Collector sends integers as text, as OTLP demands.
    return [key, type === "intValue" ? Number(content) : content];
  }));
}

Deno.test("a write is a span, and its events carry the span as traceparent", async () => {
  let stored: readonly { readonly metadata: object }[] = [];
  const spans = await spansOf(async (store) => {
    await store.append([note("a"), { ...note("b"), metadata: { traceparent: "mine" } }]);
    stored = await listed(store.readAll("*"));
  });
  const [write, read] = spans;
  assert.equal(spans.length, 2);
  assert.deepEqual([write!.name, write!.kind], ["append events", KIND.producer]);
  const { port } = new URL(placeOf(server.address).url!);
  assert.deepEqual(attributesOf(write!), {
    "messaging.system": "eventstore",
    "messaging.operation.name": "append",
    "messaging.operation.type": "send",
    "messaging.destination.name": "events",
    "messaging.batch.message_count": 2,
    "server.address": "127.0.0.1",
    "server.port": Number(port),
  });
  assert.deepEqual(stored.map(({ metadata }) => metadata), [
    { traceparent: `00-${write!.traceId}-${write!.spanId}-01` },
    { traceparent: "mine" },
  ]);
  assert.deepEqual([read!.name, read!.kind], ["read events", KIND.client]);
  assert.equal(attributesOf(read!)["messaging.operation.type"], "receive");
});

Deno.test("a consumer continues the trace in which the event was written, and so do the events that it writes", async () => {
  const spans = await spansOf(async (store) => {
    await store.append(note("cause"));
    for await (const event of store.readAll("*")) {
      await processed(api, "notes", event, async (traceparent) => {
        await store.append(withTrace<NewEvent<SchoolEvents>>([note("effect")], traceparent));
        await store.projections.get("notes", "1");
      });
    }
  });
  const [cause, process] = ["append events", "process notes"].map((name) =>
    spans.find((span) => span.name === name)!
  );
  const inside = spans.filter(({ parentSpanId }) => parentSpanId === process!.spanId);
  assert.deepEqual(inside.map(({ name }) => name), ["append events", "GET /projections"]);
  assert.equal(process!.parentSpanId, cause!.spanId);
  assert.equal(process!.kind, KIND.consumer);
  assert.deepEqual([process!, ...inside].map(({ traceId }) => traceId), Array(3).fill(cause!.traceId));
  const { "messaging.consumer.group.name": group, "messaging.message.id": id } = attributesOf(process!);
  assert.deepEqual([group, id], ["notes", "1"]);
});

Deno.test("consume handles each event in such a span", async () => {
  let effect: { readonly metadata: object } | undefined;
  const spans = await spansOf(async (store) => {
    await store.append(note("cause"));
    const end = new AbortController();
    const query = { types: ["Noted" as const] };
    const running = store.consume("enrolling", {
      query,
      handle: () => ({ type: "StudentEnrolled", payload: null }),
    }, { signal: end.signal, onNotification: ({ kind }) => kind === "handled" && end.abort() });
    await assert.rejects(running);
    effect = (await store.read({ types: ["StudentEnrolled"] })).events[0];
  });
  const { traceId, spanId, parentSpanId } = spans.find(({ name }) => name === "process enrolling")!;
  assert.ok(spans.some(({ name, spanId }) => name === "append events" && spanId === parentSpanId));
  assert.deepEqual(effect!.metadata, { traceparent: `00-${traceId}-${spanId}-01` });
});

Deno.test({
  name: "one trace leads from a decision to the effect of a consumer in another process",
  ignore: IN_MEMORY,
}, async () => {
  let enrol!: api.SpanContext;
  let effect: { readonly metadata: object } | undefined;
  const spans = await spansOf(async (store, url) => {
    await store.append({ type: "CourseDefined", identifiers: { course: "c1" }, payload: { capacity: 1 } });
    await api.trace.getTracer("school").startActiveSpan("enrol", async (span) => {
      enrol = span.spanContext();
      await store.decide(
        { seats: capacity("c1"), taken: students("c1") },
        ({ seats, taken }) =>
          taken.length === seats
            ? []
            : { type: "StudentEnrolled", identifiers: { course: "c1", student: "s1" }, payload: null },
      );
      span.end();
    });
    await consumeInAnotherProcess(server.address, url);
    effect = (await store.read({ types: ["Noted"] })).events[0];
  });
  const trace = spans.filter(({ traceId }) => traceId === enrol.traceId);
  const named = new Map(trace.map(({ name, spanId }) => [spanId, name])).set(enrol.spanId, "enrol");
  assert.deepEqual(
    trace.map(({ name, kind, parentSpanId }) => [name, kind, named.get(parentSpanId!)]).sort(),
    [
      ["GET /projections", KIND.client, "process letters"],
      ["append events", KIND.producer, "enrol"],
      ["process letters", KIND.consumer, "append events"],
      ["read events", KIND.client, "enrol"],
    ],
  );
  const { spanId } = trace.find(({ name }) => name === "process letters")!;
  assert.deepEqual(effect!.metadata, { traceparent: `00-${enrol.traceId}-${spanId}-01` });
});

Deno.test("a failed call is a span with the code of the error", async () => {
  const spans = await spansOf(async (store) => {
    await store.append(note("a"));
    await failure(store.append(note("b"), { conditions: { query: "*" } }));
  });
  const failed = spans.at(-1)!;
  assert.equal(attributesOf(failed)["error.type"], "ConcurrencyException");
  assert.equal(failed.status.code, 2);
});

Deno.test("a write under a key is recognized in another trace", async () => {
  await spansOf(async (store) => {
    const first = await store.writeOnce("k", note("a"));
    const second = await store.writeOnce("k", note("a"));
    assert.deepEqual(second, { ...first, repeated: true });
    assert.ok(await failure(store.writeOnce("k", note("b"))) instanceof Refused);
  });
});

Deno.test("without an SDK, events carry no traceparent", async () => {
  const store = storeOf(server, { openTelemetry: api });
  await store.append(note("a"));
  const [event] = await listed(store.readAll("*"));
  assert.deepEqual(event!.metadata, {});
});
