import assert from "node:assert/strict";
import { Connection, NoReply } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { append, createProjection, debugDocument, event } from "./client.ts";
import { EVENT_TYPE, PROJECTION } from "./calls.ts";
import type { Counts } from "./reference.ts";
import type { Beginning } from "./sequence.ts";
import type { Answer, Request, Sent, Subject } from "./subject.ts";
import { countsOf } from "./surface.ts";

/** The number of bytes that a half-sent body lacks. */
const REST_BYTES = 8;

/** The real server over its socket, as the subject of sequences without waits and restarts. */
export class OverHttp implements Subject {
  readonly warnings: readonly string[] = [];
  countsBefore: Counts | undefined;
  readonly #server: ServerProcess;
  readonly #connections = new Set<Connection>();

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  /** Ends the transaction, pause and waiting requests of the last sequence, and fills an empty store. */
  async startAnew(): Promise<Beginning> {
    const client = this.#server.client();
    for (const connection of this.#connections) connection.close();
    await this.#waitForOpen(0);
    expectStatus(await client.request("POST", "/resume"), 204);
    expectStatus(await client.request("POST", "/reset"), 204);
    await append(client, event(EVENT_TYPE, "first"));
    const version = await createProjection(client, PROJECTION.type, PROJECTION.id, "stored");
    this.countsBefore = countsOf((await client.request("GET", "/metrics")).text);
    return { storeId: await client.storeId(), version };
  }

  async send({ method, path, ticket, body, half = false }: Request): Promise<Sent> {
    const options = {
      ...ticket === undefined ? {} : { headers: { "x-service-ticket": ticket } },
      ...body === undefined ? {} : { body },
    };
    const bytes = this.#server.client().bytesOf(method, path, options);
    const sentFirst = half ? bytes.length - REST_BYTES : bytes.length;
    const connection = await Connection.open(this.#server.address);
    this.#connections.add(connection);
    await connection.send(bytes.subarray(0, sentFirst));
    return {
      answer: this.#answerOn(connection, method),
      leave: () => connection.close(),
      // If the transaction ended meanwhile, the call is already answered and its connection closed.
      finish: () => connection.send(bytes.subarray(sentFirst)).catch(() => {}),
    };
  }

  async settle(
    { answers, httpOpen }: { readonly answers: readonly Promise<unknown>[]; readonly httpOpen: number },
  ): Promise<void> {
    await Promise.all(answers);
    await this.#waitForOpen(httpOpen);
  }

  pass(): Promise<void> {
    throw new Error("the time of a real server cannot be moved");
  }

  restart(): Promise<void> {
    throw new Error("not a call of this subject");
  }

  async #answerOn(connection: Connection, method: string): Promise<Answer | undefined> {
    try {
      return await connection.readReply(method);
    } catch (error) {
      if (error instanceof NoReply) return undefined;
      throw error;
    } finally {
      connection.close();
      this.#connections.delete(connection);
    }
  }

  async #waitForOpen(httpOpen: number): Promise<void> {
    await eventually(async () => {
      const { write } = await debugDocument(this.#server.client());
      assert.equal(write.httpOpen, httpOpen, "requests that wait and calls that run");
    });
  }
}
