import assert from "node:assert/strict";
import type { RequestOptions } from "../../../tests/support/client.ts";
import type { Reply } from "../../../tests/support/connection.ts";
import { eventually } from "../../../tests/support/eventually.ts";
import { assertNoContent, assertRejected, expectStatus, UUID } from "../../../tests/support/replies.ts";
import { ReferenceStore } from "../../../tests/editions/a_write/reference.ts";
import { debugDocument } from "../../../tests/editions/c_ticket/client.ts";
import type { ApiError } from "../edges.ts";
import { WAITING_MAX } from "../limits.ts";
import type { Begun, System } from "../system.ts";

/** The time limit for the server to show the waiting requests. */
const TIMEOUT_SECONDS = 60;

/** The active transaction: a copy of the store, which replaces the store at the commit. */
interface Transaction {
  readonly ticket: string;
  readonly content: ReferenceStore;
  calls: number;
}

/** The names in the metrics for the ends of transactions without a commit. */
export const ENDS = ["client", "error", "expired", "shutdown", "reset"] as const;

interface Waiting extends Begun {
  readonly kind: "transaction" | "pause" | "resume";
}

export function ticketHeader(ticket: string): Readonly<Record<string, string>> {
  return { "X-Service-Ticket": ticket };
}

/** The active transaction, and the queue of requests that wait for a turn. */
export class Turns {
  /** The committed content. */
  store = new ReferenceStore();
  active: Transaction | undefined;
  isPaused = false;
  /** The ticket of a transaction that is over. */
  oldTicket = "00000000-0000-4000-8000-000000000000";
  #waiting: Waiting[] = [];

  get waiting(): readonly Waiting["kind"][] {
    return this.#waiting.map(({ kind }) => kind);
  }

  /** Makes a call with the active ticket, or with one that is no longer active. */
  call(
    system: System,
    method: string,
    path: string,
    options: Omit<RequestOptions, "headers"> = {},
  ): Promise<Reply> {
    if (this.active !== undefined) this.active.calls++;
    const headers = ticketHeader(this.active?.ticket ?? this.oldTicket);
    return system.request(method, path, { ...options, headers });
  }

  async begin(system: System): Promise<void> {
    if (this.active !== undefined) return await this.#wait(system, "transaction", "/begin");
    const reply = await system.request("POST", "/begin");
    if (this.isPaused) return assertRejected(reply, 503, "Paused");
    this.#begun(system, reply);
  }

  #begun(system: System, reply: Reply): void {
    const { ticket } = expectStatus(reply, 200).json<{ ticket: string }>();
    assert.match(ticket, UUID);
    system.count("started");
    this.active = { ticket, content: this.store.copy(), calls: 0 };
  }

  /** Sends a request that has to wait for its turn, as long as the queue has space. */
  async #wait(system: System, kind: Waiting["kind"], path: string): Promise<void> {
    if (this.#waiting.length === WAITING_MAX) {
      system.tally.edges++;
      system.tally.fullQueues++;
      return assertRejected(await system.request("POST", path), 503, "TransactionQueueFull");
    }
    this.#waiting.push({ kind, ...await system.begin("POST", path) });
    await this.#untilQueued(system);
  }

  async #untilQueued(system: System): Promise<void> {
    await eventually(async () => {
      const { write } = await debugDocument(system.client);
      assert.deepEqual(write.queued.map(({ kind }) => kind), this.waiting);
    }, TIMEOUT_SECONDS);
  }

  /** The client that has waited longest disconnects. */
  async leave(system: System): Promise<void> {
    const leaver = this.#waiting.shift();
    if (leaver === undefined) return;
    leaver.connection.close();
    assert.equal(await leaver.reply, undefined);
    await this.#untilQueued(system);
  }

  /** The transaction is over. The waiting requests have their turns, up to the next one that gets a ticket. */
  async end(system: System, end: typeof ENDS[number] | "committed"): Promise<void> {
    system.count(end);
    this.oldTicket = this.active!.ticket;
    this.active = undefined;
    while (this.active === undefined && this.#waiting.length > 0) {
      const { kind, connection, reply } = this.#waiting.shift()!;
      const answer = await reply;
      connection.close();
      assert.ok(answer !== undefined, "a request that waited got no answer");
      if (kind === "transaction" && this.isPaused) assertRejected(answer, 503, "Paused");
      else if (kind === "transaction") this.#begun(system, answer);
      else {
        assertNoContent(answer);
        this.isPaused = kind === "pause";
      }
    }
  }

  /** Checks a call that ends the transaction, if there is one. */
  async rejected(system: System, reply: Reply, { status, error }: ApiError): Promise<void> {
    if (this.active === undefined) return assertRejected(reply, 410, "TicketNotActive");
    assertRejected(reply, status, error, /./);
    await this.end(system, "error");
  }

  /** `POST /pause` or `POST /resume`. They need a turn only when they change something. */
  async turn(system: System, kind: "pause" | "resume"): Promise<void> {
    const isNeeded = kind === "pause" ? !this.isPaused : this.isPaused || this.waiting.includes("pause");
    if (isNeeded && this.active !== undefined) return await this.#wait(system, kind, `/${kind}`);
    assertNoContent(await system.request("POST", `/${kind}`));
    this.isPaused = kind === "pause";
  }

  /**
   * The server was killed while the transaction was ended. Waiting requests may have had their turns after its end, up
   * to the next one that got a ticket.
   */
  async interrupted(system: System): Promise<void> {
    let isPaused = this.isPaused;
    let possible = [isPaused];
    let isTicketGiven = false;
    for (const { kind, connection, reply } of this.lostMemory()) {
      const answer = await reply;
      connection.close();
      isTicketGiven ||= kind === "transaction" && !isPaused;
      if (isTicketGiven || kind === "transaction") continue;
      isPaused = kind === "pause";
      // An answer is true. Without one, the outcome is unknown.
      possible = answer === undefined ? [...possible, isPaused] : [isPaused];
    }
    const health = expectStatus(await system.request("GET", "/health"), 200).json<{ paused: boolean }>();
    assert.ok(possible.includes(health.paused), `paused: ${health.paused}`);
    this.isPaused = health.paused;
  }

  /** @returns the requests that have waited */
  lostMemory(): Waiting[] {
    this.oldTicket = this.active?.ticket ?? this.oldTicket;
    this.active = undefined;
    return this.#waiting.splice(0);
  }
}
