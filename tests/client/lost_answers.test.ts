import assert from "node:assert/strict";
import { Conflict, type DecisionModel, EventStoreError, type StoredEvent } from "../../client/mod.ts";
import { seededRandom, testSeed } from "../support/test_seed.ts";
import { ownError } from "./faulty_transport.ts";
import { type Misfortune, ReplicatedStore, UnluckyTransport } from "./replicated_store.ts";
import { storeOver } from "./support.ts";

/*
 * Answers from a store with lagging replicas get lost. `decide` and `writeOnce` must never write twice, and must never
 * report that nothing was written when the events are stored. One seed makes one case; a failure names its seed.
 */

const LONG = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1";
const CASES = LONG ? 40_000 : 600;
const AT_ONCE = 200;

type Counted = { Counted: { readonly n: number; readonly by: string }; Other: null };

/** Each event carries the number of events before it, so `apply` fails on a missing or repeated event. */
const counted: DecisionModel<Counted, number> = {
  query: { types: ["Counted"] },
  initial: 0,
  apply(count, event) {
    if (event.type === "Counted" && event.payload.n === count) return count + 1;
    throw new RangeError(`after ${count} events comes ${JSON.stringify(event)}`);
  },
};

/** Another writer's event, as it is stored. */
function countedEvent(n: number): Omit<StoredEvent, "sequence" | "time"> {
  return { type: "Counted", identifiers: {}, metadata: {}, payload: JSON.stringify({ n, by: "others" }) };
}

const FOREIGN = [
  { status: 503, body: '{"error":"ServiceUnavailable"}' },
  { status: 503, body: '{"error":"WriteQueueFull"}' },
  { status: 409, body: '{"error":"ConcurrencyException","conflict":{"condition":0,"sequence":1}}' },
  { status: 502, body: "" },
  { status: 200, body: "<html>password?</html>" },
  { status: 429, body: "slow down" },
];

class Case {
  readonly below: (max: number) => number;
  readonly store: ReplicatedStore;
  readonly transport: UnluckyTransport;
  readonly log: string[] = [];

  constructor(readonly seed: number, mayLoseEvents: boolean) {
    // The sequences of neighbouring seeds would begin alike.
    this.below = seededRandom(Math.imul(seed, 0x9e3779b1));
    this.store = new ReplicatedStore(1 + this.below(3), this.below);
    for (let i = this.below(4); i > 0; i--) this.others();
    const misfortunes = new Map<number, Misfortune>();
    for (let i = this.below(4) === 0 ? 2 : 1; i > 0; i--) {
      misfortunes.set(1 + this.below(8), this.misfortune());
    }
    // In some cases, the server rejects every request from some request onwards.
    if (this.below(6) === 0) {
      const error = this.below(2) === 0 ? ownError(503, "ShuttingDown") : ownError(401, "Unauthorized");
      for (let i = 3 + this.below(3); i < 100; i++) misfortunes.set(i, { answered: error, arrives: false });
    }
    const racing = this.below(70);
    const failoverAt = mayLoseEvents ? 1 + this.below(8) : 0;
    this.transport = new UnluckyTransport(this.store, misfortunes, ({ path, body }) => {
      this.log.push(`${this.transport.requests} ${path} ${body}`);
      if (this.below(100) < racing) this.others();
      if (this.transport.requests === failoverAt) {
        this.store.loseEvents();
        this.log.push(`events are lost, ${this.store.events.length} are left`);
      }
    });
    this.log.push(JSON.stringify([...misfortunes].slice(0, 8)));
  }

  misfortune(): Misfortune {
    switch (this.below(5)) {
      case 0:
        return "lost";
      case 1:
        return { arrivesAfter: 1 + this.below(4) };
      case 2:
        return { answered: FOREIGN[this.below(FOREIGN.length)]!, arrives: this.below(2) === 0 };
      case 3:
        return { answered: ownError(503, "WriteQueueFull"), arrives: false };
      default:
        return "answer lost";
    }
  }

  /** Appends an event of another writer. */
  others(metadata: Record<string, string> = {}): void {
    const n = this.store.events.filter(({ type }) => type === "Counted").length;
    const isOther = this.below(3) === 0 && Object.keys(metadata).length === 0;
    const event = isOther ? { ...countedEvent(n), type: "Other", payload: "null" } : countedEvent(n);
    this.store.append({ ...event, metadata });
  }

  /** Fails if an error says that nothing was written, and the events are stored. */
  assertTrue(error: unknown, stored: number): void {
    // The store always has a consistent history, so only errors of the client's own class may occur.
    assert.ok(error instanceof EventStoreError, String(error));
    if (!error.outcomeUnknown) assert.equal(stored, 0, `${error.name} ${error.message}: nothing was written`);
  }
}

async function deciding(each: Case, mayLoseEvents: boolean): Promise<string> {
  const store = storeOver<Counted>(each.transport, { retrySeconds: 0.1 });
  const mine = (): number =>
    each.store.events.filter(({ payload }) => /"by":"me"/.test(String(payload))).length;
  const count = 1 + each.below(2);
  let decided: readonly { readonly sequence: number }[] | undefined;
  let failure: unknown;
  try {
    const attempts = 1 + each.below(10);
    ({ events: decided } = await store.decide(
      counted,
      (n) => Array.from({ length: count }, (_, i) => ({ type: "Counted", payload: { n: n + i, by: "me" } })),
      { attempts },
    ));
  } catch (error) {
    failure = error;
  }
  const before = mine();
  await each.transport.deliver();
  if (decided === undefined) each.assertTrue(failure, mine());
  else assert.equal(mine(), before, "what is decided is not written again later");
  assert.ok([0, count].includes(mine()), `${mine()} events are stored`);
  if (mayLoseEvents) return decided ? "decided" : String((failure as Error).name);
  if (decided !== undefined) {
    const sequences = each.store.events.filter(({ payload }) => /"by":"me"/.test(String(payload)));
    assert.deepEqual(decided.map(({ sequence }) => sequence), sequences.map(({ sequence }) => sequence));
  }
  return decided ? "decided" : String((failure as Error).name);
}

async function writingOnce(each: Case, mayLoseEvents: boolean): Promise<string> {
  const store = storeOver<Counted>(each.transport, { retrySeconds: 0.1 });
  const isRepeated = each.below(3) === 0;
  if (isRepeated) each.others({ writeKey: "k" });
  const conditions = [{ query: { types: ["Other" as const] } }, { query: { types: ["Never" as "Other"] } }];
  const event = { type: "Other", payload: null } as const;
  try {
    const { events, repeated } = await store.writeOnce("k", event, {
      ...each.below(2) === 0 ? { conditions: conditions[each.below(2)]! } : {},
    });
    await each.transport.deliver();
    if (!mayLoseEvents) {
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        each.store.events.flatMap(({ metadata, sequence }) => metadata["writeKey"] === "k" ? sequence : []),
      );
    }
    assert.ok(each.store.count("writeKey", "k") <= 1);
    return repeated ? "repeated" : "written";
  } catch (error) {
    await each.transport.deliver();
    assert.ok(each.store.count("writeKey", "k") <= 1);
    // Another writer has written other events under this key.
    const isDifferent = (error as Partial<EventStoreError>).code === "DifferentBody";
    if (isRepeated && !mayLoseEvents && error instanceof Conflict) assert.fail("a repetition is no conflict");
    if (!isRepeated) each.assertTrue(error, each.store.count("writeKey", "k"));
    return isDifferent ? "different" : (error as Error).name;
  }
}

async function run(
  what: (each: Case, mayLoseEvents: boolean) => Promise<string>,
  mayLoseEvents: boolean,
): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  for (let first = 0; first < CASES; first += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, i) => {
      const each = new Case(testSeed() + first + i, mayLoseEvents);
      const end = await what(each, mayLoseEvents).catch((error) => {
        throw new Error(`case ${each.seed}: ${error.message}\n${each.log.join("\n")}`, { cause: error });
      });
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }));
  }
  return ends;
}

Deno.test("however far replicas lag, a race that was lost costs one more attempt, and so does an answer", async () => {
  for (let seed = 0; seed < 50; seed++) {
    const store = new ReplicatedStore(3, seededRandom(seed));
    store.isReplicating = false;
    let writes = 0;
    const misfortunes = new Map<number, Misfortune>(seed % 2 === 0 ? [] : [[4, "answer lost"]]);
    const transport = new UnluckyTransport(store, misfortunes, ({ path }) => {
      if (path === "/write" && ++writes === 1) store.append(countedEvent(0));
    });
    const client = storeOver<Counted>(transport);
    const { events } = await client.decide(counted, (n) => ({ type: "Counted", payload: { n, by: "me" } }), {
      attempts: 2 + seed % 2,
    });
    assert.deepEqual(events.map(({ sequence }) => sequence), [2]);
    const once = new UnluckyTransport(store, new Map<number, Misfortune>([[2, "answer lost"]]));
    const options = { conditions: { query: { types: ["Other" as const] } } };
    const written = await storeOver<Counted>(once).writeOnce("k", { type: "Other", payload: null }, options);
    assert.deepEqual([written.events[0]!.sequence, written.repeated], [3, true]);
    const again = new UnluckyTransport(store, new Map());
    await storeOver<Counted>(again).writeOnce("k", { type: "Other", payload: null }, options);
    assert.ok(again.requests <= 3, "a read, perhaps a write that is rejected, and a read that shows why");
    assert.equal(store.events.length, 3);
  }
});

for (const mayLoseEvents of [false, true]) {
  const where = mayLoseEvents ? "in a failover that loses events" : "with replicas that lag";
  Deno.test(`decisions are written once, and reported truly, whichever answers are lost ${where}`, async () => {
    const ends = await run(deciding, mayLoseEvents);
    assert.ok(ends.get("decided")! > CASES / 2);
  });

  Deno.test(`writeOnce writes once, and reports truly, whichever answers are lost ${where}`, async () => {
    const ends = await run(writingOnce, mayLoseEvents);
    assert.ok(ends.get("written")! > CASES / 10);
  });
}
