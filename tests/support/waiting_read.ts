import assert from "node:assert/strict";
import { type Client, type EventsPage, parsePage } from "./client.ts";
import { eventually } from "./eventually.ts";
import { expectStatus } from "./replies.ts";

/** The longest wait, so that a test fails when its event does not come. */
const WAIT_SECONDS = 60;

/** A large body may take so long on a busy machine. */
const BEGIN_SECONDS_MAX = 30;

/** A read that waits, on a connection of its own. */
export class WaitingRead implements Disposable {
  /** Rejects when its client disconnects. */
  readonly page: Promise<EventsPage>;
  readonly leave: () => void;
  #isAnswered = false;

  private constructor(page: Promise<EventsPage>, leave: () => void) {
    this.page = page;
    this.leave = leave;
    page.then(() => this.#isAnswered = true, () => {});
  }

  /** Sends it. @returns when it waits */
  static begin(client: Client, query: unknown, rest: object = {}): Promise<WaitingRead> {
    return WaitingRead.beginBody(client, JSON.stringify({ query, waitSeconds: WAIT_SECONDS, ...rest }));
  }

  /** Sends one with this body. @returns when it waits */
  static async beginBody(client: Client, body: string): Promise<WaitingRead> {
    const { waiting } = await readsInFlight(client);
    const connection = await client.begin("QUERY", "/events", { body });
    const read = new WaitingRead(
      connection.readReply("QUERY").then(parsePage),
      () => connection.close(),
    );
    await eventually(
      async () => assert.equal((await readsInFlight(client)).waiting, waiting + 1),
      BEGIN_SECONDS_MAX,
    );
    return read;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  [Symbol.dispose](): void {
    this.leave();
  }
}

/** The reads that `/debug` shows. */
interface ReadsInFlight {
  readonly httpOpen: number;
  readonly waiting: number;
  readonly sqliteInUse: number;
}

export async function readsInFlight(client: Client): Promise<ReadsInFlight> {
  const reply = await client.request("GET", "/debug");
  expectStatus(reply, 200);
  const { httpOpen, waiting, sqliteInUse } = reply.json<{ read: ReadsInFlight }>().read;
  return { httpOpen, waiting, sqliteInUse };
}
