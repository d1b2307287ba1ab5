import assert from "node:assert/strict";
import type { EventStore } from "../../../client/mod.ts";
import { given, TestClock } from "../../../client/testing/mod.ts";

interface Events {
  SeatTaken: { by: string };
  Invoiced: { cents: number };
}

class SoldOut extends Error {
  override readonly name = "SoldOut";
}

async function takeSeat(store: EventStore<Events>, show: string, by: string): Promise<void> {
  const seats = { query: { identifiers: { show } }, initial: 0, apply: (taken: number) => taken + 1 };
  await store.decide(seats, (taken) => {
    if (taken >= 2) throw new SoldOut(`${show} is sold out`);
    return { type: "SeatTaken", identifiers: { show }, metadata: { at: "door" }, payload: { by } };
  });
}

function taken(by: string, show = "s1") {
  return { type: "SeatTaken", identifiers: { show }, payload: { by } } as const;
}

/** The message of a test that fails. */
async function messageOf(test: Promise<void>): Promise<string> {
  const error = await test.then(() => undefined, (error) => error);
  assert.equal(error?.name, "AssertionError", String(error?.stack));
  return error.message;
}

Deno.test("a decision that writes the expected events, or fails as expected, passes", async () => {
  await given<Events>().when((store) => takeSeat(store, "s1", "Ada")).then(taken("Ada"));
  await given<Events>().when(() => {}).then([]);
  const full = given<Events>([taken("Ada"), taken("Bob")]).when((store) => takeSeat(store, "s1", "Cy"));
  for (const expected of [SoldOut, "s1 is sold out", /sold out/]) await full.then(expected);
  const other = given<Events>([taken("Ada", "s2"), taken("Bob", "s2")]);
  await other.when((store) => takeSeat(store, "s1", "Cy")).then([taken("Cy")]);
});

Deno.test("a failing test shows which lines of which events differ", async () => {
  const other = { ...taken("Bob"), identifiers: { show: ["s1"], hall: "h1" } };
  const test = given<Events>().when((store) => takeSeat(store, "s1", "Ada")).then([other, taken("Ada")]);
  assert.equal(
    await messageOf(test),
    [
      "the decision wrote other events than expected (- expected, + written):",
      "- SeatTaken",
      '-   identifiers: {"hall":"h1","show":"s1"}',
      "-   payload: {",
      '-     "by": "Bob"',
      "-   }",
      "  SeatTaken",
      '    identifiers: {"show":"s1"}',
      "    payload: {",
      '      "by": "Ada"',
      "    }",
    ].join("\n"),
  );
});

Deno.test("metadata is compared where the expected event names some, without that of the client", async () => {
  const test = given<Events>().when((store) => takeSeat(store, "s1", "Ada"));
  await test.then({ ...taken("Ada"), metadata: { at: "door" } });
  const message = await messageOf(test.then({ ...taken("Ada"), metadata: { at: "web" } }));
  assert.match(message, /\n- {3}metadata: {"at":"web"}\n\+ {3}metadata: {"at":"door"}\n/);
});

Deno.test("an error where events are expected, and the other way round, are named", async () => {
  const full = given<Events>([taken("Ada"), taken("Bob")]).when((store) => takeSeat(store, "s1", "Cy"));
  assert.equal(await messageOf(full.then([taken("Cy")])), "the decision failed: SoldOut: s1 is sold out");
  assert.equal(
    await messageOf(full.then("sold out")),
    'expected an error with the message "sold out", but the decision failed with SoldOut: s1 is sold out',
  );
  assert.equal(
    await messageOf(full.then(TypeError)),
    "expected TypeError, but the decision failed with SoldOut: s1 is sold out",
  );
  const free = given<Events>().when((store) => takeSeat(store, "s1", "Cy"));
  assert.equal(
    await messageOf(free.then(/sold out/)),
    "expected an error with a message like /sold out/, but the decision succeeded and wrote:\n" +
      '  SeatTaken\n    identifiers: {"show":"s1"}\n    payload: {\n      "by": "Cy"\n    }',
  );
  const half = given<Events>().when(async (store) => {
    await store.append(taken("Ada"));
    throw new SoldOut("too late");
  });
  assert.match(
    await messageOf(half.then(SoldOut)),
    /^the decision failed as expected, and wrote:\n {2}SeatTaken\n/,
  );
});

Deno.test("a test that is awaited without an expectation says so", async () => {
  const test = async (): Promise<void> => await (given<Events>().when(() => {}) as unknown as Promise<void>);
  await assert.rejects(test(), { name: "TypeError", message: /^say what is expected/ });
});

Deno.test("a handler gets the events of its query in order, and its events, projections and conditions are written", async () => {
  const handled: string[] = [];
  const invoices = {
    query: { types: ["SeatTaken"] },
    handle: (event: { readonly sequence: number }, { key }: { key: string }) => {
      handled.push(key);
      const invoiced = { type: "Invoiced" as const, payload: { cents: event.sequence } };
      return event.sequence === 1
        ? invoiced
        : { events: invoiced, projections: { create: [{ type: "invoice", id: "2", payload: 2 }] } };
    },
  } as const;
  const expected = [1, 2].map((cents) => ({ type: "Invoiced" as const, payload: { cents } }));
  await given<Events>([taken("Ada"), taken("Bob")]).whenHandledBy(invoices).then(expected);
  const numbered = (store: EventStore<Events>) => ({
    query: invoices.query,
    async handle() {
      const { events } = await store.read({ types: ["Invoiced"] });
      return { type: "Invoiced", payload: { cents: events.length + 1 } };
    },
  });
  await given<Events>([taken("Ada"), taken("Bob")]).whenHandledBy(numbered).then(expected);
  assert.equal(new Set(handled).size, 2);
});

Deno.test("given events may be many, and options are those of the store", async () => {
  const clock = new TestClock("2026-11-28T09:00:00Z");
  const many = Array.from({ length: 250 }, (_, i) => taken(String(i), `s${i}`));
  const times: string[] = [];
  await given<Events>(many, { clock }).when(async (store) => {
    clock.advance(1.5);
    await store.append(taken("Ada"));
    clock.set("2026-11-27");
    await store.append(taken("Bob"));
    for await (const { time } of store.readAll("*", { after: 249 })) times.push(time);
  }).then([taken("Ada"), taken("Bob")]);
  assert.deepEqual(times, [
    "2026-11-28T09:00:00.000000Z",
    "2026-11-28T09:00:01.500000Z",
    "2026-11-27T00:00:00.000000Z",
  ]);
  assert.throws(() => clock.set("soon"), {
    message: '"soon" is no time; give one like 2026-11-28T09:00:00Z',
  });
});
