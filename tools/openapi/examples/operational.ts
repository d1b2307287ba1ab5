import { VERSION } from "../../../src/config/version.ts";
import { RIGHTS } from "../../../src/model/access.ts";
import type { Exchange } from "../exchange.ts";
import type { JsonObject } from "../json.ts";
import { HOUR, TIME_2 } from "./names.ts";

/** @param more what the edition adds to it */
export function healthExchange(more: JsonObject): Exchange {
  return {
    operation: "GET /health",
    name: "healthy",
    summary: "The database can be reached",
    status: 200,
    json: { status: "ok", version: VERSION, ...more },
  };
}

export const whoamiExchange = (edition: "A" | "B" | "C"): Exchange => ({
  operation: "GET /whoami",
  name: "everything",
  summary: "No token is required, so every request may do everything",
  status: 200,
  json: { edition, name: null, may: [...RIGHTS], subjects: ["student"] },
});

export function rootExchange(edition: "A" | "B" | "C"): Exchange {
  return {
    operation: "GET /",
    name: "root",
    summary: "What this server is, and where to look",
    status: 200,
    text: `Event store ${VERSION}, edition ${edition}. Its state: /health, /metrics, /debug. ` +
      `Its interface: docs/edition-${edition.toLowerCase()}.md. Its events: eventstore-client explore.\n`,
  };
}

/** Metrics of every edition. A replay looks for these lines among the others. */
export const METRICS_EXCHANGE: Exchange = {
  operation: "GET /metrics",
  name: "excerpt",
  summary: "Some of its lines",
  status: 200,
  text: [
    "# HELP service_reads_waiting Reads that wait for an event that matches.",
    "# TYPE service_reads_waiting gauge",
    "service_reads_waiting 0",
    "",
  ].join("\n"),
};

/** The document itself. A replay looks for these keys among the others. */
export const OPENAPI_EXCHANGE: Exchange = {
  operation: "GET /openapi.json",
  name: "limits",
  summary: "Some of its keys",
  status: 200,
  json: { openapi: "3.2.0", "x-limits": { maxEventSize: 65536, maxTagsPerEvent: 20 } },
};

/** `write` of `GET /debug` without any writes. */
export const IDLE_TURN: JsonObject = { active: null, queued: [], httpOpen: 0, sqliteInUse: 0, sqliteMax: 1 };

/** `read` of `GET /debug` without any reads. */
export const IDLE_READS: JsonObject = { httpOpen: 0, waiting: 0, sqliteInUse: 0, sqliteMax: 8 };

/** The conflicts of a server that has rejected one write. @param type that of the write's first event, if any */
export function conflictsExchange(conflict: JsonObject, type: string): Exchange {
  return {
    operation: "GET /debug/conflicts",
    name: "conflicts",
    summary: "One write was rejected",
    status: 200,
    json: {
      conflicts: [{ time: TIME_2, types: type === "" ? [] : [type], ...conflict }],
      hours: [{ from: HOUR, types: [{ type, count: 1 }] }],
    },
  };
}
