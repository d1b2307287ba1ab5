import assert from "node:assert/strict";
import { BodyQuotaExceeded } from "../../../src/http/exchange.ts";
import { BodyBudget } from "../../../src/http/transport/body_budget.ts";
import type { Reservation } from "../../../src/http/transport/reservation.ts";
import { ClientDisconnected } from "../../../src/model/errors.ts";

const MIB = 1024 * 1024;

interface Sender {
  received: number;
  givenUp: number;
  readonly reservation: Reservation;
}

interface Subject {
  readonly ask: (bytes: number) => Sender;
  /** Lets this number of seconds pass, and ends the bodies and waits that have taken too long. */
  readonly pass: (seconds: number) => void;
  readonly close: () => void;
}

function budgetAndSenders(): Subject {
  const clock = { now: 0 };
  const budget = new BodyBudget({ bodyMemory: 30, contendedBody: 2 }, clock);
  return {
    ask(bytes) {
      const state = { received: 0, givenUp: 0 };
      const reservation = budget.reserve(bytes, {
        received: () => state.received,
        giveUp: () => state.givenUp++,
      });
      return Object.assign(state, { reservation });
    },
    pass(seconds) {
      clock.now += seconds * 1000;
      budget.sweep(clock.now);
    },
    close: () => budget.close(),
  };
}

const waits = (senders: readonly Sender[]): boolean[] => senders.map(({ reservation }) => reservation.waits);
const givenUp = (senders: readonly Sender[]): number[] => senders.map((sender) => sender.givenUp);

Deno.test("bodies up to 1 MiB share 32 MiB, larger ones 64 MiB, and neither waits for the other", () => {
  const { ask } = budgetAndSenders();
  assert.deepEqual(waits(Array.from({ length: 33 }, () => ask(MIB))), [...Array(32).fill(false), true]);
  assert.deepEqual(waits([ask(40 * MIB), ask(24 * MIB), ask(2 * MIB)]), [false, false, true]);
});

Deno.test("a body that is larger than the whole share gets all of it when no other body holds any", () => {
  const { ask } = budgetAndSenders();
  const first = ask(2 * MIB);
  const huge = ask(100 * MIB);
  assert.ok(huge.reservation.waits);
  first.reservation.release();
  assert.deepEqual(waits([huge, ask(2 * MIB)]), [false, true]);
});

Deno.test("quota is granted in the order of asking, and each release frees its quota once", async () => {
  const { ask } = budgetAndSenders();
  const [a, b, c, d] = [ask(60 * MIB), ask(30 * MIB), ask(2 * MIB), ask(60 * MIB)] as const;
  assert.deepEqual(waits([a, b, c, d]), [false, true, true, true], "the small one does not overtake");
  a.reservation.release();
  a.reservation.release();
  assert.deepEqual(waits([b, c, d]), [false, false, true]);
  await b.reservation.granted;
  d.reservation.release();
  await assert.rejects(d.reservation.granted, ClientDisconnected);
  assert.ok(!ask(32 * MIB).reservation.waits);
});

Deno.test("a body that has waited for 30 s is rejected, and makes way", async () => {
  const { ask, pass } = budgetAndSenders();
  const holder = ask(60 * MIB);
  const waiting = ask(60 * MIB);
  pass(29);
  assert.ok(waiting.reservation.waits);
  pass(2);
  await assert.rejects(waiting.reservation.granted, BodyQuotaExceeded);
  assert.equal(holder.givenUp, 1, "it brought nothing in all that time");
});

Deno.test("a body that brings too little is given up only while others wait", () => {
  const { ask, pass } = budgetAndSenders();
  const silent = ask(40 * MIB);
  const complete = ask(10 * MIB);
  complete.reservation.complete();
  pass(5);
  const dripping = ask(14 * MIB);
  assert.deepEqual(givenUp([silent, complete, dripping]), [0, 0, 0], "nobody waits");
  ask(50 * MIB);
  dripping.received += 1000;
  pass(1);
  assert.deepEqual(givenUp([silent, complete, dripping]), [0, 0, 0]);
  dripping.received += 1000;
  pass(2);
  assert.deepEqual(givenUp([silent, complete, dripping]), [1, 0, 1]);
});

Deno.test("while others wait, any body comes to its end before they have waited 30 s, or is given up", () => {
  for (const bytes of [2 * MIB, 39 * MIB, 100 * MIB]) {
    const { ask, pass } = budgetAndSenders();
    // The body is as slow as the limit allows, and the sweep notices it as late as possible.
    const tolerated = Math.ceil(bytes * 2 / (0.85 * 30));
    const [steady, slow] = [ask(bytes), ask(bytes)];
    const waiting = slow.reservation.waits ? slow : ask(100 * MIB);
    let seconds = 0;
    for (; steady.received < bytes; seconds += 2.25) {
      assert.equal(steady.givenUp, 0);
      steady.received += tolerated;
      slow.received += tolerated - 1000;
      pass(2.25);
    }
    assert.ok(seconds < 29.5 && waiting.reservation.waits, `${bytes} bytes took ${seconds} s`);
    if (slow !== waiting) assert.equal(slow.givenUp, 1);
  }
});

Deno.test("a body of up to 400 KiB must bring 32 KiB in 2 s", () => {
  const { ask, pass } = budgetAndSenders();
  const holders = Array.from({ length: 128 }, () => ask(MIB / 4));
  ask(MIB);
  holders.forEach((holder, i) => holder.received += i < 4 ? 32 * 1024 - 1 : 32 * 1024);
  pass(2.1);
  assert.deepEqual(holders.map((holder) => holder.givenUp), holders.map((_, i) => i < 4 ? 1 : 0));
});

Deno.test("only as many bodies are given up as the first waiting one needs, the slowest first", () => {
  const { ask, pass } = budgetAndSenders();
  const holders = Array.from({ length: 64 }, () => ask(MIB / 2));
  pass(10);
  ask(MIB);
  pass(1);
  assert.ok(holders.every((holder) => holder.givenUp === 0), "what nobody brought before does not matter");
  holders.forEach((holder, i) => holder.received += 1000 + i % 32);
  pass(1.1);
  const chosen = (): number[] => holders.flatMap((holder, i) => holder.givenUp > 0 ? [i] : []);
  assert.deepEqual(chosen(), [0, 32]);
  pass(0.25);
  assert.deepEqual(chosen(), [0, 32], "their room is on its way");
  for (const i of chosen()) holders[i]!.reservation.release();
  ask(MIB / 2);
  pass(1.9);
  assert.deepEqual(chosen(), [0, 32], "for the next one who waits they have their time again");
  pass(0.2);
  assert.deepEqual(chosen(), [0, 1, 32]);
});

Deno.test("once it is closed no body waits any more", async () => {
  const { ask, close } = budgetAndSenders();
  ask(60 * MIB);
  const waiting = ask(60 * MIB);
  close();
  await assert.rejects(waiting.reservation.granted, BodyQuotaExceeded);
  await assert.rejects(ask(60 * MIB).reservation.granted, BodyQuotaExceeded);
});
