import type { Address } from "../../../support/connection.ts";

/** Connections that are opened and held, and do nothing else. */
export class Flood implements Disposable {
  readonly #connections: Deno.Conn[] = [];
  /** How many the server has closed. */
  closedByServer = 0;

  /** Opens connections until there are so many, or the operating system takes no more. */
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
        // On a unix socket a full backlog rejects at once.
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
      // A reset is an end, too; `Interrupted` is our own doing.
      if (error instanceof Deno.errors.ConnectionReset) this.closedByServer++;
    }
  }
}
