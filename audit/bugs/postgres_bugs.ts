import type { Bug, Catcher } from "./bug.ts";

/** Enough rounds for each disruption to occur once. A bug that shows less often needs more. */
const kills = (edition: "A" | "B" | "C", rounds = 10): Catcher => ({
  check: "postgres_kills",
  edition,
  rounds,
});

const TRANSACTIONS = "src/store/postgres/writing/transaction_runner.ts";
const OPEN_SESSION = "src/store/postgres/connection/open_session.ts";

/** On PostgreSQL: mistakes with several servers and with lost connections. */
export const POSTGRES_BUGS: readonly Bug[] = [
  {
    name: "on PostgreSQL, a write is acknowledged before its COMMIT",
    edits: [{
      file: TRANSACTIONS,
      find: "await session.run(ending, isLong ? LONG_MILLISECONDS : undefined);",
      replace: "session.run(ending).catch(() => {});",
    }],
    caughtBy: kills("A"),
  },
  {
    name: "on PostgreSQL, a COMMIT that lost its answer is reported as rejected",
    edits: [{
      file: TRANSACTIONS,
      find: "return isThere ? done(undefined) : failureOf(new SessionLost(reason));",
      replace: "return failureOf(new SessionLost(reason));",
    }],
    caughtBy: kills("A", 30),
  },
  {
    name: "on PostgreSQL, a COMMIT that lost its answer is reported as done",
    edits: [{
      file: TRANSACTIONS,
      find: "return isThere ? done(undefined) : failureOf(new SessionLost(reason));",
      replace: "return done(undefined);",
    }],
    caughtBy: kills("A"),
  },
  {
    name: "on PostgreSQL, a write transaction does not lock the row of the store",
    edits: [{
      file: "src/store/postgres/tables/state.ts",
      find: '"SELECT FROM store FOR UPDATE"',
      replace: '"SELECT FROM store"',
    }],
    caughtBy: kills("A"),
  },
  {
    name: "on PostgreSQL, a write transaction continues from the head that this server knows",
    edits: [{
      file: "src/store/postgres/writing/writer_state.ts",
      find: "    this.#committed = { storeId, head, turn };\n    const isKnown",
      replace: "    this.#committed = { ...last, turn };\n    const isKnown",
    }],
    caughtBy: kills("A"),
  },
  {
    name: "on PostgreSQL, the write transaction of a frozen server is never ended",
    edits: [{
      file: OPEN_SESSION,
      find: '"setup" ? "0" : `${IDLE_TRANSACTION}ms`',
      replace: '"setup" ? "0" : `${IDLE_TRANSACTION - IDLE_TRANSACTION}ms`',
    }],
    caughtBy: kills("A"),
  },
  {
    name: "on PostgreSQL, a lost connection is an error of the server",
    edits: [{
      file: "src/store/postgres/writing/failures.ts",
      find: '    return { kind: "failed", reason, code: "Unavailable", cause: "connection" };',
      replace: '    return { kind: "failed", reason, cause: "connection" };',
    }],
    caughtBy: kills("C"),
  },
  {
    name: "on PostgreSQL, a COMMIT that no synchronous replica has confirmed is reported as done",
    edits: [{
      file: "src/store/postgres/protocol/greeting.ts",
      find: 'fieldsIn(body).get("R") === "SyncRepWaitForLSN"',
      replace: 'fieldsIn(body).get("R") === "NeverSaid"',
    }],
    caughtBy: { tests: "tests/system/postgres/synchronous_replica.test.ts" },
  },
  {
    name: "on PostgreSQL, a query for the outcome of a COMMIT does not wait for the synchronous replica",
    edits: [{
      file: "src/store/postgres/writing/lost_transaction.ts",
      find: 'writeSeen(server, edition),\n      { sql: "COMMIT" },',
      replace: 'writeSeen(server, edition),\n      { sql: "ROLLBACK" },',
    }],
    caughtBy: { tests: "tests/system/postgres/synchronous_replica.test.ts" },
  },
];
