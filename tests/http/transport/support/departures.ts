import type { Address } from "../../../support/connection.ts";
import { pause } from "../../../support/eventually.ts";

/** The ways in which a client can disconnect. */
export const DEPARTURES = ["FIN", "RST", "half-close"] as const;
export type Departure = typeof DEPARTURES[number];

/** Sizes of bodies in bytes, from none to the largest that a server takes by default. */
export const BODY_BYTES = [0, 100, 10 * 1024, 1024 * 1024, 8 * 1024 * 1024] as const;

const FIRST_REQUEST = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";

/** A client that sends a request in several packets and disconnects in the given way. */
export class LeavingClient implements Disposable {
  readonly #conn: Deno.Conn;
  readonly #how: Departure;
  #closed = false;

  private constructor(conn: Deno.Conn, how: Departure) {
    this.#conn = conn;
    this.#how = how;
  }

  static async open(address: Address, how: Departure): Promise<LeavingClient> {
    const conn: Deno.Conn = address.transport === "unix"
      ? await Deno.connect(address)
      : await Deno.connect(address);
    if ("setNoDelay" in conn) (conn as Deno.TcpConn).setNoDelay();
    const client = new LeavingClient(conn, how);
    if (how === "RST") {
      // The operating system resets a connection that is closed with unread bytes, here most of a reply.
      await client.sendSplit(new TextEncoder().encode(FIRST_REQUEST), []);
      await conn.read(new Uint8Array(1));
    }
    return client;
  }

  /** Sends the bytes in packets that end at the given positions. */
  async sendSplit(bytes: Uint8Array, cuts: readonly number[]): Promise<void> {
    let at = 0;
    for (const end of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
      while (at < end) at += await this.#conn.write(bytes.subarray(at, end));
      await pause(0);
    }
  }

  async leave(): Promise<void> {
    if (this.#how === "half-close") await this.#conn.closeWrite();
    else this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#conn.close();
  }
}
