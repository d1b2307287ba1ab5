import type { ErrorCode } from "../../../src/model/errors.ts";
import { EVENTS_PER_CALL_MAX } from "../../../src/editions/c_ticket/ticket_requests.ts";
import { LITERALS } from "../../../src/editions/c_ticket/timed_read.ts";
import type { EditionInterface } from "../edition_interface.ts";
import { CONDITION_PLACE, LIST_ITEM } from "../errors.ts";
import { EXCHANGES_C } from "../examples/edition_c.ts";
import { json, type Operation } from "../operation.ts";
import { readRequest } from "./read_request.ts";
import {
  answer,
  anyGiven,
  COUNT,
  described,
  list,
  NUMBER,
  orNull,
  POSITION,
  ref,
  request,
  type Schema,
} from "../schema.ts";
import { health, operationalSchemas, turns } from "./operational_schemas.ts";
import {
  catalog,
  command,
  deleteProjections,
  findPosition,
  listProjections,
  operational,
  proof,
  readEvents,
  readProjection,
  standingBy,
} from "./shared_operations.ts";
import { subjectOperations } from "./subject_operations.ts";

const NO_TRANSACTION: readonly ErrorCode[] = [
  "TransactionQueueFull",
  "ShuttingDown",
  "Unavailable",
  "DiskFull",
];

/** The errors of every call with a ticket. */
const CALL: readonly ErrorCode[] = ["InvalidRequest", "TicketNotActive"];

const OPERATIONS: readonly Operation[] = [
  {
    method: "POST",
    path: "/begin",
    id: "begin",
    tag: "transactions",
    summary: "Wait for a turn, and begin a transaction",
    description:
      "Waits in the order of arrival, for as long as the client waits. To leave, close the connection.",
    successes: [{ status: 200, description: "The transaction is active.", body: json("Begun") }],
    errors: [...NO_TRANSACTION, "Paused"],
  },
  readEvents({
    description:
      "With a ticket, also the events that the transaction itself has appended. `beforeSequence`, `backwards`, `waitSeconds` and `headAtLeast` are then `400`.",
    parameters: ["optionalTicket"],
    errors: CALL,
  }, "HeadOutsideTransaction"),
  {
    method: "POST",
    path: "/events",
    id: "appendEvents",
    tag: "events",
    summary: "Append events, on a condition or on none",
    description: "A condition that fails ends the transaction. Without events, it is not checked.",
    parameters: ["ticket"],
    body: "AppendRequest",
    successes: [{
      status: 200,
      description: "Sequences and times, in the order sent. They are final once the transaction commits.",
      body: json("Appended"),
    }],
    errors: ["ConcurrencyException", ...CALL, "Unavailable", "DiskFull"],
  },
  readProjection({ parameters: ["optionalTicket"], errors: CALL }),
  findPosition(),
  catalog(),
  proof(),
  listProjections(),
  {
    method: "POST",
    path: "/projections",
    id: "writeProjections",
    tag: "projections",
    summary: "Create, replace and delete projections, all or nothing",
    description:
      "With a ticket, in its transaction, which a conflict ends. Without one, only during a pause.",
    parameters: ["optionalTicket"],
    body: "ProjectionWrite",
    successes: [{
      status: 200,
      description: "Done, once the transaction commits.",
      body: json("NewVersions"),
    }],
    errors: ["ConcurrencyException", "NotPaused", ...CALL, ...NO_TRANSACTION],
  },
  ...["commit", "rollback"].map((name): Operation =>
    command(`/${name}`, {
      id: name,
      tag: "transactions",
      summary: name === "commit" ? "Make everything durable" : "Leave nothing behind",
      parameters: ["ticket"],
      errors: [...CALL, "Unavailable", "DiskFull"],
    })
  ),
  ...deleteProjections(["NotPaused", ...NO_TRANSACTION]),
  ...subjectOperations([...NO_TRANSACTION, "Paused"]),
  command("/pause", {
    id: "pause",
    tag: "pause",
    summary: "Give out no more tickets, once earlier transactions are over",
    errors: NO_TRANSACTION,
  }),
  command("/resume", {
    id: "resume",
    tag: "pause",
    summary: "Give out tickets again",
    errors: NO_TRANSACTION,
  }),
  ...operational(
    "Queue, transactions, requests, reads, failures, the disk and the process; docs/metrics.md says what each means.",
  ),
  command("/reset", {
    id: "reset",
    tag: "development",
    summary: "Delete everything and draw a new store ID; the active transaction is cut off",
    errors: NO_TRANSACTION,
    absent: "NotInDevelopmentMode",
  }),
];

const MOMENT: Schema = { type: "string", format: "date-time" };

const ACTIVE: Schema = answer({
  since: ref("Time"),
  ageSeconds: NUMBER,
  deadline: ref("Time"),
  ceiling: ref("Time"),
  calls: COUNT,
});

const SCHEMAS: Readonly<Record<string, Schema>> = {
  Begun: answer({ ticket: ref("Id") }),
  ReadRequest: readRequest({
    time: request({
      description: "Only events of these times, in any order. `from` is inclusive, `before` exclusive.",
      properties: { from: MOMENT, before: MOMENT },
    }),
  }),
  PageLine: { oneOf: [ref("Event"), ref("HasMore")] },
  AppendRequest: request({
    required: ["events"],
    properties: {
      events: list(ref("NewEvent"), { maxItems: EVENTS_PER_CALL_MAX }),
      condition: ref("Condition"),
    },
  }),
  Condition: request({
    properties: {
      failIfEventsMatch: described(
        "The call fails if such an event exists. Without it, and with `afterSequence`, any event counts.",
        ref("Query"),
      ),
      afterSequence: described("Only events after this sequence count; without it, all do.", POSITION),
    },
  }),
  ProjectionWrite: {
    description: "At least one of the lists.",
    allOf: [ref("ProjectionChanges"), anyGiven("create", "replace", "delete")],
  },
  Appended: answer({ events: list(answer({ sequence: ref("Sequence"), time: ref("Time") })) }),
  Health: health(true),
  Debug: answer({
    time: ref("Time"),
    paused: orNull(answer({ since: ref("Time") })),
    write: turns(ACTIVE),
    read: ref("ReadsInFlight"),
  }),
  ...operationalSchemas(["transaction", "forget", "pause", "optimize", "resume", "projections"]),
};

export const EDITION_C: EditionInterface = {
  name: "C",
  folder: "c_ticket",
  summary: "One transaction at a time, addressed by a ticket, open in the database from begin to commit.",
  literals: [...LITERALS.keys()],
  operations: standingBy(OPERATIONS),
  schemas: SCHEMAS,
  conflicts: {
    forms: [CONDITION_PLACE, LIST_ITEM],
    example: { condition: 0, sequence: 3 },
    messageIsOptional: true,
  },
  exchanges: EXCHANGES_C,
};
