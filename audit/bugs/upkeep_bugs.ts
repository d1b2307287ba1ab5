import type { Bug, Catcher } from "./bug.ts";

const power = (edition: "A" | "B" | "C"): Catcher => ({ check: "power", edition, rounds: 800 });

const CHECKPOINTS = "src/store/sqlite/writing/checkpoints.ts";
const COPY_EVENTS = "src/backup/source/copy_events.ts";

/** Mistakes in maintenance, in backups and exports, and in the write queue. */
export const UPKEEP_BUGS: readonly Bug[] = [
  {
    name: "a checkpoint empties the log before the database file is synced",
    edits: [
      {
        file: CHECKPOINTS,
        find: "    this.#db.all(`PRAGMA busy_timeout = ${milliseconds}`);\n",
        replace:
          "    this.#db.all(`PRAGMA busy_timeout = ${milliseconds}`);\n    this.#db.all('PRAGMA synchronous = OFF');\n",
      },
      {
        file: CHECKPOINTS,
        find: "    } finally {\n      this.#db.all(",
        replace: "    } finally {\n      this.#db.all('PRAGMA synchronous = FULL');\n      this.#db.all(",
      },
    ],
    caughtBy: power("A"),
  },
  {
    name: "a backup reports a page as copied, and commits it with the next one",
    edits: [
      {
        file: "src/store/sqlite/backup/backup_writer.ts",
        find: '    this.#db.run("COMMIT");\n    this.#rejectLoss();',
        replace: '    if (this.#isLate) this.#db.run("COMMIT");\n    this.#isLate = !this.#isLate;',
      },
      {
        file: "src/store/sqlite/backup/backup_writer.ts",
        find: "  #head: number;\n\n  private",
        replace: "  #head: number;\n  #isLate = false;\n\n  private",
      },
    ],
    caughtBy: { tests: "tests/backup/runs.test.ts" },
  },
  {
    name: "a backup puts the events of two stores into one file",
    edits: [{
      file: COPY_EVENTS,
      find:
        "      if (part.storeId !== storeId) throw changedStore(source, storeId, part.storeId);\n      const",
      replace: "      const",
    }],
    caughtBy: { tests: "tests/backup/resets.test.ts" },
  },
  {
    name: "a backup continues with a source whose history went back",
    edits: [{
      file: COPY_EVENTS,
      find: "  if (found === lastLine) return;",
      replace: "  if (found !== undefined) return;",
    }],
    caughtBy: { tests: "tests/backup/bad_sources.test.ts" },
  },
  {
    name: "an import reports success before it has compared the trailer",
    edits: [{
      file: "src/backup/history/import_events.ts",
      find: "      checkTrailer(trailer, { events, chain, moved, number });\n",
      replace: "      void [checkTrailer, moved];\n",
    }],
    caughtBy: { tests: "tests/backup/import_events.test.ts" },
  },
  {
    name: "a paused store issues tickets",
    edits: [{
      file: "src/editions/c_ticket/pause.ts",
      find: '    if (this.isPaused) throw new ApiError("Paused");',
      replace: "",
    }],
    caughtBy: { tests: "tests/editions/c_ticket/pause.test.ts" },
  },
  {
    name: "one request too many may wait",
    edits: [{
      file: "src/write_queue/write_queue.ts",
      find: "this.queuedCount >= this.#options.waitingMax",
      replace: "this.queuedCount > this.#options.waitingMax",
    }],
    caughtBy: { tests: "tests/write_queue/write_queue_model.test.ts" },
  },
  {
    name: "the last request in the queue is served first",
    edits: [{
      file: "src/write_queue/waiting_jobs.ts",
      find: "this.#jobs.splice(later < 0 ? this.#jobs.length : later, 0, job);",
      replace: "this.#jobs.splice(later < 0 ? 0 : later, 0, job);",
    }],
    caughtBy: { tests: "tests/editions/c_ticket/fifo.test.ts" },
  },
  {
    name: "the client repeats a write that lost its answer",
    edits: [{
      file: "client/server.ts",
      find: "(error) => isPassing(error) && !error.outcomeUnknown,",
      replace: "isPassing,",
    }],
    caughtBy: { tests: "tests/client/writing.test.ts" },
  },
  {
    name: "a backup leaves out the last event of its source",
    edits: [
      {
        file: COPY_EVENTS,
        find: "    for await (const part of source.page(before)) {\n",
        replace: "    let held: Uint8Array[] = [];\n    for await (const part of source.page(before)) {\n",
      },
      {
        file: COPY_EVENTS,
        find: "      const events = part.lines.map((",
        replace: `      const lines = [...held, ...part.lines.map((line) => line.slice())];
      held = part.hasMore === true ? [] : lines.splice(-1);
      const events = lines.map((`,
      },
    ],
    caughtBy: { check: "endurance", edition: "A", rounds: 0.2 },
  },
  {
    name: "an import leaves the metadata out of the tag index",
    edits: [{
      file: "src/backup/history/import_events.ts",
      find: "prepareEvent(event, timeMicros, body);",
      replace: "prepareEvent({ ...event, metadata: [] }, timeMicros, body);",
    }],
    caughtBy: { check: "tools", edition: "A", rounds: 60 },
  },
  {
    name: "a stop that cannot empty the log fails, and does not say why",
    edits: [
      {
        file: CHECKPOINTS,
        find: '        this.#report({ kind: "checkpointFailed", reason: this.#failure',
        replace: "        if (mode === 'TRUNCATE' && waitMilliseconds > 0) throw error;\n" +
          '        this.#report({ kind: "checkpointFailed", reason: this.#failure',
      },
      {
        file: "main.ts",
        find: "    errors.line(`shutdown failed: ${error.message}`);\n    return",
        replace: "    void error;\n    return",
      },
    ],
    caughtBy: { check: "faults", edition: "A", rounds: 60 },
  },
  {
    name: "verify fails with an error of its own on a tree that differs",
    edits: [{
      file: "src/backup/history/copied_check.ts",
      find: "const more = differing.length === 1",
      replace: "const more = (differing as unknown as { blocks: number[] }).blocks.length === 1",
    }],
    caughtBy: { check: "damage", edition: "A", rounds: 200 },
  },
];
