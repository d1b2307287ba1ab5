import type { Bug, Catcher } from "./bug.ts";

const power = (edition: "A" | "B" | "C"): Catcher => ({ check: "power", edition, rounds: 800 });

const CHECKPOINTS = "src/store/sqlite/writing/checkpoints.ts";
const COPY_EVENTS = "src/backup/source/copy_events.ts";
const WRITE_QUEUE = "src/turns/write_queue.ts";

/** What keeps a store in order, what copies it, and the queue in front of it. */
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
    name: "a backup says that a page is copied, and commits it with the next one",
    edits: [
      {
        file: "src/store/sqlite/backup/backup_writer.ts",
        find: '    this.#db.run("COMMIT");\n    this.#refuseLoss();',
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
    name: "a backup goes on with a source that was set back",
    edits: [{
      file: COPY_EVENTS,
      find: "  if (found === lastLine) return;",
      replace: "  if (found !== undefined) return;",
    }],
    caughtBy: { tests: "tests/backup/bad_sources.test.ts" },
  },
  {
    name: "an import says that it is done before it has compared the trailer",
    edits: [{
      file: "src/backup/history/import_events.ts",
      find: "      checkTrailer(decoder.decode(line.value), events, chain);\n",
      replace: "      void checkTrailer;\n",
    }],
    caughtBy: { tests: "tests/backup/import_events.test.ts" },
  },
  {
    name: "a paused store gives out tickets",
    edits: [{
      file: "src/editions/c_ticket/pause.ts",
      find: '    if (this.isPaused) throw new Refusal("Paused");',
      replace: "",
    }],
    caughtBy: { tests: "tests/editions/c_ticket/pause.test.ts" },
  },
  {
    name: "one more waits than may",
    edits: [{
      file: WRITE_QUEUE,
      find: "this.queuedCount >= this.#options.waitingMax",
      replace: "this.queuedCount > this.#options.waitingMax",
    }],
    caughtBy: { tests: "tests/turns/write_queue_model.test.ts" },
  },
  {
    name: "who comes last is served first",
    edits: [{
      file: WRITE_QUEUE,
      find: "this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, job);",
      replace: "this.#waiting.splice(place < 0 ? 0 : place, 0, job);",
    }],
    caughtBy: { tests: "tests/editions/c_ticket/fifo.test.ts" },
  },
  {
    name: "the client repeats a write of which the answer was lost",
    edits: [{
      file: "client/server.ts",
      find: "call.changes ? (error) => error instanceof Unavailable : isPassing,",
      replace: "call.changes ? (error) => error instanceof Unavailable || isPassing(error) : isPassing,",
    }],
    caughtBy: { tests: "tests/client/writing.test.ts" },
  },
];
