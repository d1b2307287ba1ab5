import assert from "node:assert/strict";
import { type Append, decodeAppend, decodeChanges } from "../../../src/editions/c_ticket/ticket_requests.ts";
import { parseText } from "../a_write/decode_bodies.ts";
import { expectInvalid, expectRejection } from "../../wire/expect_rejection.ts";

const limits = {
  maxEventSize: 10,
  maxTagsPerEvent: 20,
  rejectEmails: false,
  maxProjectionSize: 10,
  maxProjectionsPerRequest: 3,
};

function append(body: unknown): Append {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return decodeAppend(parseText(text), limits);
}

function changes(body: unknown): ReturnType<typeof decodeChanges> {
  return decodeChanges(parseText(JSON.stringify(body)), limits);
}

const event = { type: "a", payload: "" };
const decoded = { type: "a", identifiers: [], metadata: [], payload: "" };

Deno.test("an append takes an array of events, which may be empty, and one condition, which may be omitted", () => {
  assert.deepEqual(append({ events: [] }), { events: [], condition: undefined });
  assert.deepEqual(append({ events: [event], condition: null }), { events: [decoded], condition: undefined });
  assert.deepEqual(append({ events: [], condition: {} }).condition, {
    failIfEventsMatch: "none",
    afterSequence: 0,
  });
});

Deno.test("the parts of a condition are independent of each other, and it names no store", () => {
  const of = (condition: unknown): unknown => append({ events: [], condition }).condition;
  const items = [{ types: ["a"], identifiers: [], metadata: [] }];
  assert.deepEqual(of({ failIfEventsMatch: "*" }), { failIfEventsMatch: "every", afterSequence: 0 });
  assert.deepEqual(of({ failIfEventsMatch: [{ types: ["a"] }], afterSequence: 7 }), {
    failIfEventsMatch: items,
    afterSequence: 7,
  });
  assert.deepEqual(of({ afterSequence: 7 }), { failIfEventsMatch: "every", afterSequence: 7 });
  assert.deepEqual(of({ failIfEventsMatch: null, afterSequence: null }), {
    failIfEventsMatch: "none",
    afterSequence: 0,
  });
  assert.deepEqual(of({ afterSequence: 2 ** 60 }), {
    failIfEventsMatch: "every",
    afterSequence: Number.MAX_SAFE_INTEGER,
  });
  for (const key of ["store", "time", "limit"]) {
    expectInvalid(() => of({ afterSequence: 1, [key]: "x" }), `condition: unknown key "${key}"`);
  }
});

const wrongAppends: readonly (readonly [body: unknown, detail: string | RegExp])[] = [
  ["[]", "body must be an object, not an array"],
  [{}, "events is missing"],
  [{ events: null }, "events must be an array, not null"],
  [{ events: [], conditions: [] }, 'unknown key "conditions"'],
  [{ events: [], condition: [] }, "condition must be an object, not an array"],
  [{ events: [], condition: { afterSequence: -1 } }, "condition: afterSequence must be at least 0"],
  [{ events: [], condition: { failIfEventsMatch: "all" } }, /^condition: failIfEventsMatch must be "\*" or/],
  [{ events: [], condition: { failIfEventsMatch: [] } }, /^condition: failIfEventsMatch is an empty array/],
  [{ events: [event, {}] }, "events[1]: type is missing"],
  [{ events: [{ ...event, time: "x" }] }, 'events[0]: unknown key "time"'],
  [{ events: Array(101).fill({}) }, "request carries 101 events, more than 100"],
];
Deno.test("an invalid append is rejected by name", () => {
  for (const [body, detail] of wrongAppends) expectInvalid(() => append(body), detail);
  expectRejection(
    () => append({ events: [event, { type: "a", payload: "x".repeat(10) }, {}] }),
    "PayloadTooLarge",
    "events[1] is 11 bytes, more than maxEventSize (10)",
  );
});

Deno.test("100 events go into one append, and events are checked before the condition", () => {
  assert.equal(append({ events: Array(100).fill(event) }).events.length, 100);
  expectInvalid(() => append({ events: [{}], condition: [] }), "events[0]: type is missing");
});

const key = { type: "t", id: "1" };
const version = "v";

Deno.test("changes of projections need one of the three lists, which may be empty", () => {
  const nothing = { create: [], replace: [], delete: [] };
  for (const list of ["create", "replace", "delete"]) assert.deepEqual(changes({ [list]: [] }), nothing);
  assert.deepEqual(changes({ create: null, delete: [] }), nothing);
  const all = {
    create: [{ ...key, payload: "" }],
    replace: [{ type: "t", id: "2", version, payload: "p" }],
    delete: [{ type: "t", id: "3", version }],
  };
  assert.deepEqual(changes(all), all);
  const message = "at least one of create, replace and delete must be given";
  for (const body of [{}, { create: null }, { create: null, replace: null, delete: null }]) {
    expectInvalid(() => changes(body), message);
  }
});

const wrongChanges: readonly (readonly [body: unknown, detail: string])[] = [
  [[], "body must be an object, not an array"],
  [null, "body must be an object, not null"],
  [{ update: [] }, 'unknown key "update"'],
  [{ create: [key] }, "create[0]: payload is missing"],
  [{ replace: [{ ...key, payload: "" }] }, "replace[0]: version is missing"],
  [{ delete: [key] }, "delete[0]: version is missing"],
  [
    { create: [{ ...key, payload: "" }], delete: [{ ...key, version }] },
    "delete[0] has the same type and id as create[0]",
  ],
  [
    { create: [{}, {}], replace: [{}], delete: [{}] },
    "request carries 4 projections, more than maxProjectionsPerRequest (3)",
  ],
];
Deno.test("invalid changes are rejected by name, their number before their content", () => {
  for (const [body, detail] of wrongChanges) expectInvalid(() => changes(body), detail);
  expectRejection(
    () => changes({ create: [{ ...key, payload: "x".repeat(8) }, { ...key, payload: "x".repeat(9) }] }),
    "InvalidRequest",
    "create[1] has the same type and id as create[0]",
  );
  expectRejection(
    () => changes({ create: [{ ...key, payload: "x".repeat(9) }] }),
    "PayloadTooLarge",
    "create[0] is 11 bytes, more than maxProjectionSize (10)",
  );
});

Deno.test("projections without any list are rejected, however long the body is", () => {
  const space = " ".repeat(1_100_000);
  for (const text of [`{${space}}`, `{"create":null${space}}`, `{}${space}`, "{}"]) {
    const value = parseText(text);
    expectInvalid(
      () => decodeChanges(value, limits),
      "at least one of create, replace and delete must be given",
    );
  }
});
