import type { Bug, Catcher } from "./bug.ts";

const order = (edition: "A" | "B" | "C"): Catcher => ({ check: "order", edition, rounds: 10 });

const CHECK_CONDITIONS = "src/store/core/check_conditions.ts";
const PROJECTIONS = "src/store/sqlite/tables/projections.ts";

/** The store takes a decision that its rules forbid, or notifies no reader. */
export const RULE_BUGS: readonly Bug[] = [
  {
    name: "the last of several conditions is not checked",
    edits: [{
      file: CHECK_CONDITIONS,
      find: "of conditions.entries()) {",
      replace: "of conditions.entries()) {\n    if (index > 0 && index === conditions.length - 1) break;",
    }],
    caughtBy: order("A"),
  },
  {
    name: "a condition looks one event too late",
    edits: [{
      file: CHECK_CONDITIONS,
      find: "  const after = Math.max(afterSequence, known?.upTo ?? 0);",
      replace: "  const after = Math.max(afterSequence, known?.upTo ?? 0) + 1;",
    }],
    caughtBy: order("A"),
  },
  {
    name: "a condition that was read on another store is accepted",
    edits: [{
      file: CHECK_CONDITIONS,
      find: "(store !== undefined && store !== storeId) ||",
      replace: "(store !== undefined && store !== storeId && afterSequence > head) ||",
    }],
    caughtBy: { tests: "tests/editions/a_write/model.test.ts" },
  },
  {
    name: "a condition does not see the earlier writes of its group",
    edits: [{
      file: "src/store/sqlite/writing/write_transaction.ts",
      find: "    return known < this.#head && suspectsAfter(",
      replace: "    return known < this.#head && known < 0 && suspectsAfter(",
    }],
    caughtBy: order("A"),
  },
  {
    name: "recent terms are not remembered",
    edits: [{
      file: "src/store/core/recent_terms.ts",
      find: '      for (const term of terms.split(" ")) this.#current.set(term, sequence);',
      replace: '      for (const term of terms.split(" ").slice(1)) this.#current.set(term, sequence);',
    }],
    caughtBy: order("B"),
  },
  {
    name: "after a rollback, recent terms claim to know every event",
    edits: [{
      file: "src/store/core/recent_terms.ts",
      find: "    this.#floor = head;\n    this.#generationStart = head;\n    this.#older.clear();",
      replace: "    this.#floor = 0;\n    this.#generationStart = head;\n    this.#older.clear();",
    }],
    caughtBy: order("C"),
  },
  {
    name: "a projection is replaced whatever its version",
    edits: [{
      file: "src/store/core/projection_conflict.ts",
      find: "      if (versionOf(change) !== change.version)",
      replace: '      if (list === "delete" && versionOf(change) !== change.version)',
    }],
    caughtBy: { tests: "tests/editions/a_write/race.test.ts" },
  },
  {
    name: "a waiting reader is not notified of an event of its type",
    edits: [{
      file: "src/store/feed/commit_feed.ts",
      find: "    for (const key of [EVERY, lastKey(sequence), ...own]) {",
      replace: "    for (const key of [EVERY, lastKey(sequence), ...[...own].slice(1)]) {",
    }],
    caughtBy: { tests: "tests/store/feed/commit_feed.test.ts" },
  },
  {
    name: "a client that disconnects keeps its position in the queue",
    edits: [{
      file: "src/write_queue/waiting_jobs.ts",
      find: '    client?.addEventListener("abort", job.onLeave, { once: true });\n',
      replace: "",
    }],
    caughtBy: { tests: "tests/editions/c_ticket/leaving.test.ts" },
  },
  {
    name: "two servers may have one data directory",
    edits: [{
      file: "src/store/sqlite/data_directory/data_directory.ts",
      find: "  if (!file.tryLockSync(true)) {",
      replace: "  if (!file.tryLockSync(false)) {",
    }],
    caughtBy: { check: "races", edition: "A", rounds: 1 },
  },
  {
    name: "a commit of edition B checks only its last read",
    edits: [{
      file: "src/editions/b_tx/commit.ts",
      find: "    conditions,\n    projections: {",
      replace: "    conditions: conditions.slice(-1),\n    projections: {",
    }],
    caughtBy: order("B"),
  },
  {
    name: "a page backwards skips the newest event",
    edits: [{
      file: "src/store/core/ranges/direction.ts",
      find: '  return direction === "forwards" ? after : upTo;\n}\n\nexport function endOf',
      replace: '  return direction === "forwards" ? after : upTo - 1;\n}\n\nexport function endOf',
    }],
    caughtBy: order("A"),
  },
  {
    name: "a page is reported as the last one when it is not",
    edits: [{
      file: "src/editions/shared/read_events.ts",
      find: "body: [lines, trailerLine(hasMore)]",
      replace: "body: [lines, trailerLine(hasMore && lines.length > 1000)]",
    }],
    caughtBy: order("A"),
  },
  {
    name: "an item with several tags matches an event with one of them",
    edits: [{
      file: "src/store/sqlite/tables/tag_index.ts",
      find: '  return all.join(" AND ");',
      replace: '  return all.join(" OR ");',
    }],
    caughtBy: { tests: "tests/store/sqlite/contract.test.ts" },
  },
  {
    name: "a search by scanning ignores tags after the first",
    edits: [{
      file: "src/store/core/matcher.ts",
      find: "      this.#wanted[i] = identifiers.length + metadata.length;",
      replace: "      this.#wanted[i] = Math.min(1, identifiers.length + metadata.length);",
    }],
    caughtBy: { tests: "tests/editions/a_write/model.test.ts" },
  },
  {
    name: "a projection that is created again gets its first version again",
    edits: [
      {
        file: PROJECTIONS,
        find: "const encoder = new TextEncoder();\n",
        replace: "const encoder = new TextEncoder();\nconst versions = new Map<string, string>();\n",
      },
      {
        file: PROJECTIONS,
        find: "    const version = crypto.randomUUID();\n    insertProjections(",
        replace:
          "    const name = `${change.type} ${change.id}`;\n    const version = versions.get(name) ?? crypto.randomUUID();\n    versions.set(name, version);\n    insertProjections(",
      },
    ],
    caughtBy: { check: "models", edition: "A", rounds: 2000 },
  },
  {
    name: "one write in five is answered 500, though nothing has failed",
    edits: [{
      file: "src/editions/a_write/post_write.ts",
      find: "      const timeMicros = nowMicros();",
      replace:
        "      if (Math.random() < 0.2) throw new Error('for no reason');\n      const timeMicros = nowMicros();",
    }],
    caughtBy: { check: "kills", edition: "A", rounds: 3 },
  },
  {
    name: "a transaction of edition B is left open ten times too long",
    edits: [{
      file: "src/editions/b_tx/open_transactions.ts",
      find: "now - this.#options.idleSeconds * 1000;",
      replace: "now - this.#options.idleSeconds * 10_000;",
    }],
    caughtBy: { check: "clock", edition: "B", rounds: 1 },
  },
];
