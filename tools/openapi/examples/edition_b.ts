import type { Exchange } from "../exchange.ts";
import { STORE, TIME_1, TIME_2, VERSION_1, VERSION_2, VERSION_3 } from "./names.ts";
import {
  healthExchange,
  IDLE_READS,
  IDLE_TURN,
  METRICS_EXCHANGE,
  OPENAPI_EXCHANGE,
  rootExchange,
  whoamiExchange,
} from "./operational.ts";
import { readExchanges } from "./reads.ts";
import { SUBJECT_EXCHANGES } from "./subjects.ts";
import { begin, COMMANDS } from "./tx_commands.ts";

const TX_1 = "550e8400-e29b-41d4-a716-446655440000";
const TX_2 = "a8098c1a-f86e-41da-bd1a-00112444be1e";

/** Rules of transactions, an abandoned transaction, and projections outside of transactions. */
const OTHERS: readonly Exchange[] = [
  begin("beginLast", TX_1, "A transaction that is abandoned"),
  {
    operation: "POST /tx/{txId}/events",
    name: "writeWithoutRead",
    summary: "A write that follows no read",
    path: { txId: TX_1 },
    request: { events: [] },
    status: 400,
    json: { error: "InvalidRequest", message: "events must be written directly after a read of events" },
  },
  {
    operation: "DELETE /tx/{txId}",
    name: "abandon",
    summary: "Abandon it, although it is over already",
    path: { txId: TX_1 },
    status: 204,
  },
  {
    operation: "POST /projections",
    name: "writeProjection",
    summary: "Create a projection",
    request: { create: [{ type: "room", id: "r1", payload: "{}" }] },
    status: 200,
    answerHeaders: { "X-Service-Store": STORE },
    json: { create: [{ version: VERSION_1 }], replace: [] },
  },
  {
    operation: "POST /projections",
    name: "replaceProjection",
    summary: "Replace it at its version",
    request: { replace: [{ type: "room", id: "r1", version: VERSION_1, payload: '{"seats":9}' }] },
    status: 200,
    answerHeaders: { "X-Service-Store": STORE },
    json: { create: [], replace: [{ version: VERSION_2 }] },
  },
  {
    operation: "POST /projections",
    name: "createAgain",
    summary: "Create one that exists already",
    request: { create: [{ type: "room", id: "r1", payload: "{}" }] },
    status: 409,
    json: {
      error: "ConcurrencyException",
      message: "create[0] already exists",
      conflict: { list: "create", item: 0 },
    },
  },
  {
    operation: "GET /projections/{type}/{id}",
    name: "room",
    summary: "The projection as it was written",
    path: { type: "room", id: "r1" },
    status: 200,
    answerHeaders: { "X-Service-Store": STORE, "X-Service-Version": VERSION_2 },
    text: '{"seats":9}',
  },
  {
    operation: "DELETE /projections/{type}",
    name: "deleteRooms",
    summary: "Delete the projections of one type",
    path: { type: "room" },
    status: 204,
  },
  {
    operation: "GET /projections",
    name: "list",
    summary: "What is left",
    status: 200,
    answerHeaders: { "X-Service-Store": STORE },
    lines: [{ type: "course", id: "c1", version: VERSION_3, bytes: 19 }, { hasMore: false }],
  },
  { operation: "DELETE /projections", name: "deleteAll", summary: "Delete every projection", status: 204 },
];

const OPERATION: readonly Exchange[] = [
  { operation: "POST /optimize", name: "optimize", summary: "The daily call", status: 204 },
  {
    operation: "POST /reset",
    name: "resetTooEarly",
    summary: "A reset outside a pause",
    status: 409,
    json: { error: "NotPaused" },
  },
  {
    operation: "GET /stats",
    name: "counts",
    summary: "What the requests before made of it",
    status: 200,
    json: {
      startedAt: TIME_1,
      lastOptimizeAt: TIME_2,
      writes: { committed: 4, conflicts: { condition: 1, projection: 1 }, writeQueueFull: 0 },
      transactions: { begun: 4, committed: 2, abandoned: 0, expired: 0, designErrors: 1, busy: 0, paused: 0 },
      pause: { state: "normal", since: TIME_1, openTransactions: 0 },
      errors: { internal: 0 },
    },
  },
  {
    operation: "GET /debug",
    name: "idle",
    summary: "A server at rest",
    status: 200,
    json: {
      time: TIME_2,
      pause: { state: "normal", since: TIME_1 },
      transactions: { open: 0 },
      write: IDLE_TURN,
      read: IDLE_READS,
    },
  },
  whoamiExchange("B"),
  rootExchange("B"),
  OPENAPI_EXCHANGE,
  METRICS_EXCHANGE,
  begin("beginBeforePause", TX_2, "A transaction that a pause has to wait for"),
  {
    operation: "POST /pause",
    name: "pauseRequested",
    summary: "A transaction is still open",
    status: 202,
    json: { openTransactions: 1 },
  },
  {
    operation: "POST /tx",
    name: "beginInPause",
    summary: "No transaction begins any more",
    status: 503,
    json: { error: "Paused" },
  },
  {
    operation: "DELETE /tx/{txId}",
    name: "abandonLast",
    summary: "Abandon it",
    path: { txId: TX_2 },
    status: 204,
  },
  {
    operation: "POST /pause",
    name: "pauseInPlace",
    summary: "None is open any more",
    status: 200,
    answerHeaders: { "X-Service-Store": STORE },
    json: { lastSequence: 3 },
  },
  healthExchange({ paused: true }),
  { operation: "POST /reset", name: "reset", summary: "Empty the store", status: 204 },
  { operation: "POST /resume", name: "resume", summary: "End the pause", status: 204 },
];

export const EXCHANGES_B: readonly Exchange[] = [
  ...COMMANDS,
  ...readExchanges("all"),
  ...SUBJECT_EXCHANGES,
  ...OTHERS,
  ...OPERATION,
];
