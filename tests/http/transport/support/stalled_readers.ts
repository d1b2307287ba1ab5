import { type Address, Connection } from "../../../support/connection.ts";
import { pause } from "../../../support/eventually.ts";
import type { ServerProcess } from "../../../support/server_process.ts";
import { requestBytes } from "./requests.ts";
import { residentMib } from "./transport_process.ts";

const EVENTS_PER_PAGE = 10_000;
/** A page has 60 MB, far more than the socket buffers of the operating system hold. */
const PAYLOAD_BYTES = 6000;
const PAGE = requestBytes("QUERY", "/events", `{"query":"*","limit":${EVENTS_PER_PAGE}}`);

/** Writes one page of events, then lets every reader worker of a fresh process read it. */
export async function fillWithPages(server: ServerProcess): Promise<void> {
  const event = { type: "t", payload: "x".repeat(PAYLOAD_BYTES) };
  for (let i = 0; i < EVENTS_PER_PAGE / 100; i++) await server.client().append(...Array(100).fill(event));
  await server.restart();
  for (let i = 0; i < 2; i++) {
    await Promise.all(Array.from({ length: 8 }, () => readPage(server.address)));
  }
}

async function readPage(address: Address): Promise<void> {
  using connection = await Connection.open(address);
  await connection.send(PAGE);
  const head = await connection.readHead();
  const reply = await connection.readRest(head);
  if (reply.cutShort) throw new Error("a page was cut short");
}

/** Readers that request a page, read a little of it and then stop reading. */
export class StalledReaders implements Disposable {
  readonly #connections: readonly Connection[];

  private constructor(connections: readonly Connection[]) {
    this.#connections = connections;
  }

  static async open(address: Address, count: number): Promise<StalledReaders> {
    const connections: Connection[] = [];
    for (let i = 0; i < count; i++) {
      const connection = await Connection.open(address);
      connections.push(connection);
      await connection.send(PAGE);
      await connection.readHead();
    }
    return new StalledReaders(connections);
  }

  /** Returns the highest resident memory of the server within this number of seconds, in MiB. */
  async highestMib(pid: number, seconds: number): Promise<number> {
    let highest = residentMib(pid);
    for (let i = 0; i < seconds * 5; i++) {
      await pause(200);
      highest = Math.max(highest, residentMib(pid));
    }
    return highest;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#connections) connection.close();
  }
}
