import type { Bug } from "./bug.ts";

/** Servers that share a PostgreSQL store disagree about who may write, or about what each has seen. */
export const CLUSTER_BUGS: readonly Bug[] = [
  {
    name: "a server that stands by takes over on a primary that was replaced",
    edits: [{
      file: "src/store/postgres/postgres_standby.ts",
      find: "known.some((each) => isOlder(timeline, each))",
      replace: 'known.some((each) => isOlder(timeline, each) && each === "")',
    }],
    caughtBy: { tests: "tests/system/postgres/active_server.test.ts" },
  },
  {
    name: "on PostgreSQL, every write transaction updates the row of the store",
    edits: [{
      file: "src/store/postgres/writing/transaction_runner.ts",
      find: "state.storeId === committed.storeId ? [] : [writeStoreId(state.storeId)];",
      replace: 'state.storeId === "" ? [] : [writeStoreId(state.storeId)];',
    }],
    caughtBy: { tests: "tests/system/postgres/tables.test.ts" },
  },
  {
    name: "a write transaction that was removed counts as missing",
    edits: [{
      file: "src/store/postgres/tables/turns.ts",
      find: 'return number < numberIn(lowest) ? "forgotten" : "missing";',
      replace: 'return number < numberIn(lowest) - 1e12 ? "forgotten" : "missing";',
    }],
    caughtBy: { tests: "tests/system/postgres/tables.test.ts" },
  },
  {
    name: "a read session with another primary on the same timeline is used again",
    edits: [{
      file: "src/store/postgres/reading/session_source.ts",
      find: "      if (row.timeline !== primary.seen.timeline) ",
      replace: '      if (row.timeline === "") ',
    }],
    caughtBy: { tests: "tests/store/postgres/reading/session_source.test.ts" },
  },
  {
    name: "an edition reads the pause of the one before it",
    edits: [{
      file: "src/store/postgres/cluster/write_ownership.ts",
      find: "writeOwner(owner), READ_STATE, DELETE_FORGOTTEN,",
      replace: "READ_STATE, writeOwner(owner), DELETE_FORGOTTEN,",
    }, {
      file: "src/store/postgres/cluster/write_ownership.ts",
      find: "const [, rows] = await session.run(own);",
      replace: "const [rows] = await session.run(own);",
    }],
    caughtBy: { tests: "tests/system/postgres/editions.test.ts" },
  },
  {
    name: "a server that ends right after its start stays registered",
    edits: [{
      file: "src/store/postgres/cluster/peer_monitor.ts",
      find: "    await this.#working;\n",
      replace: "",
    }],
    caughtBy: { tests: "tests/system/postgres/editions.test.ts" },
  },
];
