import type { Bug } from "./bug.ts";

/** The tree of a backup is not that of its events, or is not compared with what it must be. */
export const TREE_BUGS: readonly Bug[] = [
  {
    name: "a run continues the tree of a backup without the block that is not complete",
    edits: [{
      file: "src/backup/source/copy_events.ts",
      find: "new LineTree(store.opened.tree)",
      replace: "new LineTree(store.opened.tree.filter(({ roots }) => roots.length === 1))",
    }],
    caughtBy: { tests: "tests/backup/tree.test.ts" },
  },
  {
    name: "a run leaves a block out of the tree when it becomes complete in the middle of a page",
    edits: [{
      file: "src/backup/source/copy_events.ts",
      find: "lineTree.tree.blocksSince(before)",
      replace: "lineTree.tree.blocksSince(last)",
    }],
    caughtBy: { tests: "tests/backup/tree.test.ts" },
  },
  {
    name: "the tree of a backup has the line feeds of the lines",
    edits: [{
      file: "src/backup/history/line_tree.ts",
      find: "this.#buffer.with(line).subarray(0, -1)",
      replace: "this.#buffer.with(line)",
    }],
    caughtBy: { tests: "tests/backup/tree.test.ts" },
  },
  {
    name: "an upgrade does not compare the hash chain of a backup",
    edits: [{
      file: "src/backup/history/upgrade_backup.ts",
      find: "  if (fault !== undefined) throw new Damage(fault);",
      replace: '  if (fault === "") throw new Damage(fault);',
    }],
    caughtBy: { tests: "tests/backup/upgrade.test.ts" },
  },
  {
    name: "verify of a backup compares only the first of the roots that were kept",
    edits: [{
      file: "src/backup/history/roots_check.ts",
      find: "    this.#change ??= this.#earlier.compare(tree);",
      replace: "    if (this.compared === 0) this.#change ??= this.#earlier.compare(tree);",
    }],
    caughtBy: { tests: "tests/backup/verify_roots.test.ts" },
  },
  {
    name: "verify of a backup accepts a file whose roots are all of later events",
    edits: [{
      file: "src/backup/history/roots_check.ts",
      find: "this.#path === undefined || this.compared > 0",
      replace: "this.#path === undefined || this.compared >= 0",
    }],
    caughtBy: { tests: "tests/backup/verify_roots.test.ts" },
  },
];
