import { readRead, readWrite } from "../editions/a_write/decode_bodies.ts";
import { expectInvalid } from "./expect_rejection.ts";

const event = { type: "a", payload: "" };
const create = { type: "t", id: "i", payload: "" };
const deleted = { type: "t", id: "i", version: "v" };

Deno.test("a lone surrogate in any string is rejected", () => {
  const lone = "x\ud800";
  const bodies: [unknown, string][] = [
    [{ events: [{ ...event, type: lone }] }, "events[0]: type contains a lone surrogate"],
    [{ events: [{ ...event, payload: "\udc00\ud800" }] }, "events[0]: payload contains a lone surrogate"],
    [
      { events: [{ ...event, identifiers: { [lone]: "v" } }] },
      'events[0]: identifiers: name "x\\ud800" contains a lone surrogate',
    ],
    [{ events: [{ ...event, metadata: { n: lone } }] }, 'events[0]: metadata: "n" contains a lone surrogate'],
    [
      { events: [{ ...event, metadata: { n: ["v", lone] } }] },
      'events[0]: metadata: "n"[1] contains a lone surrogate',
    ],
    [
      { conditions: [{ afterSequence: 0, store: lone }] },
      "conditions[0]: store contains a lone surrogate",
    ],
    [
      { projections: { create: [{ ...create, id: lone }] } },
      "projections.create[0]: id contains a lone surrogate",
    ],
    [
      { projections: { delete: [{ ...deleted, version: lone }] } },
      "projections.delete[0]: version contains a lone surrogate",
    ],
  ];
  for (const [body, detail] of bodies) expectInvalid(() => readWrite(body), detail);
  for (
    const [query, detail] of [
      [[{ types: [lone] }], "query[0]: types[0] contains a lone surrogate"],
      [[{ metadata: [{ name: lone, value: "" }] }], "query[0]: metadata[0]: name contains a lone surrogate"],
      [
        [{ identifiers: [{ name: "", value: lone }] }],
        "query[0]: identifiers[0]: value contains a lone surrogate",
      ],
    ] as const
  ) {
    expectInvalid(() => readRead({ query }), detail);
  }
});
