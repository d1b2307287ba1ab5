import type { ErrorCode } from "../../../src/model/errors.ts";
import type { HeaderName } from "../headers.ts";
import { CONFLICTS_SUMMARY } from "./conflicts.ts";
import { type AnswerBody, json, jsonLines, NO_CONTENT, type Operation, text } from "../operation.ts";

/** Tags, in the order of the documents. */
export const TAGS = [
  "events",
  "transactions",
  "projections",
  "subjects",
  "pause",
  "operation",
  "development",
] as const;

/** The errors of editions A and B when a request gets no turn. */
export const NO_TRANSACTION: readonly ErrorCode[] = [
  "WriteQueueFull",
  "ShuttingDown",
  "Unavailable",
  "DiskFull",
];

const PAGE_DESCRIPTION =
  'One JSON value per line: events, then `{"hasMore": ...}`. For the next page, repeat the request with' +
  " `afterSequence` (backwards: `beforeSequence`) set to the last sequence received.";

/** @param more what the edition adds to it */
export function readEvents(
  more: Pick<Operation, "description" | "parameters" | "errors"> = {},
  head: HeaderName = "Head",
): Operation {
  return {
    method: "QUERY",
    path: "/events",
    id: "readEvents",
    tag: "events",
    summary: "Read committed events",
    body: "ReadRequest",
    successes: [{
      status: 200,
      description: PAGE_DESCRIPTION,
      headers: ["Store", head, "NotCached"],
      body: jsonLines("PageLine"),
    }],
    ...more,
    errors: [...more.errors ?? [], "Unavailable"],
  };
}

export function readProjection(more: Pick<Operation, "parameters" | "errors"> = {}): Operation {
  return {
    method: "GET",
    path: "/projections/{type}/{id}",
    id: "readProjection",
    tag: "projections",
    summary: "Read one projection",
    successes: [{
      status: 200,
      description: "The payload as it was written.",
      headers: ["Version", "Store", "NotCached"],
      body: text("The payload."),
    }],
    ...more,
    errors: ["ProjectionNotFound", ...more.errors ?? [], "Unavailable"],
  };
}

export function findPosition(errors: readonly ErrorCode[] = []): Operation {
  return {
    method: "GET",
    path: "/position",
    id: "findPosition",
    tag: "events",
    summary: "Find the position of a time",
    parameters: ["time"],
    successes: [{
      status: 200,
      description:
        "The position before the first event whose time is not before the given one. Without such an event, the end" +
        " of the store.",
      headers: ["Store", "NotCached"],
      body: json("Position"),
    }],
    errors: ["InvalidRequest", ...errors, "Unavailable"],
  };
}

export function catalog(): Operation {
  return {
    method: "GET",
    path: "/catalog",
    id: "readCatalog",
    tag: "events",
    summary: "Count events by type and by name of identifier",
    successes: [{
      status: 200,
      description: "The counts, exact up to `afterSequence`.",
      headers: ["Store", "NotCached"],
      body: json("Catalog"),
    }],
    errors: ["Unavailable"],
  };
}

export function proof(): Operation {
  return {
    method: "GET",
    path: "/proof",
    id: "prove",
    tag: "events",
    summary: "Prove that no event has changed",
    description: "With `sequence` or `from`, not with both.",
    parameters: ["head", "sequence", "from"],
    successes: [{
      status: 200,
      description: "A root of the Merkle tree over all events as they are stored, and a proof.",
      headers: ["Store", "Head", "NotCached"],
      body: json("Proof"),
    }],
    errors: ["InvalidRequest", "Unavailable"],
    absent: "NoSubjects",
  };
}

/** @param errors those of a request in this edition */
export function listProjections(errors: readonly ErrorCode[] = []): Operation {
  return {
    method: "GET",
    path: "/projections",
    id: "listProjections",
    tag: "projections",
    summary: "List projections",
    parameters: ["ofType", "limit", "after"],
    successes: [{
      status: 200,
      description:
        'One JSON value per line: projections without their payloads, then `{"hasMore": ...}`. A list has one' +
        " snapshot. The order is the storage's own, and stays.",
      headers: ["Store", "NotCached"],
      body: jsonLines("ListLine"),
    }],
    errors: ["InvalidRequest", ...errors, "Unavailable"],
  };
}

/** The bulk deletes. @param errors the errors when they get no turn, or need a pause */
export function deleteProjections(errors: readonly ErrorCode[]): Operation[] {
  const shared = { method: "DELETE", tag: "projections", successes: [NO_CONTENT], errors } as const;
  return [
    {
      ...shared,
      path: "/projections/{type}",
      id: "deleteProjectionsOfType",
      summary: "Delete every projection of one type",
    },
    { ...shared, path: "/projections", id: "deleteProjections", summary: "Delete every projection" },
  ];
}

/** A call that takes no body and answers `204`. */
export function command(
  path: string,
  rest: Omit<Operation, "method" | "path" | "successes">,
): Operation {
  return { method: "POST", path, successes: [NO_CONTENT], ...rest };
}

/** Operations of an edition that has one active server. Servers that stand by reject all requests but the metrics. */
export function standingBy(operations: readonly Operation[]): Operation[] {
  return operations.map((operation) =>
    operation.path === "/metrics"
      ? operation
      : { ...operation, errors: [...operation.errors ?? [], "Standby"] }
  );
}

const OPENAPI: AnswerBody = {
  mediaType: "application/json",
  form: "json",
  schema: { type: "object", additionalProperties: true },
};

const OPENAPI_DESCRIPTION =
  "The OpenAPI document of the edition. `x-limits` has all limits by the names of their settings.";

/** The operations for operators, and those of development mode. */
export function operational(metricsDescription: string): Operation[] {
  const metrics = text("The text exposition format.", "text/plain; version=0.0.4");
  return [
    { ...document("/", "What this server is", text("One line.")), id: "root" },
    {
      ...document("/health", "Whether the server works", json("Health")),
      parameters: ["writes"],
      errors: ["Unavailable"],
    },
    document("/whoami", "What the token of the request may do", json("Whoami")),
    {
      ...document(
        "/openapi.json",
        "This document, with the limits of the server",
        OPENAPI,
        OPENAPI_DESCRIPTION,
      ),
      id: "openapi",
    },
    document("/metrics", "Metrics for a scraper", metrics, metricsDescription),
    document("/debug", "What goes on right now", json("Debug")),
    {
      ...document("/debug/conflicts", CONFLICTS_SUMMARY, json("Conflicts")),
      id: "conflicts",
    },
    ...PROFILING,
  ];
}

/** A `GET` that is answered from memory. */
export function document(path: string, summary: string, body: AnswerBody, description = summary): Operation {
  return {
    method: "GET",
    path,
    id: path.slice(1),
    tag: "operation",
    summary,
    successes: [{ status: 200, description, headers: ["NotCached"], body }],
  };
}

function profiling(path: string, id: string, summary: string): Omit<Operation, "successes"> {
  return {
    method: "GET",
    path: `/debug/pprof/${path}`,
    id,
    tag: "development",
    summary,
    absent: "NotInDevelopmentMode",
  };
}

const FILE: Operation["successes"] = [{
  status: 200,
  description: "A file for Chrome DevTools.",
  headers: ["FileName"],
  body: {
    mediaType: "application/json",
    form: "json",
    schema: { type: "object", additionalProperties: true },
  },
}];

const LINE: Operation["successes"] = [{ status: 200, description: "Plain text.", body: text("Some lines.") }];

const PROFILING: readonly Operation[] = [
  { ...profiling("", "profilingIndex", "What can be profiled"), successes: LINE },
  {
    ...profiling("profile", "cpuProfile", "A CPU profile of the main thread"),
    parameters: ["seconds"],
    successes: FILE,
    errors: ["InvalidRequest", "Unavailable"],
  },
  {
    ...profiling("heap", "heapSnapshot", "A heap snapshot of the main thread"),
    successes: FILE,
    errors: ["Unavailable"],
  },
  { ...profiling("cmdline", "commandLine", "How the program was started"), successes: LINE },
];
