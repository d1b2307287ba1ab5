import assert from "node:assert/strict";
import type { DebugDocument } from "./client.ts";
import type { Counts } from "./reference.ts";
import type { Surface } from "./sequence_reference.ts";
import { type Answer, linesOf, type Subject } from "./subject.ts";

/** The surface with the IDs of the subject instead of numbers. */
export type NamedSurface = Omit<Surface, "store" | "projection"> & {
  readonly storeId: string | undefined;
  readonly version: string | undefined;
  readonly payload: string | undefined;
};

/** Reads the state that every client can read without a ticket. */
export async function surfaceOf(subject: Subject, projectionPath: string): Promise<NamedSurface> {
  const ask = async (method: string, path: string, body = ""): Promise<Answer> => {
    const answer = await (await subject.send({ method, path, body })).answer;
    assert.ok(answer !== undefined, `no answer to ${method} ${path}`);
    return answer;
  };
  const events = await ask("QUERY", "/events", '{"query":"*"}');
  const projection = await ask("GET", projectionPath);
  const storeId = events.headers.get("x-service-store");
  assert.equal(projection.headers.get("x-service-store"), storeId);
  const { paused, ...health } = JSON.parse((await ask("GET", "/health")).text) as { paused: boolean };
  assert.deepEqual(Object.keys(health), ["status", "version"]);
  const { paused: pausedSince, write } = JSON.parse((await ask("GET", "/debug")).text) as DebugDocument;
  assert.equal(pausedSince !== null, paused);
  const metrics = (await ask("GET", "/metrics")).text;
  const sample = samplesOf(metrics);
  assert.equal(sample("paused"), Number(paused));
  assert.equal(sample("transaction_active"), Number(write.active !== null));
  assert.equal(sample("requests_queued"), write.queued.length);
  const counts = countsOf(metrics);
  return {
    storeId,
    version: projection.headers.get("x-service-version"),
    payload: projection.status === 200 ? projection.text : undefined,
    lines: linesOf(events.text),
    paused,
    calls: write.active?.calls,
    queued: write.queued.map(({ kind }) => kind),
    httpOpen: write.httpOpen,
    counts: since(counts, subject.countsBefore),
    warnings: subject.warnings.map((text) => /\((\w+)\)$/.exec(text)?.[1] ?? text),
  };
}

/** Returns the counts in the metrics since startup. */
export function countsOf(metrics: string): Counts {
  const sample = samplesOf(metrics);
  const rolledBack = (reason: string): number => sample(`transactions_rolled_back_total{reason="${reason}"}`);
  return {
    started: sample("transactions_started_total"),
    committed: sample("transactions_committed_total"),
    client: rolledBack("client"),
    error: rolledBack("error"),
    expired: rolledBack("expired"),
    shutdown: rolledBack("shutdown"),
    reset: rolledBack("reset"),
    appendsFailed: sample("appends_failed_total"),
  };
}

function since(now: Counts, before: Counts | undefined): Counts {
  const names = Object.keys(now) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, now[name] - (before?.[name] ?? 0)])) as Counts;
}

function samplesOf(text: string): (name: string) => number {
  const lines = text.split("\n");
  return (name) => {
    const start = `service_${name} `;
    const value = lines.find((line) => line.startsWith(start))?.slice(start.length);
    return Number(value ?? assert.fail(`no ${name} in the metrics`));
  };
}
