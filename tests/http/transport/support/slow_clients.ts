import { type Address, Connection } from "../../../support/connection.ts";
import { pause } from "../../../support/eventually.ts";

/**
 * A way to hold a connection: the client sends some bytes, then more every second. With `""` it waits for the server
 * to close the connection; with undefined it does not even read.
 */
export interface SlowShape {
  readonly name: string;
  readonly first: string;
  readonly everySecond: string | undefined;
}

const HOST = "host: localhost\r\n";
const LONG_BODY = `POST /write HTTP/1.1\r\n${HOST}content-length: 1000000\r\n\r\n`;
const PAGE = '{"query":"*"}';

export const SLOW_SHAPES: readonly SlowShape[] = [
  { name: "no bytes", first: "", everySecond: "" },
  { name: "head byte by byte", first: `GET /health HTTP/1.1\r\n${HOST}x-slow: `, everySecond: "x" },
  { name: "endless header", first: `GET /health HTTP/1.1\r\n${HOST}x-slow: `, everySecond: "x".repeat(1024) },
  { name: "stalled body", first: LONG_BODY, everySecond: "" },
  { name: "body byte by byte", first: LONG_BODY, everySecond: " " },
  {
    name: "reply never read",
    first: `QUERY /events HTTP/1.1\r\n${HOST}content-length: ${PAGE.length}\r\n\r\n${PAGE}`,
    everySecond: undefined,
  },
];

/** A client that reads nothing does not notice that it was cut off, so it reconnects after this time. */
const HELD_SECONDS_MAX = 35;

/** A number of clients of one shape. Each reconnects when the server has cut it off. */
export class SlowClients implements AsyncDisposable {
  readonly #address: Address;
  readonly #shape: SlowShape;
  readonly #connections = new Set<Connection>();
  readonly #running: Promise<void>[] = [];
  #stopped = false;

  constructor(address: Address, shape: SlowShape, count: number) {
    this.#address = address;
    this.#shape = shape;
    for (let i = 0; i < count; i++) this.#running.push(this.#comeAgain());
  }

  /** The number of clients that have a connection now. */
  get connected(): number {
    return this.#connections.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    for (const connection of this.#connections) connection.close();
    await Promise.all(this.#running);
  }

  async #comeAgain(): Promise<void> {
    while (!this.#stopped) {
      try {
        using connection = await Connection.open(this.#address);
        this.#connections.add(connection);
        await this.#hold(connection).finally(() => this.#connections.delete(connection));
      } catch {
        await pause(50);
      }
    }
  }

  async #hold(connection: Connection): Promise<void> {
    await connection.send(this.#shape.first);
    const { everySecond } = this.#shape;
    if (everySecond === "") {
      while (await connection.readSome(1024) !== undefined);
      return;
    }
    for (let seconds = 0; seconds < HELD_SECONDS_MAX && !this.#stopped; seconds++) {
      await pause(1000);
      if (everySecond !== undefined) await connection.send(everySecond);
    }
  }
}
