import type { Client, RequestOptions } from "../../support/client.ts";
import { Connection, type Reply } from "../../support/connection.ts";
import { expectStatus } from "../../support/replies.ts";
import { Tx } from "./client.ts";

/** A client that sends all its requests one after the other over one connection. */
export class Session implements Disposable {
  readonly #client: Client;
  readonly #connection: Connection;

  private constructor(client: Client, connection: Connection) {
    this.#client = client;
    this.#connection = connection;
  }

  static async open(client: Client): Promise<Session> {
    return new Session(client, await Connection.open(client.address));
  }

  async request(method: string, target: string, options: RequestOptions = {}): Promise<Reply> {
    await this.#connection.send(this.#client.bytesOf(method, target, options));
    return await this.#connection.readReply(method);
  }

  async begin(): Promise<Tx> {
    const reply = expectStatus(await this.request("POST", "/tx"), 200);
    return new Tx(this, reply.json<{ txId: string }>().txId);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
