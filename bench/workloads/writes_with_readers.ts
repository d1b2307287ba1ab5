import { delay } from "../../src/async/delay.ts";
import { type Address, Connection, linesOf, requestBytes, textOf } from "../connection.ts";
import type { Round, Timing } from "../measure.ts";
import { oneEvent } from "./one_event.ts";
import { WaitingReaders } from "./waiting_readers.ts";

/** The longest wait of a read, so that the readers rarely have to read again. */
const WAIT_SECONDS = 60;

const LOOK_MILLISECONDS = 20;

/** Runs the writers of `oneEvent` while readers wait for events that no client writes. */
export async function withReaders(
  address: Address,
  clientCount: number,
  readerCount: number,
  timing: Timing,
): Promise<Round> {
  await using _readers = await waitInVain(address, readerCount);
  return await oneEvent(address, clientCount, timing);
}

/**
 * Begins reads that wait for events that no client writes. Returns when the server has all of them. Each asks for
 * another value of a tag, and for the type and the tag that every event of `oneEvent` has. So type and tag alone do
 * not rule out an event.
 */
export async function waitInVain(address: Address, readerCount: number): Promise<WaitingReaders> {
  using debug = await Connection.open(address);
  const run = crypto.randomUUID();
  const readers = await WaitingReaders.start(address, readerCount, async (connection, reader) => {
    const request = requestBytes("QUERY", "/events", bodyOf(`${run}-${reader}`));
    while (true) {
      const reply = await connection.request(request);
      const trailerLines = 1;
      if (reply.status !== 200 || linesOf(reply) > trailerLines) {
        throw new Error(`a read in vain was answered ${reply.status}: ${textOf(reply)}`);
      }
    }
  });
  while (await readsOf(debug) < readerCount) {
    // Throws the error of the reader that failed.
    if (readers.haveFailed) await readers[Symbol.asyncDispose]();
    await delay(LOOK_MILLISECONDS);
  }
  return readers;
}

function bodyOf(value: string): string {
  const query = [{
    types: ["ArticleAdded"],
    metadata: [{ name: "source", value: "bench" }, { name: "absent", value }],
  }];
  return JSON.stringify({ query, waitSeconds: WAIT_SECONDS });
}

/** The number of reads in progress on the server. */
export async function readsOf(connection: Connection): Promise<number> {
  const reply = await connection.request(requestBytes("GET", "/debug", ""));
  const { read } = JSON.parse(textOf(reply)) as { readonly read: { readonly httpOpen: number } };
  return read.httpOpen;
}
