import assert from "node:assert/strict";
import fc from "fast-check";
import { DONE, written } from "../../store/outcomes.ts";
import { newEvent, storeWrite } from "../../store/made_writes.ts";
import { rounds } from "../../support/rounds.ts";
import { type CallName, CALLS, EVENT_TYPE, LIMITS, PROJECTION } from "./calls.ts";
import { startEditionC } from "./client.ts";
import { InProcess } from "./in_process.ts";
import { OverHttp } from "./over_http.ts";
import { type Beginning, Sequence } from "./sequence.ts";
import { SequenceReference } from "./sequence_reference.ts";

/** All calls except those that differ from another one only in a check of that single call. */
const FEWER_CALLS = CALLS.filter((call) =>
  ![
    "read",
    "appendHolding",
    "appendNothing",
    "appendMalformed",
    "get",
    "create",
    "replaceStale",
    "delete",
    "rollback",
    "oldTicket",
    "noTicket",
    "leaveHalf",
    "deleteAll",
  ].includes(call)
);

/** Runs many sequences on one server. Each begins with a fresh start and the same store. */
class Sequences implements Disposable {
  #server = new InProcess(LIMITS);
  #beginning = this.#fillStore();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Runs a sequence on both, and compares every answer, and in the end all visible state. */
  async play(calls: readonly CallName[]): Promise<void> {
    try {
      await this.#play(new Sequence(this.#server, this.#beginning), calls);
    } catch (error) {
      // A failed sequence may have left any state. fast-check then tries shorter sequences, on a new server.
      this.#server[Symbol.dispose]();
      this.#server = new InProcess(LIMITS);
      this.#beginning = this.#fillStore();
      throw error;
    }
    if (++this.#count % 1000 === 0) this.#server.emptyWal();
  }

  async #play(sequence: Sequence, calls: readonly CallName[]): Promise<void> {
    for (const call of calls) await sequence.play(call);
    await sequence.compareSurface();
    await sequence.play("restart");
    if (sequence.reference.surface.paused) await sequence.play("resume");
    assert.deepEqual(this.#server.failures, [], sequence.text);
    if (sequence.reference.storeHasChanged) this.#beginning = this.#fillStore();
  }

  #fillStore(): Beginning {
    const { writer } = this.#server;
    assert.deepEqual(writer.reset(), DONE);
    const create = [{ ...PROJECTION, payload: "stored" }];
    const write = storeWrite([newEvent(EVENT_TYPE, [], "first")], {
      projections: { create, replace: [], delete: [] },
    });
    const { storeId, versions } = written(writer.group([write])[0]);
    return { storeId, version: versions.create[0]!.version };
  }

  [Symbol.dispose](): void {
    this.#server[Symbol.dispose]();
  }
}

/**
 * Yields every sequence up to a length. It does not extend a sequence after a call that changes nothing, not even the
 * number of calls: the same calls without it are a sequence, too. Such calls are tried one after the other.
 */
function* sequences(
  alphabet: readonly CallName[],
  lengthMax: number,
  prefix: readonly CallName[] = [],
): Generator<readonly CallName[]> {
  const stateAfter = (calls: readonly CallName[]): string => {
    const reference = new SequenceReference();
    for (const [place, call] of calls.entries()) reference.perform(call, place);
    return reference.state;
  };
  const state = stateAfter(prefix);
  const changing = alphabet.filter((call) => stateAfter([...prefix, call]) !== state);
  yield [...prefix, ...alphabet.filter((call) => !changing.includes(call))];
  for (const call of changing) {
    const sequence = [...prefix, call];
    if (sequence.length < lengthMax) yield* sequences(alphabet, lengthMax, sequence);
    else yield sequence;
  }
}

async function playAll(alphabet: readonly CallName[], lengthMax: number): Promise<number> {
  using all = new Sequences();
  for (const sequence of sequences(alphabet, lengthMax)) await all.play(sequence);
  return all.count;
}

const LENGTH_MAX = rounds(3, 5);

Deno.test(`all sequences of up to ${LENGTH_MAX} calls of edition C agree with the reference`, async () => {
  const count = await playAll(CALLS, LENGTH_MAX);
  assert.ok(count > rounds(200, 50_000), `${count} sequences`);
});

const FEWER_LENGTH_MAX = rounds(4, 6);

Deno.test(`all sequences of up to ${FEWER_LENGTH_MAX} of the calls that matter to the order of turns agree`, async () => {
  const count = await playAll(FEWER_CALLS, FEWER_LENGTH_MAX);
  assert.ok(count > rounds(800, 50_000), `${count} sequences`);
});

Deno.test("random longer sequences of calls of edition C agree with the reference", async () => {
  using all = new Sequences();
  await fc.assert(
    fc.asyncProperty(longSequence(CALLS, 25), (calls) => all.play(calls)),
    { numRuns: rounds(300, 20_000) },
  );
});

Deno.test("a random sample of sequences of edition C agrees with the reference over HTTP", async () => {
  await using server = await startEditionC({
    SERVICE_MAX_QUEUED_TRANSACTIONS: String(LIMITS.maxQueuedTransactions),
    // No transaction may expire here.
    SERVICE_TRANSACTION_TIMEOUT: "600",
    SERVICE_MAX_TRANSACTION_DURATION: "600",
  });
  const overHttp = new OverHttp(server);
  const calls = CALLS.filter((call) => call !== "wait" && call !== "restart");
  await fc.assert(
    fc.asyncProperty(longSequence(calls, 12), async (calls) => {
      const sequence = new Sequence(overHttp, await overHttp.startAnew());
      for (const call of calls) await sequence.play(call);
      await sequence.compareSurface();
    }),
    { numRuns: rounds(25, 1000) },
  );
});

/** A random sequence. "begin" is more frequent than other calls, so that most calls find a transaction. */
function longSequence(calls: readonly CallName[], lengthMax: number): fc.Arbitrary<CallName[]> {
  const call = fc.oneof(
    { weight: 1, arbitrary: fc.constant<CallName>("begin") },
    { weight: 5, arbitrary: fc.constantFrom(...calls) },
  );
  return fc.array(call, { minLength: 5, maxLength: lengthMax, size: "max" })
    .map((calls) => ["begin", ...calls]);
}
