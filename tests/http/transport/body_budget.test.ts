import assert from "node:assert/strict";
import { NoRoomForBody } from "../../../src/http/exchange.ts";
import { BodyBudget, type Reservation } from "../../../src/http/transport/body_budget.ts";
import { ClientLeft } from "../../../src/model/errors.ts";

const MIB = 1024 * 1024;

interface Sender {
  received: number;
  givenUp: number;
  readonly reservation: Reservation;
}

function budgetAndSenders(): { budget: BodyBudget; ask: (bytes: number) => Sender } {
  const budget = new BodyBudget({ bodyRoom: 30, contendedBody: 2 });
  return {
    budget,
    ask(bytes) {
      const state = { received: 0, givenUp: 0 };
      const reservation = budget.reserve(bytes, {
        received: () => state.received,
        giveUp: () => state.givenUp++,
      });
      return Object.assign(state, { reservation });
    },
  };
}

const waits = (senders: readonly Sender[]): boolean[] => senders.map(({ reservation }) => reservation.waits);

/** So many seconds from now, by the clock that the budget goes by. */
const later = (seconds: number): number => performance.now() + seconds * 1000;

Deno.test("bodies up to 1 MiB share 32 MiB, larger ones 64 MiB, and neither waits for the other", () => {
  const { ask } = budgetAndSenders();
  assert.deepEqual(waits(Array.from({ length: 33 }, () => ask(MIB))), [...Array(32).fill(false), true]);
  assert.deepEqual(waits([ask(40 * MIB), ask(24 * MIB), ask(2 * MIB)]), [false, false, true]);
});

Deno.test("one that is larger than the whole share gets all of it, when nobody else holds any", () => {
  const { ask } = budgetAndSenders();
  const first = ask(2 * MIB);
  const huge = ask(100 * MIB);
  assert.ok(huge.reservation.waits);
  first.reservation.release();
  assert.deepEqual(waits([huge, ask(2 * MIB)]), [false, true]);
});

Deno.test("room is given in the order of asking, and each release makes room once", async () => {
  const { ask } = budgetAndSenders();
  const [a, b, c, d] = [ask(60 * MIB), ask(30 * MIB), ask(2 * MIB), ask(60 * MIB)] as const;
  assert.deepEqual(waits([a, b, c, d]), [false, true, true, true], "the small one does not overtake");
  a.reservation.release();
  a.reservation.release();
  assert.deepEqual(waits([b, c, d]), [false, false, true]);
  await b.reservation.granted;
  d.reservation.release();
  await assert.rejects(d.reservation.granted, ClientLeft);
  assert.ok(!ask(32 * MIB).reservation.waits);
});

Deno.test("who waits for 30 s is refused, and makes way", async () => {
  const { budget, ask } = budgetAndSenders();
  const holder = ask(60 * MIB);
  const waiting = ask(60 * MIB);
  budget.sweep(later(29));
  assert.ok(waiting.reservation.waits);
  budget.sweep(later(31));
  await assert.rejects(waiting.reservation.granted, NoRoomForBody);
  assert.equal(holder.givenUp, 1, "it brought nothing in all that time");
});

Deno.test("a body that brings too little is given up only while others wait", () => {
  const { budget, ask } = budgetAndSenders();
  const silent = ask(40 * MIB);
  const complete = ask(10 * MIB);
  complete.reservation.complete();
  budget.sweep(later(5));
  assert.equal(silent.givenUp, 0, "nobody waits");
  const dripping = ask(14 * MIB);
  ask(2 * MIB);
  dripping.received += 1000;
  budget.sweep(later(1));
  assert.deepEqual([silent.givenUp, complete.givenUp, dripping.givenUp], [0, 0, 0]);
  dripping.received += 1000;
  budget.sweep(later(3));
  assert.deepEqual([silent.givenUp, complete.givenUp, dripping.givenUp], [1, 0, 1]);
});

Deno.test("a body that brings 32 KiB in 2 s is not given up", () => {
  const { budget, ask } = budgetAndSenders();
  const steady = ask(64 * MIB);
  ask(2 * MIB);
  for (let seconds = 1; seconds < 29; seconds++) {
    steady.received += 20 * 1024;
    budget.sweep(later(seconds));
  }
  assert.equal(steady.givenUp, 0);
});

Deno.test("once it is closed nobody waits any more", async () => {
  const { budget, ask } = budgetAndSenders();
  ask(60 * MIB);
  const waiting = ask(60 * MIB);
  budget.close();
  await assert.rejects(waiting.reservation.granted, NoRoomForBody);
  await assert.rejects(ask(60 * MIB).reservation.granted, NoRoomForBody);
});
