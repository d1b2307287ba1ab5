import assert from "node:assert/strict";
import { Connection, linesOf, requestBytes, textOf } from "../../bench/connection.ts";
import { SampleEvents } from "../../bench/sample_events.ts";
import { eventBody } from "../../src/wire/event.ts";
import { holdWriteLock, waitForQueue } from "../support/held_write_lock.ts";
import type { ServerProcess } from "../support/server_process.ts";

/*
 * The kinds of requests whose costs a test bounds. Each row opens its connections and returns a function. That
 * function sends the requests of the row, the same number each time, and returns that number.
 */

type Row = (server: ServerProcess, open: DisposableStack) => Promise<() => Promise<number>>;

/** The number of events in the store of edition A before the first request. */
const STORED_EVENTS = 20_000;

const event = (basket: string): string =>
  `{"type":"ArticleAdded","identifiers":{"basket":"${basket}"},"metadata":{"source":"test"},"payload":"{}"}`;

/** A write of one event, on the condition that no event about its basket was written since `after`. */
function conditionalWrite(basket: string, after: string): Uint8Array {
  return requestBytes(
    "POST",
    "/write",
    `{"conditions":[{"failIfEventsMatch":[{"types":["ArticleAdded"],` +
      `"identifiers":[{"name":"basket","value":"${basket}"}]}]${after}}],"events":[${event(basket)}]}`,
  );
}

async function answered(connection: Connection, request: Uint8Array, status = 200): Promise<string> {
  const reply = await connection.request(request);
  assert.equal(reply.status, status, textOf(reply));
  return textOf(reply);
}

/** One client writes one event after the other, each on the condition that its last one is still the newest. */
const oneWriter: Row = async ({ address }, open) => {
  const connection = open.use(await Connection.open(address));
  const basket = crypto.randomUUID();
  const { headers } = await connection.request(requestBytes("QUERY", "/events", '{"query":"*","limit":1}'));
  const storeId = headers.get("x-service-store")!;
  let last = 0;
  return async () => {
    const requests = 100;
    for (let i = 0; i < requests; i++) {
      const written = await answered(
        connection,
        conditionalWrite(basket, `,"afterSequence":${last},"store":"${storeId}"`),
      );
      last = JSON.parse(written).events[0].sequence;
    }
    return requests;
  };
};

/** 64 clients write one event each while the writer is busy, so that their writes share one transaction. */
const writersTogether: Row = async (server, open) => {
  const connections: Connection[] = [];
  for (let i = 0; i < 65; i++) connections.push(open.use(await Connection.open(server.address)));
  const write = (connection: Connection): Promise<string> =>
    answered(connection, conditionalWrite(crypto.randomUUID(), ""));
  return async () => {
    using held = holdWriteLock(server);
    // The first has the write transaction to itself, as one write of 65.
    const writing = [write(connections[0]!)];
    await waitForQueue(server.client(), 0);
    writing.push(...connections.slice(1).map(write));
    await waitForQueue(server.client(), 64);
    held.release();
    await Promise.all(writing);
    return connections.length;
  };
};

/** One client writes 100 events at a time, with four tags each. */
const bulkWriter: Row = async ({ address }, open) => {
  const connection = open.use(await Connection.open(address));
  const sample = new SampleEvents(STORED_EVENTS, 4);
  return async () => {
    const requests = 10;
    for (let i = 0; i < requests; i++) {
      const events = sample.events(100).map((event) => `{${eventBody(event)}}`);
      await answered(connection, requestBytes("POST", "/write", `{"events":[${events.join(",")}]}`));
    }
    return requests;
  };
};

/**
 * A fixed number of readers. It decides which reads are executed together, and would otherwise depend on the machine.
 */
export const READERS = { SERVICE_READ_POOL_SIZE: "2" };

/** A read of the events of one tag, about ten events. */
function smallRead(sample: SampleEvents): Uint8Array {
  const query = [{ identifiers: [{ name: "article", value: sample.article() }] }];
  return requestBytes("QUERY", "/events", JSON.stringify({ query }));
}

/** One client makes small reads. */
const smallReader: Row = async ({ address }, open) => {
  const connection = open.use(await Connection.open(address));
  const sample = new SampleEvents(STORED_EVENTS, 5);
  return async () => {
    const requests = 100;
    for (let i = 0; i < requests; i++) await answered(connection, smallRead(sample));
    return requests;
  };
};

/** 64 clients make small reads, so that most of them wait and are executed together. */
const readersTogether: Row = async ({ address }, open) => {
  const sample = new SampleEvents(STORED_EVENTS, 6);
  const connections: Connection[] = [];
  for (let i = 0; i < 64; i++) connections.push(open.use(await Connection.open(address)));
  return async () => {
    const rounds = 5;
    for (let round = 0; round < rounds; round++) {
      await Promise.all(connections.map((connection) => answered(connection, smallRead(sample))));
    }
    return rounds * connections.length;
  };
};

/** One client reads the first half of the store in pages of 10,000. */
const scan: Row = async ({ address }, open) => {
  const connection = open.use(await Connection.open(address));
  return async () => {
    const pages = 4;
    for (let page = 0; page < pages; page++) {
      const body = `{"query":"*","afterSequence":${page % 2 * 10_000},"limit":10000}`;
      const reply = await connection.request(requestBytes("QUERY", "/events", body));
      assert.equal(linesOf(reply), 10_001);
    }
    return pages;
  };
};

/** Edition B: begin, read, write one event, commit. The cost counts the whole transaction. */
const transaction: Row = async ({ address }, open) => {
  const connection = open.use(await Connection.open(address));
  return async () => {
    const transactions = 20;
    for (let i = 0; i < transactions; i++) {
      const basket = crypto.randomUUID();
      const { txId } = JSON.parse(await answered(connection, requestBytes("POST", "/tx", "")));
      const query = `{"query":[{"identifiers":[{"name":"basket","value":"${basket}"}]}]}`;
      await answered(connection, requestBytes("QUERY", `/tx/${txId}/events`, query));
      await answered(connection, requestBytes("POST", `/tx/${txId}/events`, `{"events":[${event(basket)}]}`));
      await answered(connection, requestBytes("POST", `/tx/${txId}/commit`, ""), 204);
    }
    return transactions;
  };
};

/** Edition C: begin, append one event, commit. The cost counts the whole transaction. */
const ticket: Row = async ({ address }, open) => {
  const connection = open.use(await Connection.open(address));
  return async () => {
    const transactions = 20;
    for (let i = 0; i < transactions; i++) {
      const { ticket } = JSON.parse(await answered(connection, requestBytes("POST", "/begin", "")));
      const field = `X-Service-Ticket: ${ticket}`;
      const events = `{"events":[${event(crypto.randomUUID())}]}`;
      await answered(connection, requestBytes("POST", "/events", events, field));
      await answered(connection, requestBytes("POST", "/commit", "", field), 204);
    }
    return transactions;
  };
};

export type RowName =
  | "smallReader"
  | "readersTogether"
  | "scan"
  | "oneWriter"
  | "writersTogether"
  | "bulkWriter"
  | "transaction"
  | "ticket";

/** The rows of an edition, and the number of events in the store that they run on. */
export const ROWS_OF: Readonly<
  Record<"A" | "B" | "C", { readonly names: readonly RowName[]; readonly storedEvents: number }>
> = {
  A: {
    names: ["smallReader", "readersTogether", "scan", "oneWriter", "writersTogether", "bulkWriter"],
    storedEvents: STORED_EVENTS,
  },
  B: { names: ["transaction"], storedEvents: 0 },
  C: { names: ["ticket"], storedEvents: 0 },
};

/** The rows of edition A, then one of edition B and one of edition C. */
export const rows: Readonly<Record<RowName, Row>> = {
  smallReader,
  readersTogether,
  scan,
  oneWriter,
  writersTogether,
  bulkWriter,
  transaction,
  ticket,
};
