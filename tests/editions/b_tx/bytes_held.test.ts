import assert from "node:assert/strict";
import { OpenTransactions } from "../../../src/editions/b_tx/open_transactions.ts";
import { Transaction } from "../../../src/editions/b_tx/transaction.ts";
import { InProcess, textOf } from "./tx_in_process.ts";
import { Statistics } from "../../../src/editions/b_tx/statistics.ts";
import { expectRejection } from "../../wire/expect_rejection.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

function open(): OpenTransactions & Disposable {
  const options = {
    maxOpenTx: 1000,
    idleSeconds: 60,
    maxEventsPerTx: 100,
    maxReadsPerTx: 100,
    maxProjectionsPerTx: 500,
  };
  const transactions = new OpenTransactions(options, new Statistics(0));
  return Object.assign(transactions, { [Symbol.dispose]: () => transactions.close() });
}

const hold = (transactions: OpenTransactions, txId: string, bytes: number): Promise<void> =>
  transactions.call(txId, (_, running) => Promise.resolve(running.hold(bytes)));

async function assertNoRoom(transactions: OpenTransactions, txId: string, bytes: number): Promise<void> {
  const error = await hold(transactions, txId, bytes).catch((error: unknown) => error);
  const rethrow = (): never => {
    throw error;
  };
  expectRejection(rethrow, "TooManyTransactions", /^the open transactions hold /);
}

Deno.test("open transactions share 128 MiB; one too large for the rest is rejected and ended", async () => {
  using transactions = open();
  const [first, second] = [transactions.begin(), transactions.begin()];
  await hold(transactions, first, 100 * MIB);
  await hold(transactions, second, 28 * MIB);
  const third = transactions.begin();
  await assertNoRoom(transactions, third, MIB);
  assert.equal(transactions.count, 2);
});

Deno.test("each transaction may hold 64 KiB, however much the others hold", async () => {
  using transactions = open();
  await hold(transactions, transactions.begin(), 128 * MIB + 64 * KIB);
  const small = transactions.begin();
  for (let i = 0; i < 4; i++) await hold(transactions, small, 16 * KIB);
  await assertNoRoom(transactions, small, 1);
});

Deno.test("the bytes of a transaction are free once it has ended, however it ends", async () => {
  using transactions = open();
  const ends: ((txId: string) => unknown)[] = [
    (txId) => transactions.abandon(txId),
    (txId) => transactions.call(txId, (_, running) => Promise.resolve(running.finish())),
    (txId) => transactions.call(txId, () => Promise.reject(new Error())).catch(() => {}),
    (txId) => assertNoRoom(transactions, txId, 100 * MIB),
  ];
  for (const end of [...ends, ...ends]) {
    const txId = transactions.begin();
    await hold(transactions, txId, 128 * MIB);
    await end(txId);
    assert.equal(transactions.count, 0);
  }
});

Deno.test("a read that the store has not answered is a condition on all events", () => {
  const limits = { maxEventsPerTx: 100, maxReadsPerTx: 100, maxProjectionsPerTx: 500 };
  const transaction = new Transaction(limits);
  transaction.beginRead("every");
  transaction.readAnswered({ storeId: "the store", head: 7 });
  transaction.writeEvents([], 0);
  transaction.beginRead("every");
  // The client disconnected before it got the answer. A decision without an answer must not be written.
  transaction.writeEvents(["event"], 0);
  const conditions = transaction.commit()!.conditions;
  assert.deepEqual(conditions.map(({ afterSequence }) => afterSequence), [7, 0]);
});

Deno.test("the projections that a transaction has read count as held, even those that do not exist", async () => {
  using edition = new InProcess();
  const begun = await edition.request("POST", "/tx");
  const { txId } = JSON.parse(await textOf(begun)) as { txId: string };
  const key = "x".repeat(60_000);
  let reply = begun;
  let count = 0;
  for (; count < 2000 && reply.status !== 503; count++) {
    reply = await edition.request("GET", `/tx/${txId}/projections/p/${key}${count}`);
    // Reading the same missing projection again takes no more bytes.
    if (reply.status === 404) await edition.request("GET", `/tx/${txId}/projections/p/${key}${count}`);
  }
  assert.match(await textOf(reply), /TooManyTransactions/);
  assert.ok(count > 500 && count < 600, `${count} keys of 60 KB`);
});
