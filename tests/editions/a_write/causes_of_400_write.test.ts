import { rejectsWrites } from "../../wire/rejects.ts";

/** The causes of `400` in the events, conditions and projections of a write, in the order and wording of edition A. */

const event = { type: "a", payload: "" };
const tag = { name: "n", value: "v" };
const values = (count: number): string[] => Array.from({ length: count }, (_, i) => `v${i}`);

rejectsWrites("events is no array, or an event no object", [
  [{ events: {} }, "events must be an array, not an object"],
  [{ events: [event, null] }, "events[1] must be an object, not null"],
]);
rejectsWrites("an event has no type", [
  [{ events: [event, event, event, { payload: "" }] }, "events[3]: type is missing"],
  [{ events: [{ ...event, type: null }] }, "events[0]: type must be a string, not null"],
  [{ events: [{ ...event, type: "" }] }, "events[0]: type must not be empty"],
]);
rejectsWrites("an event's payload is missing or null", [
  [{ events: [event, { type: "a" }] }, "events[1]: payload is missing"],
  [{ events: [{ type: "a", payload: null }] }, "events[0]: payload must be a string, not null"],
  [{ events: [{ type: "a", payload: {} }] }, "events[0]: payload must be a string, not an object"],
]);

for (const name of ["identifiers", "metadata"]) {
  const withTags = (tags: unknown): unknown => ({ events: [{ ...event, [name]: tags }] });
  rejectsWrites(`empty array as a tag value in ${name}`, [
    [withTags({ x: "1", n: [] }), `events[0]: ${name}: "n" is an empty array; omit the key`],
  ]);
  rejectsWrites(`duplicate tag in ${name}`, [
    [withTags({ n: ["a", "b", "a"] }), `events[0]: ${name}: "n" contains "a" twice`],
  ]);
  rejectsWrites(`over 20 ${name}`, [
    [
      withTags(Object.fromEntries(values(21).map((value) => [value, value]))),
      `events[0]: ${name} has 21 tags, more than maxTagsPerEvent (20)`,
    ],
    [
      withTags({ one: "1", many: values(20) }),
      `events[0]: ${name} has 21 tags, more than maxTagsPerEvent (20)`,
    ],
  ]);
  const shape = "must be a string or a non-empty array of strings";
  rejectsWrites(`${name} of another shape`, [
    [withTags([tag]), `events[0]: ${name} must be an object, not an array`],
    [withTags({ n: null }), `events[0]: ${name}: "n" ${shape}, not null`],
    [withTags({ n: 1 }), `events[0]: ${name}: "n" ${shape}, not a number`],
    [withTags({ n: ["a", null] }), `events[0]: ${name}: "n"[1] must be a string, not null`],
    [withTags({ n: [["a"]] }), `events[0]: ${name}: "n"[0] must be a string, not an array`],
  ]);
}

rejectsWrites("a condition's afterSequence is negative or no integer", [
  [
    { conditions: [{}, { afterSequence: -1, store: "s" }] },
    "conditions[1]: afterSequence must be at least 0",
  ],
  [
    { conditions: [{ afterSequence: 0.5, store: "s" }] },
    "conditions[0]: afterSequence must be an integer below 2^63",
  ],
]);
const together = "afterSequence and store must be given together or not at all";
rejectsWrites("afterSequence without store", [
  [{ conditions: [{ failIfEventsMatch: "*", afterSequence: 0 }] }, `conditions[0]: ${together}`],
  [{ conditions: [{ afterSequence: 3, store: null }] }, `conditions[0]: ${together}`],
]);
rejectsWrites("store without afterSequence", [
  [{ conditions: [{ failIfEventsMatch: "*", store: "s" }] }, `conditions[0]: ${together}`],
  [{ conditions: [{ store: "s" }] }, `conditions[0]: ${together}`],
]);
rejectsWrites("a condition of another shape", [
  [{ conditions: {} }, "conditions must be an array, not an object"],
  [{ conditions: [[]] }, "conditions[0] must be an object, not an array"],
  [{ conditions: [{ afterSequence: 0, store: "" }] }, "conditions[0]: store must not be empty"],
  [{ conditions: [{ afterSequence: 0, store: 1 }] }, "conditions[0]: store must be a string, not a number"],
]);

const whole = { type: "t", id: "i", version: "v", payload: "p" };
const keysOf = {
  create: ["type", "id", "payload"],
  replace: Object.keys(whole),
  delete: ["type", "id", "version"],
};
for (const [list, keys] of Object.entries(keysOf)) {
  const good = Object.fromEntries(Object.entries(whole).filter(([key]) => keys.includes(key)));
  const second = (item: unknown): unknown => ({ projections: { [list]: [{ ...good, id: "other" }, item] } });
  const path = `projections.${list}[1]`;
  for (const key of keys) {
    const isPayload = key === "payload";
    rejectsWrites(`a projection of ${list} has no ${key}`, [
      [second({ ...good, [key]: undefined }), `${path}: ${key} is missing`],
      [second({ ...good, [key]: null }), `${path}: ${key} must be a string, not null`],
      isPayload
        ? [second({ ...good, payload: 1 }), `${path}: payload must be a string, not a number`]
        : [second({ ...good, [key]: "" }), `${path}: ${key} must not be empty`],
    ]);
  }
  const foreign = list === "create" ? "version" : list === "delete" ? "payload" : "sequence";
  rejectsWrites(`a key that ${list} does not take`, [
    [second({ ...good, [foreign]: "x" }), `${path}: unknown key "${foreign}"`],
  ]);
  rejectsWrites(`${list} of another shape`, [
    [{ projections: { [list]: good } }, `projections.${list} must be an array, not an object`],
    [second("x"), `${path} must be an object, not a string`],
  ]);
}
rejectsWrites("projections is no object", [
  [{ projections: [] }, "projections must be an object, not an array"],
]);

const same = "has the same type and id as";
const create = { type: "t", id: "i", payload: "" };
const replace = { ...create, version: "v" };
const deleted = { type: "t", id: "i", version: "v" };
rejectsWrites("the same type+id twice in one write", [
  [{ projections: { create: [create, create] } }, `projections.create[1] ${same} projections.create[0]`],
  [
    { projections: { create: [create], replace: [replace] } },
    `projections.replace[0] ${same} projections.create[0]`,
  ],
  [
    { projections: { delete: [deleted], create: [create] } },
    `projections.delete[0] ${same} projections.create[0]`,
  ],
  [
    { projections: { replace: [replace], delete: [deleted] } },
    `projections.delete[0] ${same} projections.replace[0]`,
  ],
]);

const list = (count: number, element: (i: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, i) => element(i));
rejectsWrites("more events, conditions or projections than one write allows", [
  [
    { events: list(101, () => event) },
    "request carries 101 events, more than maxEventsPerWrite (100)",
  ],
  [
    { conditions: list(101, () => ({})) },
    "request carries 101 conditions, more than maxEventsPerWrite (100)",
  ],
  [
    {
      projections: {
        create: list(200, (i) => ({ ...create, id: `c${i}` })),
        replace: list(200, (i) => ({ ...replace, id: `r${i}` })),
        delete: list(101, (i) => ({ ...deleted, id: `d${i}` })),
      },
    },
    "request carries 501 projections, more than maxProjectionsPerWrite (500)",
  ],
]);

const largest = Array.from({ length: 100 }, (_, i) => ({
  types: values(99),
  metadata: [{ name: "n", value: `${i}` }],
}));
rejectsWrites("the queries of its conditions name too many values in all", [
  [
    { conditions: [{ failIfEventsMatch: largest }, {}, { failIfEventsMatch: [{ types: ["a"] }] }] },
    "the queries of conditions name more than 10000 values",
  ],
]);

rejectsWrites("a key twice, or a lone surrogate", [
  ['{"events":[{"type":"t","type":"t","payload":""}]}', /type/],
  ['{"events":[{"type":"t","identifiers":{"a":"1","a":"2"},"payload":""}]}', /a/],
  ['{"events":[{"type":"t","payload":"\\udc00"}]}', /^events\[0\].*payload/],
  ['{"events":[{"type":"t","identifiers":{"\\ud800":"1"},"payload":""}]}', /^events\[0\]/],
  ['{"projections":{"create":[{"type":"t","id":"\\ud83d","payload":""}]}}', /^projections\.create\[0\].*id/],
]);
