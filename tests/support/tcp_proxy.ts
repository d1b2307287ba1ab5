/** A connection on its way through a proxy. */
export interface Passage {
  readonly client: Deno.Conn;
  readonly server: Deno.Conn;
  /** True when the client's end was cut off: the client gets no more bytes, and the server ends by itself. */
  isCut: boolean;
}

/** A proxy before a server on this machine. It passes on the bytes of both sides. Subclasses do more. */
export class TcpProxy implements AsyncDisposable {
  readonly #serverPort: number | (() => Promise<number>);
  readonly #listener: Deno.TcpListener;
  readonly #conns = new Set<Deno.Conn>();
  readonly #ended: Promise<void>;

  /** @param serverPort the port of a server, or a function that finds the port for a new connection */
  constructor(serverPort: number | (() => Promise<number>)) {
    this.#serverPort = serverPort;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#ended = this.#accept();
  }

  /** Its port on 127.0.0.1. */
  get port(): number {
    return this.#listener.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const conn of this.#conns) close(conn);
    await this.#ended;
  }

  /** Handles bytes of the client. The client sends no more until the promise resolves. */
  protected async forth(bytes: Uint8Array, { server }: Passage): Promise<void> {
    await writeAll(server, bytes);
  }

  /** Handles bytes of the server. */
  protected async back(bytes: Uint8Array, { client }: Passage): Promise<void> {
    await writeAll(client, bytes);
  }

  /** The client loses the connection at once. The server gets all bytes first, and then the end of the connection. */
  protected async cut(passage: Passage): Promise<void> {
    passage.isCut = true;
    close(passage.client);
    await passage.server.closeWrite().catch(() => {});
  }

  async #accept(): Promise<void> {
    const passing: Promise<void>[] = [];
    try {
      for (;;) passing.push(this.#pass(await this.#listener.accept()));
    } catch {
      // The listener was closed.
    }
    await Promise.all(passing);
  }

  async #pass(client: Deno.TcpConn): Promise<void> {
    // Added before the proxy connects to the server: meanwhile the proxy may be closed.
    this.#conns.add(client);
    let server: Deno.TcpConn;
    try {
      const port = typeof this.#serverPort === "number" ? this.#serverPort : await this.#serverPort();
      server = await Deno.connect({ hostname: "127.0.0.1", port });
    } catch {
      this.#conns.delete(client);
      return close(client);
    }
    this.#conns.add(server);
    for (const conn of [client, server]) setNoDelay(conn);
    const passage: Passage = { client, server, isCut: false };
    const forth = copy(client, (bytes) => this.forth(bytes, passage));
    const back = copy(server, async (bytes) => {
      if (!passage.isCut) await this.back(bytes, passage);
    });
    await Promise.race([forth, back]);
    close(client);
    if (!passage.isCut) close(server);
    await Promise.all([forth, back]);
    close(server);
    for (const conn of [client, server]) this.#conns.delete(conn);
  }
}

async function copy(from: Deno.Conn, pass: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>): Promise<void> {
  const buffer = new Uint8Array(1024 * 1024);
  try {
    for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
      await pass(buffer.slice(0, count));
    }
  } catch {
    // One of the two was closed.
  }
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await conn.write(bytes.subarray(written));
}

function setNoDelay(conn: Deno.TcpConn): void {
  try {
    conn.setNoDelay(true);
  } catch {
    // It is closed already, which reading from it shows.
  }
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It is closed already.
  }
}
