/** What of a connection still gets through, once it is to be cut. */
export interface Cut {
  /** Whether what the client sent last still arrives. */
  readonly lastArrives: boolean;
}

/** Stands before a PostgreSQL and cuts connections at chosen moments. */
export class CuttingProxy implements AsyncDisposable {
  /** The cut that awaits the next message from a client that contains a text. */
  #awaited: { readonly text: string; readonly cut: Cut } | undefined;
  readonly #listener: Deno.TcpListener;
  readonly #port: number;
  readonly #conns = new Set<Deno.Conn>();
  readonly #ended: Promise<void>;
  /** Cuts that were made. */
  cuts = 0;

  constructor(port: number) {
    this.#port = port;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#ended = this.#accept();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** Cuts the connection of which the next message with this text comes. */
  cutAt(text: string, cut: Cut): void {
    this.#awaited = { text, cut };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const conn of this.#conns) close(conn);
    await this.#ended;
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

  async #pass(client: Deno.Conn): Promise<void> {
    let server: Deno.Conn;
    try {
      server = await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
    } catch {
      return close(client);
    }
    for (const conn of [client, server]) this.#conns.add(conn);
    let isMuted = false;
    const forth = this.#copy(client, async (bytes) => {
      const cut = this.#cutFor(bytes);
      if (cut !== undefined) isMuted = true;
      if (cut === undefined || cut.lastArrives) await writeAll(server, bytes);
      if (cut === undefined) return;
      this.cuts++;
      // The client loses it at once; the server has received all of it, and only then that nobody is left.
      close(client);
      await server.closeWrite().catch(() => {});
    });
    const back = this.#copy(server, async (bytes) => {
      if (!isMuted) await writeAll(client, bytes);
    });
    await Promise.race([forth, back]);
    close(client);
    if (!isMuted) close(server);
    await Promise.all([forth, back]);
    close(server);
    for (const conn of [client, server]) this.#conns.delete(conn);
  }

  async #copy(from: Deno.Conn, pass: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>): Promise<void> {
    const buffer = new Uint8Array(1024 * 1024);
    try {
      for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
        await pass(buffer.slice(0, count));
      }
    } catch {
      // One of both was closed.
    }
  }

  #cutFor(bytes: Uint8Array): Cut | undefined {
    const awaited = this.#awaited;
    if (awaited === undefined || !new TextDecoder("latin1").decode(bytes).includes(awaited.text)) {
      return undefined;
    }
    this.#awaited = undefined;
    return awaited.cut;
  }
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await conn.write(bytes.subarray(written));
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It is closed already.
  }
}
