import assert from "node:assert/strict";
import fc from "fast-check";
import type { Reply } from "../../support/connection.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { assertNoContent } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import { rounds } from "../../support/rounds.ts";
import { checkProjection, checkWrite } from "./check_answers.ts";
import {
  bulk,
  type Operation,
  operations,
  PROJECTION_IDS,
  PROJECTION_TYPES,
  toBody,
  type TurnOperation,
} from "./operations.ts";
import { ReferenceStore } from "./reference.ts";

const RUNS = rounds(50, 1000);

const server = serverOfFile({ listen: "unix", env: { SERVICE_DEV_MODE: "true" } });
const client = server.client();

/** One request that takes a turn, and the check of its answer against the reference. */
interface Turn {
  readonly send: () => Promise<Reply>;
  readonly check: (reply: Reply) => void;
  /** True when the request joins the queue. */
  readonly queues: boolean;
}

function turnOf(operation: TurnOperation, reference: ReferenceStore): Turn {
  const act = (method: string, target: string, effect: () => void): Turn => ({
    send: () => client.request(method, target),
    check(reply) {
      assertNoContent(reply);
      effect();
    },
    queues: true,
  });
  switch (operation.kind) {
    case "write": {
      const body = toBody(operation, reference);
      const { events, conditions, changes } = operation;
      return {
        send: () => client.write(body),
        check: (reply) => checkWrite(reference, body, reply),
        queues: events.length + conditions.length + changes.length > 0 &&
          reference.judge(body).status !== 400,
      };
    }
    case "deleteType": {
      const { type } = operation;
      return act(
        "DELETE",
        `/projections/${encodeURIComponent(type)}`,
        () => reference.deleteProjections(type),
      );
    }
    case "deleteAll":
      return act("DELETE", "/projections", () => reference.deleteProjections());
    case "reset":
      return act("POST", "/reset", () => reference.reset());
  }
}

/** A write that takes a turn and changes nothing. */
const EMPTY_CONDITION: TurnOperation = {
  kind: "write",
  events: [],
  conditions: [{ query: undefined, back: undefined, wrongStore: false }],
  changes: [],
};

/** Queues all requests in order while the turn is held, so that they run back to back. */
async function runGroup(members: readonly TurnOperation[], reference: ReferenceStore): Promise<void> {
  const turns = members.map((member) => turnOf(member, reference)).filter((turn) => turn.queues);
  const filler = turnOf(EMPTY_CONDITION, reference);
  using held = holdWriteLock(server);
  const sent: (readonly [Turn, Promise<Reply>])[] = [];
  for (const turn of [filler, ...turns]) {
    sent.push([turn, turn.send()]);
    await waitForQueue(client, sent.length - 1);
  }
  held.release();
  // The test awaits all replies before it checks the first, so that no request is open when a check fails.
  const replies = await Promise.all(sent.map(([, reply]) => reply));
  for (const [i, [turn]] of sent.entries()) turn.check(replies[i]!);
}

async function run(operation: Operation, reference: ReferenceStore): Promise<void> {
  switch (operation.kind) {
    case "group":
      await runGroup(operation.members, reference);
      break;
    case "read": {
      const afterSequence = Math.max(0, reference.events.length - operation.back);
      const page = await client.queryEvents(operation.query, { afterSequence, limit: operation.limit });
      const { events, hasMore } = reference.page(operation.query, { afterSequence, limit: operation.limit });
      assert.deepEqual(page.events, events);
      assert.equal(page.hasMore, hasMore);
      assert.equal(page.store, reference.storeId);
      break;
    }
    case "get":
      await checkProjection(client, operation, reference);
      break;
    default: {
      const turn = turnOf(operation, reference);
      turn.check(await turn.send());
    }
  }
  if (reference.storeId === "") reference.storeId = await client.storeId();
}

async function checkEverything(reference: ReferenceStore): Promise<void> {
  assert.deepEqual(await client.allEvents(), reference.events);
  for (const type of PROJECTION_TYPES) {
    for (const id of PROJECTION_IDS) await checkProjection(client, { type, id }, reference);
  }
}

Deno.test(`${RUNS} random sequences of requests are answered as a store in memory answers them`, async () => {
  let reference = new ReferenceStore();
  await fc.assert(
    fc.asyncProperty(bulk, operations, async (events, sequence) => {
      await client.reset();
      reference = new ReferenceStore();
      reference.storeId = await client.storeId();
      const body = { events, conditions: [], projections: { create: [], replace: [], delete: [] } };
      checkWrite(reference, body, await client.write(body));
      for (const operation of sequence) await run(operation, reference);
      await checkEverything(reference);
    }),
    { numRuns: RUNS },
  );
  await server.restart();
  await checkEverything(reference);
});
