import type { Address } from "../../../support/connection.ts";

/** Opens connections and holds them, without sending anything. */
export class Flood implements Disposable {
  readonly #connections: Deno.Conn[] = [];
  /** The number of connections that the server has closed. */
  closedByServer = 0;

  /** Opens connections up to this number, or until the operating system takes no more. */
  async rise({ transport, ...where }: Address, count: number): Promise<void> {
    const options = transport === "tcp"
      ? where as { port: number }
      : { transport, ...where as { path: string } };
    for (let i = 0; i < count; i++) {
      try {
        const connection: Deno.Conn = await Deno.connect(options as Deno.ConnectOptions);
        this.#connections.push(connection);
        this.#watch(connection);
      } catch {
        // On a unix socket, connecting fails at once when the backlog is full.
      }
    }
  }

  get size(): number {
    return this.#connections.length;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#connections) connection.close();
    this.#connections.length = 0;
  }

  async #watch(connection: Deno.Conn): Promise<void> {
    try {
      if (await connection.read(new Uint8Array(1)) === null) this.closedByServer++;
    } catch (error) {
      // A reset is a close by the server, too. `Interrupted` means that this process closed the connection.
      if (error instanceof Deno.errors.ConnectionReset) this.closedByServer++;
    }
  }
}
