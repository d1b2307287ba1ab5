import { LITERALS } from "../../../src/editions/b_tx/tx_requests.ts";
import type { EditionInterface } from "../edition_interface.ts";
import { CONDITION_PLACE, LIST_ITEM, NAMED_PROJECTION } from "../errors.ts";
import { EXCHANGES_B } from "../examples/edition_b.ts";
import { json, type Operation } from "../operation.ts";
import {
  catalog,
  command,
  deleteProjections,
  document,
  findPosition,
  listProjections,
  NO_TRANSACTION,
  operational,
  proof,
  readEvents,
  readProjection,
  standingBy,
} from "./shared_operations.ts";
import { subjectOperations } from "./subject_operations.ts";
import { TX_OPERATIONS } from "./tx_operations.ts";
import { SCHEMAS_B } from "./tx_schemas.ts";

const PAUSE: readonly Operation[] = [
  {
    method: "POST",
    path: "/pause",
    id: "pause",
    tag: "pause",
    summary: "Keep new transactions out",
    description: "While any are open, they may still commit: call again after a moment.",
    successes: [
      { status: 200, description: "The pause is in place.", headers: ["Store"], body: json("PauseInPlace") },
      { status: 202, description: "Transactions are still open.", body: json("PauseRequested") },
    ],
    errors: NO_TRANSACTION,
  },
  command("/resume", {
    id: "resume",
    tag: "pause",
    summary: "End the pause, or withdraw the request",
    errors: NO_TRANSACTION,
  }),
];

const OPERATIONS: readonly Operation[] = [
  readEvents(),
  ...TX_OPERATIONS,
  readProjection(),
  findPosition(),
  catalog(),
  proof(),
  listProjections(),
  {
    method: "POST",
    path: "/projections",
    id: "writeProjections",
    tag: "projections",
    summary: "Create, replace and delete projections outside a transaction, all or nothing",
    body: "ProjectionChanges",
    successes: [{
      status: 200,
      description: "Everything is durable.",
      headers: ["Store"],
      body: json("NewVersions"),
    }],
    errors: ["ConcurrencyException", ...NO_TRANSACTION],
  },
  ...deleteProjections(NO_TRANSACTION),
  ...subjectOperations([...NO_TRANSACTION, "Paused"]),
  ...PAUSE,
  command("/optimize", {
    id: "optimize",
    tag: "operation",
    summary: "Refresh the statistics of the database; once a day is enough",
    errors: NO_TRANSACTION,
  }),
  document("/stats", "What was counted since the start", json("Statistics")),
  ...operational(
    "The counts of `/stats`, requests, reads, failures, the disk and the process. docs/metrics.md describes each.",
  ),
  command("/reset", {
    id: "reset",
    tag: "development",
    summary: "Delete everything and draw a new store ID, during a pause",
    errors: ["NotPaused", ...NO_TRANSACTION],
    absent: "NotInDevelopmentMode",
  }),
];

export const EDITION_B: EditionInterface = {
  name: "B",
  folder: "b_tx",
  summary: "Optimistic transactions under `/tx`: read, decide, write, commit.",
  literals: [...LITERALS.keys()],
  operations: standingBy(OPERATIONS),
  schemas: SCHEMAS_B,
  conflicts: {
    forms: [CONDITION_PLACE, NAMED_PROJECTION, LIST_ITEM],
    example: { condition: 0, sequence: 2 },
    messageIsOptional: false,
  },
  exchanges: EXCHANGES_B,
};
