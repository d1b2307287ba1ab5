import { answer, COUNT, described, list, oneWord, ref, request, type Schema } from "../schema.ts";
import { settingLimit } from "../limits.ts";
import { EVENT_PROPERTIES, PROJECTION_KEY } from "./model_schemas.ts";
import { readRequest } from "./read_request.ts";
import { health, ONE_TURN, operationalSchemas, turns } from "./operational_schemas.ts";

const PAUSE_STATE = oneWord("normal", "pauseRequested", "paused");

function counts(...names: string[]): Schema {
  return answer(Object.fromEntries(names.map((name) => [name, COUNT])));
}

const STATISTICS: Schema = answer({
  startedAt: ref("Time"),
  lastOptimizeAt: ref("Time"),
  writes: answer({
    committed: COUNT,
    conflicts: counts("condition", "projection"),
    writeQueueFull: COUNT,
  }),
  transactions: counts("begun", "committed", "abandoned", "expired", "designErrors", "busy", "paused"),
  pause: answer({ state: PAUSE_STATE, since: ref("Time"), openTransactions: COUNT }),
  errors: counts("internal"),
});

/** The schemas of edition B. */
export const SCHEMAS_B: Readonly<Record<string, Schema>> = {
  ReadRequest: readRequest(),
  PageLine: { oneOf: [ref("Event"), ref("HasMore")] },
  Begun: answer({ txId: ref("Id") }),
  TxReadRequest: request({ required: ["query"], properties: { query: ref("Query") } }),
  TxLine: { oneOf: [ref("TxEvent"), ref("End")] },
  TxEvent: described(
    "A committed event, or one of the transaction's own, which has no sequence yet.",
    answer(EVENT_PROPERTIES, ["sequence", "forgotten"]),
  ),
  End: described(
    "The last line. A response without it was cut short: abandon the transaction.",
    answer({ end: { type: "boolean", const: true } }),
  ),
  TxWriteRequest: request({
    required: ["events"],
    properties: { events: list(ref("NewEvent"), { maxItems: settingLimit("maxEventsPerTx") }) },
  }),
  TimeOfCall: answer({ time: ref("Time") }),
  TxProjectionChanges: request({
    description:
      "Without versions: the transaction knows those that it read. No type and id may occur twice.",
    properties: {
      create: list(ref("ProjectionCreate")),
      replace: list(ref("ProjectionCreate")),
      delete: list(request({ required: ["type", "id"], properties: PROJECTION_KEY })),
    },
  }),
  PauseInPlace: answer({ lastSequence: COUNT }),
  PauseRequested: answer({ openTransactions: COUNT }),
  Statistics: STATISTICS,
  Health: health(true),
  Debug: answer({
    time: ref("Time"),
    pause: answer({ state: PAUSE_STATE, since: ref("Time") }),
    transactions: answer({ open: COUNT }),
    write: turns(ONE_TURN),
    read: ref("ReadsInFlight"),
  }),
  ...operationalSchemas([
    "commit",
    "forget",
    "projections",
    "pause",
    "resume",
    "optimize",
    "reset",
    "firstOptimize",
  ]),
};
