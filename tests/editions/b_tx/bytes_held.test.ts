import assert from "node:assert/strict";
import { EVERYTHING } from "../../../src/model/access.ts";
import { OpenTransactions } from "../../../src/editions/b_tx/open_transactions.ts";
import { OptimisticTransaction } from "../../../src/editions/b_tx/optimistic_transaction.ts";
import type { Reply } from "../../../src/http/exchange.ts";
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
  transactions.call(txId, EVERYTHING, (_, running) => Promise.resolve(running.hold(bytes)));

async function assertNoRoom(transactions: OpenTransactions, txId: string, bytes: number): Promise<void> {
  const error = await hold(transactions, txId, bytes).catch((error: unknown) => error);
  const rethrow = (): never => {
    throw error;
  };
  expectRejection(rethrow, "TooManyTransactions", /^the open transactions hold /);
}

Deno.test("open transactions share 128 MiB; one too large for the rest is rejected and ended", async () => {
  using transactions = open();
  const [first, second] = [transactions.begin(EVERYTHING), transactions.begin(EVERYTHING)];
  await hold(transactions, first, 100 * MIB);
  await hold(transactions, second, 28 * MIB);
  const third = transactions.begin(EVERYTHING);
  await assertNoRoom(transactions, third, MIB);
  assert.equal(transactions.count, 2);
});

Deno.test("each transaction may hold 64 KiB, however much the others hold", async () => {
  using transactions = open();
  await hold(transactions, transactions.begin(EVERYTHING), 128 * MIB + 64 * KIB);
  const small = transactions.begin(EVERYTHING);
  for (let i = 0; i < 4; i++) await hold(transactions, small, 16 * KIB);
  await assertNoRoom(transactions, small, 1);
});

Deno.test("the bytes of a transaction are free once it has ended, however it ends", async () => {
  using transactions = open();
  const ends: ((txId: string) => unknown)[] = [
    (txId) => transactions.abandon(txId, EVERYTHING),
    (txId) => transactions.call(txId, EVERYTHING, (_, running) => Promise.resolve(running.finish())),
    (txId) => transactions.call(txId, EVERYTHING, () => Promise.reject(new Error())).catch(() => {}),
    (txId) => assertNoRoom(transactions, txId, 100 * MIB),
  ];
  for (const end of [...ends, ...ends]) {
    const txId = transactions.begin(EVERYTHING);
    await hold(transactions, txId, 128 * MIB);
    await end(txId);
    assert.equal(transactions.count, 0);
  }
});

Deno.test("a read that the store has not answered is a condition on all events", () => {
  const limits = { maxEventsPerTx: 100, maxReadsPerTx: 100, maxProjectionsPerTx: 500 };
  const transaction = new OptimisticTransaction(limits);
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
  const { transactions } = edition.edition;
  await hold(transactions, transactions.begin(EVERYTHING), 120 * MIB);
  const txId = transactions.begin(EVERYTHING);
  const key = "x".repeat(60_000);
  const read = (i: number): Promise<Reply> => edition.request("GET", `/tx/${txId}/projections/p/${key}${i}`);
  let reply = await read(0);
  let count = 1;
  for (; count < 100 && reply.status !== 503; count++) {
    // Reading the same missing projection again takes no more bytes.
    assert.equal((await read(count - 1)).status, 404);
    reply = await read(count);
  }
  assert.match(await textOf(reply), /TooManyTransactions/);
  assert.ok(count > 30 && count < 40, `${count} keys of 60 KB`);
});
