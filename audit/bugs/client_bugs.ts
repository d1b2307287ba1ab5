import type { Bug } from "./bug.ts";

const DECIDE = "client/decide.ts";
const LOST_ANSWERS = { tests: "tests/client/lost_answers.test.ts" } as const;
const LOST_HISTORY = { tests: "tests/client/lost_history.test.ts" } as const;

/** The client breaks its promises about lost answers, lagging replicas, or a history that is gone. */
export const CLIENT_BUGS: readonly Bug[] = [
  {
    name: "the client takes the error of a proxy for an answer of the server",
    edits: [{
      file: "client/replies.ts",
      find: "if (!NOTHING_WRITTEN.test(named!)) {",
      replace: "if (!NOTHING_WRITTEN.test(named ?? error!)) {",
    }],
    caughtBy: { tests: "tests/client/foreign_answers.test.ts" },
  },
  {
    name: "a transaction takes a proxy's 200 for the answer to its write",
    edits: [{
      file: "client/transaction.ts",
      find: 'if (!/^{"(t|ev|c)/.test(body)) throw lost(body);',
      replace: 'if (body === "" && lost === undefined) throw body;',
    }],
    caughtBy: { tests: "tests/client/transaction.test.ts" },
  },
  {
    name: "a decision does not read up to the event of its conflict",
    edits: [{
      file: DECIDE,
      find: "headAtLeast: failure?.conflict?.sequence",
      replace: "headAtLeast: undefined",
    }],
    caughtBy: LOST_ANSWERS,
  },
  {
    name: "a decision applies new events before it has searched for its own",
    edits: [{
      file: DECIDE,
      find: "if (mayBeThere) learned.push(...events);",
      replace:
        "if (mayBeThere) learned.push(...events.filter((one) => matches(marked, one) || void applyTo(known, named, [one])));",
    }],
    caughtBy: LOST_ANSWERS,
  },
  {
    name: "a decision forgets that a write was lost",
    edits: [{
      file: DECIDE,
      find: "if (error instanceof ConnectionLost) lost = { error, storeId: end.storeId };",
      replace: "if (error instanceof ConnectionLost) lost = undefined;",
    }],
    caughtBy: LOST_ANSWERS,
  },
  {
    name: "the client continues to read a store that ends before its position",
    edits: [{ file: "client/pages.ts", find: " || position.sequence > head)", replace: ")" }],
    caughtBy: LOST_HISTORY,
  },
];
