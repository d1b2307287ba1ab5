/** A connection on its way through a proxy. */
export interface Passage {
  readonly client: Deno.Conn;
  readonly server: Deno.Conn;
  /** Whether the client's end was cut off: then nothing goes back to it, and the server ends by itself. */
  isCut: boolean;
}

/** Stands before a server on this machine and passes on what both sides say; what derives from it does more. */
export class TcpProxy implements AsyncDisposable {
  readonly #serverPort: number | (() => Promise<number>);
  readonly #listener: Deno.TcpListener;
  readonly #conns = new Set<Deno.Conn>();
  readonly #ended: Promise<void>;

  /** @param serverPort of a server, or how to find the one for a new connection */
  constructor(serverPort: number | (() => Promise<number>)) {
    this.#serverPort = serverPort;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#ended = this.#accept();
  }

  /** Where it listens, on 127.0.0.1. */
  get port(): number {
    return this.#listener.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const conn of this.#conns) close(conn);
    await this.#ended;
  }

  /** What happens to bytes of the client. It sends no more before the promise is kept. */
  protected async forth(bytes: Uint8Array, { server }: Passage): Promise<void> {
    await writeAll(server, bytes);
  }

  /** What happens to bytes of the server. */
  protected async back(bytes: Uint8Array, { client }: Passage): Promise<void> {
    await writeAll(client, bytes);
  }

  /** The client loses the connection at once; the server has received all of it, and only then that nobody is left. */
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
      // It was closed.
    }
    await Promise.all(passing);
  }

  async #pass(client: Deno.TcpConn): Promise<void> {
    // Kept from the beginning: while the server is connected to, the proxy may be closed.
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
    // One of both was closed.
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
