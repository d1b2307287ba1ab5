import { delay } from "../../src/async/delay.ts";
import { type Address, Connection, requestBytes, textOf } from "../connection.ts";
import { Histogram } from "../histogram.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";
import { PAYLOAD } from "../sample_events.ts";
import { storeIdOf } from "./one_event.ts";
import { type Follow, WaitingReaders } from "./waiting_readers.ts";

const WAIT_SECONDS = 30;

/** Readers must receive the last event within this time after the last write. */
const LATE_SECONDS_MAX = 5;
const LOOK_MILLISECONDS = 10;

/**
 * Each reader follows its own value of a tag. Each writer writes one event after another about its own subject, as
 * in `oneEvent`, for a random reader. A latency is that of a delivery: from sending the write until the reader has
 * received the page with its event.
 */
export async function delivery(
  address: Address,
  writerCount: number,
  readerCount: number,
  timing: Timing,
): Promise<Round> {
  using connections = new DisposableStack();
  const storeId = await storeIdOf(address);
  const run = crypto.randomUUID();
  const deliveries = new Deliveries(timing);
  await using _readers = await WaitingReaders.start(address, readerCount, makeFollow(run, deliveries));
  const writers = [];
  for (let writer = 0; writer < writerCount; writer++) {
    const connection = connections.use(await Connection.open(address));
    const someReader = (): string => `${run}-${Math.floor(Math.random() * readerCount)}`;
    writers.push(makeWriter(connection, storeId, someReader, deliveries));
  }
  deliveries.begin();
  const { usage } = await measureClients(writers, timing);
  await deliveries.complete();
  return { ...deliveries.round, ...usage === undefined ? {} : { usage } };
}

/** Counts the delivered events and their latencies. */
class Deliveries {
  readonly #timing: Timing;
  #from = Infinity;
  readonly #latencies = new Histogram();
  #written = 0;
  #arrived = 0;

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** Begins the warm-up. */
  begin(): void {
    this.#from = performance.now() + this.#timing.warmUpSeconds * 1000;
  }

  wrote(): void {
    this.#written++;
  }

  arrived(sentAt: number): void {
    this.#arrived++;
    const now = performance.now();
    if (now >= this.#from && now < this.#from + this.#timing.seconds * 1000) {
      this.#latencies.add(now - sentAt);
    }
  }

  /** Waits until all written events have been delivered. */
  async complete(): Promise<void> {
    const until = performance.now() + LATE_SECONDS_MAX * 1000;
    while (this.#arrived < this.#written && performance.now() < until) {
      await delay(LOOK_MILLISECONDS);
    }
    if (this.#arrived !== this.#written) {
      throw new Error(`of ${this.#written} events, ${this.#arrived} were delivered`);
    }
  }

  get round(): Round {
    const latencies = this.#latencies;
    return { seconds: this.#timing.seconds, events: latencies.total, latencies };
  }
}

/** A reader that always continues after its last event. */
function makeFollow(run: string, deliveries: Deliveries): Follow {
  return async (connection, reader) => {
    const query = `[{"identifiers":[{"name":"reader","value":"${run}-${reader}"}]}]`;
    for (let afterSequence = 0;;) {
      const body = `{"query":${query},"afterSequence":${afterSequence},"waitSeconds":${WAIT_SECONDS}}`;
      const reply = await connection.request(requestBytes("QUERY", "/events", body));
      const text = textOf(reply);
      if (reply.status !== 200) throw new Error(`a waiting read was answered ${reply.status}: ${text}`);
      for (const line of text.split("\n").slice(0, -2)) {
        const { sequence, payload } = JSON.parse(line) as { sequence: number; payload: string };
        if (sequence <= afterSequence) throw new Error(`${sequence} came after ${afterSequence}`);
        afterSequence = sequence;
        deliveries.arrived((JSON.parse(payload) as { sentAt: number }).sentAt);
      }
    }
  };
}

function makeWriter(
  connection: Connection,
  storeId: string,
  someReader: () => string,
  deliveries: Deliveries,
): () => Promise<number> {
  const basket = crypto.randomUUID();
  let afterSequence = 0;
  return async () => {
    const body =
      `{"conditions":[{"failIfEventsMatch":[{"types":["ArticleAdded"],"identifiers":[{"name":"basket","value":"${basket}"}]}],` +
      `"afterSequence":${afterSequence},"store":"${storeId}"}],` +
      `"events":[{"type":"ArticleAdded","identifiers":{"basket":"${basket}","reader":"${someReader()}"},` +
      `"metadata":{"source":"bench"},"payload":${JSON.stringify(payloadNow())}}]}`;
    const reply = await connection.request(requestBytes("POST", "/write", body));
    const text = textOf(reply);
    if (reply.status !== 200) throw new Error(`a write for a reader was answered ${reply.status}: ${text}`);
    const { events: [written] } = JSON.parse(text) as {
      readonly events: readonly [{ readonly sequence: number }];
    };
    afterSequence = written.sequence;
    deliveries.wrote();
    return 1;
  };
}

/** The payload of the other rows, with the time added. */
function payloadNow(): string {
  return `{"sentAt":${performance.now()},${PAYLOAD.slice(1)}`;
}
