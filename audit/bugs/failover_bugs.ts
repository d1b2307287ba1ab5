import type { Bug, Catcher } from "./bug.ts";

const chain = (edition: "A" | "B" | "C", rounds: number): Catcher => ({ check: "chain", edition, rounds });

const FAILOVER = "src/store/postgres/cluster/failover.ts";
const PRIMARY = "src/store/postgres/cluster/primary.ts";
const HISTORY_CHECK = "src/store/postgres/cluster/history_check.ts";
const SESSION_SOURCE = "src/store/postgres/reading/session_source.ts";
const TRANSACTIONS = "src/store/postgres/writing/transaction_runner.ts";

/** A replica is read as if it were the primary, or history goes back and no client is notified. */
export const FAILOVER_BUGS: readonly Bug[] = [
  {
    name: "reads of the primary go to the host that answers first",
    edits: [
      {
        file: "src/store/postgres/connection/open_session.ts",
        find: '    address,\n    "read-write",\n',
        replace: '    address,\n    purpose === "reading" ? address.target ?? "any" : "read-write",\n',
      },
      {
        file: PRIMARY,
        find: "    await session.orClose(() => this.check(session));\n    return session;",
        replace:
          '    if (purpose !== "reading") await session.orClose(() => this.check(session));\n    return session;',
      },
      {
        file: SESSION_SOURCE,
        find: "isGood: (session) => primary.isCurrent(session),",
        replace: "isGood: () => true,",
      },
      {
        file: SESSION_SOURCE,
        find: '      if (!primary.isCurrent(session)) return "it was the primary before a failover";\n' +
          '      if (row.turn.number < expected) return "it lacks turns that were committed";\n' +
          "      if (row.timeline !== primary.seen.timeline) " +
          'return "it is not the primary on which this server works";\n' +
          "      primary.saw(session, row);\n      return undefined;",
        replace: "      return void [session, row, expected];",
      },
    ],
    caughtBy: chain("A", 6),
  },
  {
    name: "a read of the primary may lack acknowledged writes",
    edits: [{
      file: SESSION_SOURCE,
      find: 'if (row.turn.number < expected) return "it lacks',
      replace: 'if (row.turn.number < expected - Infinity) return "it lacks',
    }],
    caughtBy: { tests: "tests/store/postgres/reading/session_source.test.ts" },
  },
  {
    name: "a read continues on a primary that was replaced",
    edits: [{
      file: SESSION_SOURCE,
      find: 'if (!primary.isCurrent(session)) return "it was',
      replace: 'if (row.storeId === "") return "it was',
    }, {
      file: SESSION_SOURCE,
      find: "      primary.saw(session, row);\n",
      replace: "      primary.seen.saw(row);\n",
    }],
    caughtBy: { tests: "tests/store/postgres/reading/session_source.test.ts" },
  },
  {
    name: "the last write transaction that was read is not remembered",
    edits: [{ file: SESSION_SOURCE, find: "      primary.saw(session, row);\n", replace: "" }],
    caughtBy: { tests: "tests/store/postgres/reading/session_source.test.ts" },
  },
  {
    name: "the last write transaction that was read from a replica is not remembered",
    edits: [{ file: SESSION_SOURCE, find: "if (fault === undefined) primary.seen.saw(row);\n", replace: "" }],
    caughtBy: { tests: "tests/store/postgres/reading/session_source.test.ts" },
  },
  {
    name: "replicas that follow another primary are read",
    edits: [{
      file: SESSION_SOURCE,
      find: "    timeline === primary.seen.timeline ? undefined",
      replace: '    timeline !== "" ? undefined',
    }],
    caughtBy: { tests: "tests/system/postgres/failover.test.ts" },
  },
  {
    name: "a page with a part that ends too early is reported as complete",
    edits: [{
      file: "src/store/core/open_page.ts",
      find: "  return part.storeId !== page.storeId || part.head < page.head;",
      replace: "  return part.storeId !== page.storeId;",
    }],
    caughtBy: { tests: "tests/store/core/open_page.test.ts" },
  },
  {
    name: "a pre-check trusts a host that ends too early",
    edits: [{
      file: "src/store/core/pre_check.ts",
      find: "chunk.storeId === this.#storeId && chunk.head >= (request.head ?? 0);",
      replace: "chunk.storeId === this.#storeId;",
    }],
    caughtBy: { tests: "tests/store/core/pre_check.test.ts" },
  },
  {
    name: "a history that lacks what this server has seen keeps its store ID",
    edits: [{
      file: FAILOVER,
      find: 'if (seen === "missing") return absent === 0 || isGraceOver ? "renew" : "wait";',
      replace: 'if (seen === "missing" && absent >= 0) return "whole";',
    }],
    caughtBy: chain("A", 12),
  },
  {
    name: "a server that has seen nothing of a history reports it as complete",
    edits: [{
      file: FAILOVER,
      find: 'if (seen === "present" && awaited === 0) return "whole";',
      replace: 'if (awaited === 0) return "whole";',
    }],
    caughtBy: { tests: "tests/store/postgres/cluster/failover.test.ts" },
  },
  {
    name: "a server that the database does not know reports its history as complete",
    edits: [{
      file: HISTORY_CHECK,
      find: "servers.some(({ name, isRegistered }) => isRegistered && name === server);",
      replace: "servers.every(({ name }) => name !== '');",
    }],
    caughtBy: { tests: "tests/store/postgres/cluster/primary.test.ts" },
  },
  {
    name: "after a failover, a server does not wait for other servers",
    edits: [{
      file: HISTORY_CHECK,
      find: ".difference(done).size;",
      replace: ".difference(done).size * 0;",
    }],
    caughtBy: { tests: "tests/store/postgres/cluster/primary.test.ts" },
  },
  {
    name: "time in which PostgreSQL was down counts as waiting for other servers",
    edits: [{
      file: HISTORY_CHECK,
      find: "Math.min(askedAt - before.askedAt, GRACE_STEP_MILLISECONDS);",
      replace: "Math.max(askedAt - before.askedAt, GRACE_STEP_MILLISECONDS - Infinity);",
    }],
    caughtBy: { tests: "tests/system/postgres/history_checks.test.ts" },
  },
  {
    name: "a write transaction that lost its answer is acknowledged and not remembered",
    edits: [{ file: TRANSACTIONS, find: "      this.#ownership.primary.seen.saw(after);\n", replace: "" }],
    caughtBy: { tests: "tests/system/postgres/history_checks.test.ts" },
  },
  {
    name: "a disk that went back behind a new store ID is accepted as it is",
    edits: [{
      file: "src/store/postgres/cluster/seen_history.ts",
      find: "(seen.storeId !== storeId && turn.number >= seen.turn.number)",
      replace: "(seen.storeId !== storeId && turn.number >= 0)",
    }],
    caughtBy: { tests: "tests/system/postgres/history_checks.test.ts" },
  },
  {
    name: "a primary that was replaced is accepted again",
    edits: [{
      file: FAILOVER,
      find: "  return system === otherSystem && parseInt(id, 16) < parseInt(otherId, 16);",
      replace: "  return system !== otherSystem && parseInt(id, 16) < parseInt(otherId, 16) - Infinity;",
    }],
    caughtBy: { tests: "tests/store/postgres/cluster/failover.test.ts" },
  },
  {
    name: "a condition at a position that its history has not reached holds",
    edits: [{
      file: "src/store/core/check_conditions.ts",
      find: "(afterSequence > head && afterSequence < Number.MAX_SAFE_INTEGER)",
      replace: "(afterSequence > head && afterSequence < 0)",
    }],
    caughtBy: { tests: "tests/store/sqlite/contract.test.ts" },
  },
  {
    name: "one lock timeout ends the heartbeats of the active server",
    edits: [{
      file: "src/store/postgres/writing/writer_session.ts",
      find: "(error) => error instanceof DatabaseError && answered(),",
      replace: "() => {},",
    }],
    caughtBy: { tests: "tests/system/postgres/active_server.test.ts" },
  },
  {
    name: "a server that stands by takes over although the active one lives",
    edits: [{
      file: "src/store/postgres/cluster/active_server.ts",
      find: "WHERE (a.backend_start = s.session_start",
      replace: "WHERE (a.backend_start < s.session_start",
    }],
    caughtBy: { tests: "tests/system/postgres/takeover.test.ts" },
  },
  {
    name: "a server that stands by never takes over",
    edits: [{
      file: "src/store/postgres/postgres_standby.ts",
      find: "      if (active === undefined) return true;\n",
      replace: "      if (active === undefined) {\n        if (polls === 0) return true;\n" +
        "        await this.#pause(STANDBY_POLL);\n        continue;\n      }\n",
    }],
    caughtBy: { check: "postgres_kills", edition: "B", rounds: 10 },
  },
];
