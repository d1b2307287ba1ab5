import assert from "node:assert/strict";
import { tapped } from "../../audit/chain/tapped_transport.ts";
import { HistoryLines } from "../../audit/chain/history_lines.ts";
import { Histories, Observations } from "../../audit/chain/observations.ts";
import { SeenEvents } from "../../audit/chain/observed.ts";
import { EventStore } from "../../client/mod.ts";
import type { TransportReply, TransportRequest } from "../../client/transport/transport.ts";
import { evidenceOf, lossy, type Made } from "./made_chain.ts";
import { PROXY_HEADER } from "../../audit/chain/http_faults.ts";

const EVENT = JSON.stringify({
  sequence: 1,
  time: "t1",
  type: "Noted",
  identifiers: { note: "n1" },
  metadata: { mark: "a1/0" },
  payload: "{}",
});

/** An answer with these fields of the head. */
function answer(status: number, text: string, head: Readonly<Record<string, string>>): TransportReply {
  return {
    status,
    header: (name) => ({ "content-length": String(text.length), ...head })[name],
    text: () => Promise.resolve(text),
    pieces: () => {
      throw new Error("it has a length");
    },
  };
}

const SERVED = { "x-service-store": "S", "x-service-head": "1" };

Deno.test("requests and answers of a client become lines for a checker of linearizability", async () => {
  const path = Deno.makeTempFileSync();
  const observations = new Observations(new SeenEvents(), new Histories());
  const answers: (() => TransportReply)[] = [
    () => answer(200, '{"events":[{"sequence":1,"time":"t1"}],"projections":{}}', SERVED),
    () => answer(409, '{"error":"ConcurrencyException"}', SERVED),
    () => answer(413, '{"error":"PayloadTooLarge"}', SERVED),
    () => answer(502, "<html></html>", { [PROXY_HEADER]: "1" }),
    () => {
      throw new Error("the connection broke");
    },
    () => answer(200, `${EVENT}\n{"hasMore":false}\n`, SERVED),
    () => answer(200, `${EVENT}\n`, SERVED),
  ];
  const send = (_: TransportRequest): Promise<TransportReply> =>
    Promise.resolve().then(() => answers.shift()!());
  {
    using lines = new HistoryLines(path, false);
    const tap = { client: 3, observations: () => observations, lines, call: undefined };
    const store = new EventStore({ transport: tapped({ send }, tap), retrySeconds: 0 });
    const query = { identifiers: { note: "n1" } };
    const conditions = { query, after: { storeId: "S", sequence: 0 } };
    const event = { type: "Noted", identifiers: { note: "n1" }, metadata: { mark: "a1/0" }, payload: {} };
    await store.append(event);
    for (let i = 0; i < 4; i++) await assert.rejects(store.append(event, { conditions }));
    await store.read(query);
    await assert.rejects(store.read("*"));
  }
  const lines = Deno.readTextFileSync(path).trimEnd().split("\n").map((line) => JSON.parse(line));
  Deno.removeSync(path);
  const events = [{ label: "a1/0", tags: ["note:n1"] }];
  const conditions = [{ after: 0, store: "S", tags: ["note:n1"] }];
  assert.deepEqual(lines.map(({ op, input, output }) => ({ op, input, output })), [
    {
      op: "write",
      input: { conditions: [], events },
      output: { kind: "written", store: "S", sequences: [1] },
    },
    ...["conflict", "nothing", "unknown", "unknown"].map((kind) => (
      { op: "write", input: { conditions, events }, output: { kind } }
    )),
    {
      op: "read",
      input: { tags: ["note:n1"], after: 0, limit: 1000, backwards: false },
      output: { store: "S", head: 1, hasMore: false, events: [[1, "a1/0"]] },
    },
  ]);
  assert.deepEqual(lines.map((line) => line.return === null), [false, false, false, true, true, false]);
  assert.ok(lines.every(({ call, return: end }) => end === null || end >= call));
  // A page that is cut short does not count as a page, but its events count.
  assert.equal(observations.pages.length, 1);
  assert.equal(observations.histories.of("S").get(1)?.mark, "a1/0");
});

Deno.test("a new store begins with the events that readers saw in both, and at least with those of the new primary", () => {
  const kept = (change: (made: Made) => void): unknown => {
    const path = Deno.makeTempFileSync();
    const made = lossy();
    change(made);
    {
      using lines = new HistoryLines(path, false);
      lines.forks(evidenceOf(made));
    }
    const [line] = Deno.readTextFileSync(path).trimEnd().split("\n").map((text) => text && JSON.parse(text));
    Deno.removeSync(path);
    return line && [line.op, line.call, line.output];
  };
  const seen = (...sequences: readonly number[]) => (made: Made): void => {
    made.seen = made.seen.filter(([, { sequence }]) => sequences.includes(sequence));
    made.pages = [];
  };
  assert.deepEqual(kept(() => {}), ["fork", 3000, { store: "T", kept: 2 }]);
  assert.deepEqual(kept(seen(1)), ["fork", 3000, { store: "T", kept: 2 }]);
  assert.deepEqual(
    kept((made) => {
      seen(1)(made);
      made.failover = { ...made.failover, kept: 3 };
    }),
    ["fork", 3000, { store: "T", kept: 3 }],
  );
  assert.deepEqual(
    kept((made) => {
      made.seen = [["S", made.after.events[2]!]];
      made.pages = [];
    }),
    ["fork", 3000, { store: "T", kept: 3 }],
  );
  assert.equal(kept((made) => made.after = { ...made.after, storeId: "S" }), "");
});

Deno.test("a write that the new store has rejected may have been written in the part of the old one that was lost", () => {
  const path = Deno.makeTempFileSync();
  const made = lossy();
  using lines = new HistoryLines(path, true);
  const write = (mark: string, call: number, status: number): void => {
    const body = { conditions: [], events: [{ identifiers: {}, metadata: { mark } }] };
    lines.write(1, call, JSON.stringify(body), { status, storeId: "T", answer: "{}" });
  };
  const lastPage = { ...made.pages[0]!, storeId: "S", ended: 3100 };
  lines.read(2, lastPage);
  write("d2/0", 2900, 503);
  // The event of this one was not seen, but the head of a page may have been its sequence.
  write("x1/0", 2900, 503);
  // Two attempts of one call have the same event. The second one began after the last page of the old store.
  write("a2/0", 2900, 409);
  write("a2/0", 3101, 409);
  lines.forks(evidenceOf(made));
  const found = Deno.readTextFileSync(path).trimEnd().split("\n").map((text) => JSON.parse(text));
  Deno.removeSync(path);
  const lost = { kind: "unknown", store: "S", after: 2 };
  assert.deepEqual(
    found.slice(5).map(({ op, input, return: end, output }) => [op, input.events?.[0].label, end, output]),
    [
      ["fork", undefined, found[5].return, { store: "T", kept: 2 }],
      ["write", "d2/0", null, lost],
      ["write", "x1/0", null, lost],
      ["write", "a2/0", null, lost],
    ],
  );
});
