import type { Bug } from "./bug.ts";

const DECIDE = "client/decide.ts";
const REPLIES = "client/replies.ts";

/** The client concludes too much from an answer that is lost, late or not the server's. */
export const LOST_ANSWER_BUGS: readonly Bug[] = [
  {
    name: "after a lost answer, the client writes again, and takes the conflict for the answer",
    edits: [
      {
        file: DECIDE,
        find: "      position = await readToEnd(",
        replace: "      position = lost ? position! : await readToEnd(",
      },
      {
        file: DECIDE,
        find: "      else if (error.conflict?.condition) throw conflictOfCaller(error, error.conflict);\n",
        replace: "      else if (lost) throw error;\n" +
          "      else if (error.conflict?.condition) throw conflictOfCaller(error, error.conflict);\n",
      },
    ],
    caughtBy: { check: "chain", edition: "A", rounds: 12 },
  },
  {
    name: "the client does not read past the event of a conflict",
    edits: [{
      file: DECIDE,
      find: "headAtLeast: failure?.conflict?.sequence }",
      replace: "headAtLeast: undefined }",
    }],
    caughtBy: { tests: "tests/client/lost_answers.test.ts" },
  },
  {
    name: "a replica that has not reached the wanted head is read",
    edits: [{
      file: "src/store/postgres/reading/replica_reads.ts",
      find: "Math.max(request.head ?? 0, afterSequence, headAtLeast)",
      replace: "Math.max(request.head ?? 0, afterSequence, 0 * headAtLeast)",
    }],
    caughtBy: { tests: "tests/system/postgres/replicas.test.ts" },
  },
  {
    name: "the client takes an error without the server's mark for an answer of the server",
    edits: [{
      file: REPLIES,
      find: "= envelopeOf(text);\n",
      replace: "= envelopeOf(text);\n  named ||= error;\n",
    }],
    caughtBy: { tests: "tests/client/foreign_answers.test.ts" },
  },
  {
    name: "the client takes every error code of the server as proof that nothing was written",
    edits: [{ file: REPLIES, find: "if (!NOTHING_WRITTEN.test(named!)) {", replace: "if (!named) {" }],
    caughtBy: { tests: "tests/client/foreign_answers.test.ts" },
  },
  {
    name: "the server does not mark its errors as its own",
    edits: [{
      file: "src/http/error_replies.ts",
      find: "{ ...headers, [ERROR_HEADER]: code }),\n    body",
      replace: "{ ...headers }),\n    body",
    }],
    caughtBy: { tests: "tests/http/error_replies.test.ts" },
  },
  {
    name: "after a lost answer, apply is shown a history without the decision's own events",
    edits: [
      {
        file: DECIDE,
        find: "        if (mayBeThere) learned.push(...events);\n",
        replace: "        if (mayBeThere) {\n          learned.push(...events);\n" +
          "          applyTo(known, named, events.filter((event) => !matches(marked, event)));\n        }\n",
      },
      { file: DECIDE, find: "    applyTo(known, named, learned);\n", replace: "" },
    ],
    caughtBy: { tests: "tests/client/lost_answers.test.ts" },
  },
  {
    name: "the client continues behind the end of a store that went back",
    edits: [{
      file: "client/pages.ts",
      find: "(position.storeId !== storeId || position.sequence > head)",
      replace: "position.storeId !== storeId",
    }],
    caughtBy: { tests: "tests/client/lost_history.test.ts" },
  },
  {
    name: "after a lost write, a history that is gone is taken as proof that nothing was written",
    edits: [{ file: DECIDE, find: " || lost?.storeId === error.storeId) throw", replace: ") throw" }],
    caughtBy: { tests: "tests/client/lost_history.test.ts" },
  },
];
