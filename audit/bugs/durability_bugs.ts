import type { Bug, Catcher } from "./bug.ts";

const power = (edition: "A" | "B" | "C"): Catcher => ({ check: "power", edition, rounds: 800 });
const kills = (edition: "A" | "B" | "C"): Catcher => ({ check: "kills", edition, rounds: 12 });

const CONNECTION = "src/store/sqlite/connection/connection.ts";
const TRANSACTIONS = "src/store/sqlite/writing/transaction_runner.ts";
const WRITER = "src/store/sqlite/writing/writer.ts";
const PAUSE_FILE = "src/store/core/pause_file.ts";

/** Acknowledged writes are missing on the disk, incomplete, or in the wrong order. */
export const DURABILITY_BUGS: readonly Bug[] = [
  {
    name: "commits are not synced: synchronous NORMAL instead of FULL",
    edits: [{
      file: CONNECTION,
      find: '["synchronous", "FULL", 2]',
      replace: '["synchronous", "NORMAL", 1]',
    }],
    caughtBy: power("A"),
  },
  {
    name: "nothing is synced: synchronous OFF",
    edits: [{ file: CONNECTION, find: '["synchronous", "FULL", 2]', replace: '["synchronous", "OFF", 0]' }],
    caughtBy: power("B"),
  },
  {
    name: "a write is acknowledged before its COMMIT, which follows with the next write transaction",
    edits: [
      {
        file: TRANSACTIONS,
        find: '    try {\n      this.#db.run("COMMIT");\n',
        replace: "    try {\n      this.#isLate = true;\n",
      },
      {
        file: TRANSACTIONS,
        find: '      this.#db.run("BEGIN IMMEDIATE");\n      return done(undefined);',
        replace: '      if (this.#isLate) this.#db.run("COMMIT");\n      this.#isLate = false;\n' +
          '      this.#db.run("BEGIN IMMEDIATE");\n      return done(undefined);',
      },
      {
        file: TRANSACTIONS,
        find: "  #mustFence = false;",
        replace: "  #mustFence = false;\n  #isLate = false;",
      },
    ],
    caughtBy: kills("A"),
  },
  {
    name: "a pause of edition C is not synced",
    edits: [{
      file: PAUSE_FILE,
      find: "    await syncInBackground(path);\n    await syncInBackground(dataDir);\n",
      replace: "",
    }],
    caughtBy: power("C"),
  },
  {
    name: "the end of a pause of edition C is not synced",
    edits: [{
      file: PAUSE_FILE,
      find: "    await directory.sync();\n",
      replace: "    await Promise.resolve();\n",
    }],
    caughtBy: power("C"),
  },
  {
    name: "a pause of edition B is kept in memory only",
    edits: [{
      file: WRITER,
      find: "      writePausedSince(this.#db, sinceMicros);\n",
      replace: "      void writePausedSince, sinceMicros;\n",
    }],
    caughtBy: { check: "kills", edition: "B", rounds: 30 },
  },
  {
    name: "a start deletes the log, as if it were left over",
    edits: [{
      file: WRITER,
      find: "    else rejectSecondName(path);\n",
      replace:
        "    else rejectSecondName(path);\n    try {\n      Deno.removeSync(`${path}-wal`);\n    } catch {\n" +
        "      // There is none.\n    }\n",
    }],
    caughtBy: kills("A"),
  },
  {
    name: "the database gets its name before it is complete",
    edits: [
      {
        file: "src/store/sqlite/data_directory/new_database_file.ts",
        find: "this.temporary = `${path}.new`;",
        replace: "this.temporary = path;",
      },
      {
        file: "src/files/new_file.ts",
        find: "  Deno.renameSync(temporary, path);",
        replace: "  if (temporary !== path) Deno.renameSync(temporary, path);",
      },
    ],
    caughtBy: power("A"),
  },
  {
    name: "events and projections of a commit are two transactions",
    edits: [{
      file: "src/store/sqlite/writing/write_transaction.ts",
      find: "    const versions = applyProjections(this.#db, projections);\n",
      replace: "    const versions = applyProjections(this.#db, projections);\n" +
        '    if (events.length > 0) this.#db.run("COMMIT"), this.#db.run("BEGIN IMMEDIATE");\n',
    }],
    caughtBy: power("A"),
  },
  {
    name: "the end of a ticket's transaction does not wait for the COMMIT",
    edits: [{
      file: "src/editions/c_ticket/ticket_transaction.ts",
      find: "const outcome: Outcome<void> = await running.catch(",
      replace: 'const done: Outcome<void> = { kind: "done", value: undefined };\n' +
        "    running.catch(() => {});\n" +
        "    const outcome: Outcome<void> = await Promise.resolve(done).catch(",
    }],
    caughtBy: power("C"),
  },
  {
    name: "a COMMIT that failed is reported as rejected without a fence over it",
    edits: [{
      file: TRANSACTIONS,
      find: "      this.#fence();\n      return true;",
      replace: "      return true;",
    }],
    caughtBy: { tests: "tests/server/failed_commit.test.ts" },
  },
  {
    name: "an unknown outcome is reported as rejected",
    edits: [{
      file: TRANSACTIONS,
      find: 'kind: this.#isFenced() ? "failed" : "unknown"',
      replace: 'kind: this.#isFenced() ? "failed" : "failed"',
    }],
    caughtBy: { tests: "tests/server/failed_commit.test.ts" },
  },
  {
    name: "a server continues after an I/O error",
    edits: [{ file: TRANSACTIONS, find: "  SqlCode.ioError,\n", replace: "" }],
    caughtBy: { tests: "tests/server/failed_commit.test.ts" },
  },
  {
    name: "files that are deleted or replaced are not noticed",
    edits: [{
      file: "src/store/sqlite/data_directory/store_files.ts",
      find: "      if (dev !== device || ino !== number) return",
      replace: "      if (dev !== device && ino !== number) return",
    }],
    caughtBy: { tests: "tests/server/lost_files.test.ts" },
  },
  {
    name: "a start takes an empty file for a database that is still to be created",
    edits: [{
      file: "src/store/sqlite/data_directory/database_file.ts",
      find: "  if (header.length === 0) {\n",
      replace: '  if (header.length === 0) {\n    if (path !== "") return false;\n',
    }],
    caughtBy: { check: "starts", edition: "A", rounds: 221 },
  },
  {
    name: "a log is applied to any database next to it",
    edits: [{
      file: "src/store/sqlite/data_directory/whole_with_wal.ts",
      find: "  if (inWal.pagesAfter > 0) {",
      replace: "  if (inWal.pagesAfter < 0) {",
    }],
    caughtBy: { check: "starts", edition: "A", rounds: 221 },
  },
  {
    name: "verify does not compare the tree of a backup",
    edits: [{
      file: "src/backup/history/check_history.ts",
      find: "  if (difference !== undefined) faults",
      replace: "  if (head < 0 && difference !== undefined) faults",
    }],
    caughtBy: { check: "damage", edition: "A", rounds: 200 },
  },
];
