import assert from "node:assert/strict";
import * as openTelemetry from "@opentelemetry/api";
import { EventStore, type EventStoreOptions } from "../../client/mod.ts";
import type { Address } from "../support/connection.ts";
import { runDeno } from "../support/run_command.ts";
import { note, placeOf, type SchoolEvents } from "./support.ts";
import { inTracedApplication } from "./traced_application.ts";

const SECONDS_MAX = 60;

/**
 * Runs a process with the consumer `letters` until it has handled one `StudentEnrolled`. The handler reads a
 * projection and writes a `Noted`.
 * @param collector the URL that takes the spans of the process by OTLP
 */
export async function consumeInAnotherProcess(address: Address, collector: string): Promise<void> {
  const place = JSON.stringify(placeOf(address));
  const args = ["run", "--quiet", "--no-check", "--allow-all", import.meta.filename!, place, collector];
  const { code, stderr } = await runDeno(args, { signal: AbortSignal.timeout(SECONDS_MAX * 1000) });
  assert.equal(code, 0, stderr);
}

async function consume(place: EventStoreOptions): Promise<void> {
  const store = new EventStore<SchoolEvents>({ ...place, openTelemetry });
  const end = new AbortController();
  const running = store.consume("letters", {
    query: { types: ["StudentEnrolled"] },
    async handle({ identifiers }) {
      await store.projections.get("letters", String(identifiers["student"]));
      return note("welcome");
    },
  }, { signal: end.signal, onNotification: ({ kind }) => kind === "handled" && end.abort() });
  await assert.rejects(running, end.signal.reason);
}

if (import.meta.main) {
  const [place, collector] = Deno.args as [string, string];
  await inTracedApplication(collector, () => consume(JSON.parse(place)));
}
