import { type Address, Connection, linesOf, requestBytes, textOf } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";
import type { SampleEvents } from "../sample_events.ts";

/** Requests that are prepared before the clock starts, and then repeated. */
const REQUESTS = 10_000;

type MeasureReads = (
  address: Address,
  clientCount: number,
  sample: SampleEvents,
  timing: Timing,
) => Promise<Round>;

/** Reads the events of one value of a tag each time. */
function readBy(name: "article" | "order", rest: object = {}): MeasureReads {
  return (address, clientCount, sample, timing) =>
    measureReads(address, clientCount, timing, () => ({
      query: [{ identifiers: [{ name, value: sample[name]() }] }],
      ...rest,
    }));
}

/** About ten events each time. */
export const readByArticle = readBy("article");

const LAST = { backwards: true, limit: 1 };

/** The last of about ten events each time. */
export const readLastOfArticle = readBy("article", LAST);

/** Reads the last event of the store and, in alternation, the last of a type that one event in five has. */
export function readLast(
  address: Address,
  clientCount: number,
  sample: SampleEvents,
  timing: Timing,
): Promise<Round> {
  let isEvery = false;
  return measureReads(address, clientCount, timing, () => {
    isEvery = !isEvery;
    return { query: isEvery ? "*" : [{ types: [sample.type()] }], ...LAST };
  });
}

/** About two events each time. */
export const readByOrder = readBy("order");

/** The events of one type and one customer each time, about 80 of them. */
export function readByTypeAndCustomer(
  address: Address,
  clientCount: number,
  sample: SampleEvents,
  timing: Timing,
): Promise<Round> {
  return measureReads(address, clientCount, timing, () => ({
    query: [{ types: [sample.type()], identifiers: [{ name: "customer", value: sample.customer() }] }],
  }));
}

async function measureReads(
  address: Address,
  clientCount: number,
  timing: Timing,
  body: () => unknown,
): Promise<Round> {
  using connections = new DisposableStack();
  const requests = Array.from(
    { length: REQUESTS },
    () => requestBytes("QUERY", "/events", JSON.stringify(body())),
  );
  let next = 0;
  const clients = [];
  for (let client = 0; client < clientCount; client++) {
    const connection = connections.use(await Connection.open(address));
    clients.push(async () => {
      const reply = await connection.request(requests[next++ % REQUESTS]!);
      if (reply.status !== 200) throw new Error(`a read was answered ${reply.status}: ${textOf(reply)}`);
      const trailerLines = 1;
      return linesOf(reply) - trailerLines;
    });
  }
  return await measureClients(clients, timing);
}
