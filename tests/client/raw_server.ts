import { join } from "node:path";
import { Connections, type ConnectionsOptions } from "../../client/connections/mod.ts";
import type { EventStoreOptions } from "../../client/mod.ts";
import { inDirectory } from "../support/directory.ts";
import { freePort } from "../support/free_port.ts";

/** The start of an answer with a page. */
export const PAGE = "HTTP/1.1 200 OK\r\nx-service-store: s\r\nx-service-head: 1\r\n";

/** A server that answers every request with these bytes. */
export class RawServer implements Disposable {
  answer = "";
  /** True when the server closes the connection after the answer. */
  closes = true;
  connections = 0;
  /** The first line of each request. */
  readonly requests: string[] = [];
  readonly #listener: Deno.Listener;
  readonly #open = new Set<Deno.Conn>();

  constructor(listener: Deno.Listener) {
    this.#listener = listener;
    this.#accept();
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const connection of this.#open) connection.close();
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      this.connections++;
      this.#open.add(connection);
      this.#serve(connection);
    }
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    do {
      const request = await readRequest(connection).catch(() => "");
      if (request === "") return;
      this.requests.push(request.split("\r\n")[0]!);
      // A client that no longer waits has disconnected, so writing may fail.
      await connection.write(new TextEncoder().encode(this.answer)).catch(() => {});
    } while (!this.closes);
    this.#open.delete(connection);
    connection.close();
  }
}

/**
 * Reads the whole request: closing a connection with unread bytes would reset it, and the answer would be lost.
 * @returns nothing when the client has disconnected
 */
async function readRequest(connection: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(10_000);
  let text = "";
  while (!isWhole(text)) {
    const count = await connection.read(buffer);
    if (count === null) return "";
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  return text;
}

function isWhole(text: string): boolean {
  const [head = "", body] = text.split("\r\n\r\n");
  return body !== undefined && body.length >= Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
}

/** Runs a test with a server on TCP and with one on a socket, each also over kept connections. */
export async function onRawServers(
  work: (server: RawServer, place: EventStoreOptions) => Promise<void>,
): Promise<void> {
  for (const isOverKept of [false, true]) {
    const onServer = async (listener: Deno.Listener, place: ConnectionsOptions): Promise<void> => {
      using server = new RawServer(listener);
      const connections = new Connections(place);
      await work(server, isOverKept ? { transport: connections } : place);
      connections.close();
    };
    const port = freePort();
    await onServer(Deno.listen({ hostname: "127.0.0.1", port }), { url: `http://127.0.0.1:${port}/` });
    await inDirectory(async (directory) => {
      const path = join(directory, "raw.sock");
      await onServer(Deno.listen({ transport: "unix", path }), { socketPath: path });
    });
  }
}
