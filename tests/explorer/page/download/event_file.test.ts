import assert from "node:assert/strict";
import { eventFile, FORMATS, type ListRange } from "../../../../explorer/page/download/event_file.ts";
import type { EventsRequest, LinesPage } from "../../../../explorer/page/store/store_calls.ts";

const [NDJSON, CSV] = FORMATS as [typeof FORMATS[0], typeof FORMATS[0]];

const lineOf = (sequence: number): string =>
  `{"sequence":${sequence},"time":"t","type":"T","identifiers":{},"metadata":{},"payload":"1.0"}`;

/** A store that grows by one event with each read. */
function storeOf(events: number) {
  const asked: EventsRequest[] = [];
  return {
    asked,
    read(request: EventsRequest): Promise<LinesPage> {
      asked.push(request);
      const head = events++;
      const { afterSequence = 0, beforeSequence = Infinity, backwards = false, limit = 0 } = request;
      const [first, end] = [afterSequence + 1, Math.min(head + 1, beforeSequence)];
      const sequences = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
      if (backwards) sequences.reverse();
      const lines = sequences.slice(0, limit).map(lineOf);
      return Promise.resolve({ lines, hasMore: sequences.length > limit, head });
    },
  };
}

const RANGE: ListRange = { query: "*", isOldestFirst: true, after: 0, before: Infinity };

Deno.test("a file has every event of the list once, in its order, as the store sent it", async () => {
  for (const isOldestFirst of [true, false]) {
    const { read, asked } = storeOf(1234);
    const counts: number[] = [];
    const file = await eventFile({ ...RANGE, isOldestFirst }, {
      format: NDJSON,
      read,
      onProgress: (count) => counts.push(count),
    });
    const sequences = Array.from({ length: 1234 }, (_, i) => i + 1);
    if (!isOldestFirst) sequences.reverse();
    // Events that were written while it was made are left out.
    assert.equal(file.parts.join(""), sequences.map((sequence) => `${lineOf(sequence)}\n`).join(""));
    assert.deepEqual([file.count, file.isCut], [1234, false]);
    assert.deepEqual(counts, [500, 1000, 1234]);
    assert.ok(
      asked.every(({ query, backwards }) =>
        query === "*" && backwards === (isOldestFirst ? undefined : true)
      ),
    );
  }
});

Deno.test("a file has the events of the range alone", async () => {
  for (const isOldestFirst of [true, false]) {
    const { read } = storeOf(3000);
    const range = { ...RANGE, isOldestFirst, after: 1000, before: 1900 };
    const { parts, count } = await eventFile(range, { format: CSV, read, onProgress() {} });
    assert.equal(count, 899);
    const lines = parts.join("").split("\r\n");
    assert.equal(lines[0], "sequence,time,type,identifiers,metadata,payload");
    assert.equal(lines[isOldestFirst ? 1 : 899], "1001,t,T,{},{},1.0");
    assert.equal(lines[isOldestFirst ? 899 : 1], "1899,t,T,{},{},1.0");
  }
});

Deno.test("a list without events gives a file without lines", async () => {
  const { parts, count, isCut } = await eventFile(RANGE, {
    format: CSV,
    read: storeOf(0).read,
    onProgress() {},
  });
  assert.deepEqual([parts.join("").split("\r\n").length, count, isCut], [2, 0, false]);
});

Deno.test("a file that would become too large says that it is cut", async () => {
  const options = { format: NDJSON, onProgress() {} };
  const byCount = { ...options, max: { events: 700, bytes: Infinity } };
  const cut = await eventFile(RANGE, { ...byCount, read: storeOf(2000).read });
  assert.deepEqual([cut.count, cut.isCut], [700, true]);
  const whole = await eventFile(RANGE, { ...byCount, read: storeOf(700).read });
  assert.deepEqual([whole.count, whole.isCut], [700, false]);
  const byBytes = { ...options, max: { events: Infinity, bytes: 1000 } };
  const { count, isCut } = await eventFile(RANGE, { ...byBytes, read: storeOf(2000).read });
  assert.deepEqual([count, isCut], [500, true]);
});

Deno.test("a failed read fails the file", async () => {
  const read = () => Promise.reject(new Error("gone"));
  await assert.rejects(eventFile(RANGE, { format: NDJSON, read, onProgress() {} }), { message: "gone" });
});
