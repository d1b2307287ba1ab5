import { LITERALS } from "../../../src/editions/a_write/write_request.ts";
import type { EditionInterface } from "../edition_interface.ts";
import { CONDITION_PLACE, LIST_ITEM } from "../errors.ts";
import { EXCHANGES_A } from "../examples/edition_a.ts";
import { json, type Operation } from "../operation.ts";
import { settingLimit } from "../limits.ts";
import { readRequest } from "./read_request.ts";
import { answer, bothOrNeither, described, list, POSITION, ref, request, type Schema } from "../schema.ts";
import { health, ONE_TURN, operationalSchemas, turns } from "./operational_schemas.ts";
import {
  catalog,
  command,
  deleteProjections,
  findPosition,
  listProjections,
  NO_TRANSACTION,
  operational,
  proof,
  readEvents,
  readProjection,
} from "./shared_operations.ts";
import { subjectOperations } from "./subject_operations.ts";

const OPERATIONS: readonly Operation[] = [
  readEvents(),
  {
    method: "POST",
    path: "/write",
    id: "write",
    tag: "events",
    summary: "Check conditions, append events and change projections, all or nothing",
    description:
      "All conditions are checked, then all versions of projections; then everything is written, or nothing." +
      " To leave the queue, close the connection: a write that is still waiting is not carried out.",
    body: "WriteRequest",
    successes: [{
      status: 200,
      description: "Everything is durable.",
      headers: ["Store"],
      body: json("Written"),
    }],
    errors: ["ConcurrencyException", ...NO_TRANSACTION],
  },
  readProjection(),
  findPosition(),
  catalog(),
  proof(),
  listProjections(),
  ...deleteProjections(NO_TRANSACTION),
  ...subjectOperations(NO_TRANSACTION),
  ...operational(
    "Queue, writes, requests, reads, failures, the disk and the process; docs/metrics.md says what each means.",
  ),
  command("/reset", {
    id: "reset",
    tag: "development",
    summary: "Delete everything and draw a new store ID",
    errors: NO_TRANSACTION,
    absent: "NotInDevelopmentMode",
  }),
];

const SCHEMAS: Readonly<Record<string, Schema>> = {
  ReadRequest: readRequest(),
  PageLine: { oneOf: [ref("Event"), ref("HasMore")] },
  Condition: request({
    description: "Without any key it always holds.",
    ...bothOrNeither("afterSequence", "store"),
    properties: {
      failIfEventsMatch: described(
        "The write fails if such an event exists. Without it, and with `afterSequence`, any event counts.",
        ref("Query"),
      ),
      afterSequence: described("Only events after this sequence count; without it, all do.", POSITION),
      store: described("The store ID on which `afterSequence` was read.", ref("Id")),
    },
  }),
  WriteRequest: request({
    properties: {
      conditions: list(ref("Condition"), { maxItems: settingLimit("maxEventsPerWrite") }),
      events: list(ref("NewEvent"), { maxItems: settingLimit("maxEventsPerWrite") }),
      projections: ref("ProjectionChanges"),
    },
  }),
  Written: answer({
    events: list(answer({ sequence: ref("Sequence"), time: ref("Time") })),
    projections: ref("NewVersions"),
  }),
  Health: health(false),
  Debug: answer({ time: ref("Time"), write: turns(ONE_TURN), read: ref("ReadsInFlight") }),
  ...operationalSchemas(["write", "forget", "projections", "reset", "optimize"]),
};

export const EDITION_A: EditionInterface = {
  name: "A",
  folder: "a_write",
  summary: "One request, `POST /write`, carries events, conditions and changes of projections.",
  literals: [...LITERALS.keys()],
  operations: OPERATIONS,
  schemas: SCHEMAS,
  conflicts: {
    forms: [CONDITION_PLACE, LIST_ITEM],
    example: { condition: 0, sequence: 1 },
    messageIsOptional: false,
  },
  exchanges: EXCHANGES_A,
};
