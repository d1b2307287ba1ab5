import assert from "node:assert/strict";
import { EVERYTHING } from "../../../src/model/access.ts";
import { runCall } from "../../../src/editions/c_ticket/ticket_call.ts";
import { type RollbackReason, TicketTransaction } from "../../../src/editions/c_ticket/ticket_transaction.ts";
import { emptyReply } from "../../../src/http/replies.ts";
import type { RoutedRequest } from "../../../src/http/router.ts";
import type { Outcome } from "../../../src/store/api/outcome.ts";
import type { StoreWriter } from "../../../src/store/api/store.ts";
import type { StoreView } from "../../../src/view/store_view.ts";
import { DONE } from "../../store/outcomes.ts";

const DEAD = new Error("the writer worker died");

interface Subject {
  readonly transaction: TicketTransaction;
  readonly call: RoutedRequest;
  readonly ends: ("committed" | RollbackReason)[];
  readonly failures: Error[];
}

/** Begins a transaction on a store that then fails every call, except `commit` if it is given. */
async function begun(commit?: () => Promise<Outcome<void>>): Promise<Subject> {
  const dead = (): Promise<never> => Promise.reject(DEAD);
  const writer = {
    begin: () => Promise.resolve(DONE),
    commit: commit ?? dead,
    rollback: dead,
  } as unknown as StoreWriter;
  const ends: Subject["ends"] = [];
  const failures: Error[] = [];
  const transaction = new TicketTransaction({
    owner: EVERYTHING,
    view: { projectionInside: dead } as unknown as StoreView,
    writer,
    deadlines: { transactionTimeout: 60, maxTransactionDuration: 60 },
    onEnd: (end) => void ends.push(end),
    onExpiry: () => assert.fail("nothing expires"),
    reportFailure: (error) => void failures.push(error),
  });
  const disconnected = new AbortController().signal;
  assert.equal(await transaction.begin(disconnected), true);
  const call: RoutedRequest = {
    segments: [],
    query: "",
    access: EVERYTHING,
    header: () => undefined,
    body: () => Promise.resolve(new Uint8Array()),
    discardBody: () => Promise.resolve(),
    releaseBody: () => {},
    disconnected,
  };
  return { transaction, call, ends, failures };
}

Deno.test("a commit whose writer dies gets no answer, ends once, and the turn is free", async () => {
  const { transaction, call, ends, failures } = await begun();
  const committing = runCall(transaction, call, async () => {
    await transaction.commit();
    return emptyReply(204);
  });
  await assert.rejects(committing, { name: "OutcomeUnknown" });
  await transaction.ended;
  await transaction.end("shutdown");
  assert.deepEqual([ends, failures], [["error"], []]);
});

Deno.test("a rollback that fails is reported, ends once, and the turn is free", async () => {
  const { transaction, call, ends, failures } = await begun();
  const reading = runCall(transaction, call, async () => {
    await transaction.inStore(() => transaction.view.projectionInside({ type: "t", id: "a" }));
    return emptyReply(204);
  });
  await assert.rejects(reading, DEAD);
  await transaction.ended;
  assert.deepEqual([ends, failures], [["error"], [DEAD]]);
  await assert.rejects(runCall(transaction, call, () => Promise.resolve(emptyReply(204))), {
    code: "TicketNotActive",
  });
});

Deno.test("a COMMIT that failed for certain is an error, and is not rolled back again", async () => {
  const { transaction, call, ends, failures } = await begun(() =>
    Promise.resolve({ kind: "failed", reason: "the disk is full" })
  );
  const committing = runCall(transaction, call, async () => {
    await transaction.commit();
    return emptyReply(204);
  });
  await assert.rejects(committing, { code: "InternalError" });
  assert.deepEqual([ends, failures], [["error"], []]);
});
