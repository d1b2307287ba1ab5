import assert from "node:assert/strict";
import type { RequestOptions } from "../../../tests/support/client.ts";
import type { Reply } from "../../../tests/support/connection.ts";
import { eventually } from "../../../tests/support/eventually.ts";
import { assertNoContent, assertRejected, expectStatus, UUID } from "../../../tests/support/replies.ts";
import { ReferenceStore } from "../../../tests/editions/a_write/reference.ts";
import { debugDocument } from "../../../tests/editions/c_ticket/client.ts";
import {
  type Answers,
  type Counts,
  freshCounts,
  type Outcome,
  ReferenceTickets,
} from "../../../tests/editions/c_ticket/reference.ts";
import type { ApiError } from "../edges.ts";
import { WAITING_MAX } from "../limits.ts";
import type { Begun, System } from "../system.ts";

/** The time limit for the server to show the waiting requests. */
const TIMEOUT_SECONDS = 60;

const LIMITS = {
  transactionTimeout: Infinity,
  maxTransactionDuration: Infinity,
  maxQueuedTransactions: WAITING_MAX,
};

/** Compares the answer of a call, and applies it to the content that the transaction sees. */
type Check = (reply: Reply, content: ReferenceStore) => void | Promise<void>;

export function ticketHeader(ticket: string): Readonly<Record<string, string>> {
  return { "X-Service-Ticket": ticket };
}

/** Sends requests to the server, performs them on the reference, and compares what both answer. */
export class Turns {
  readonly reference: ReferenceTickets;
  /** The ticket that is active, or was last. */
  ticket = "00000000-0000-4000-8000-000000000000";
  /** The one before. */
  #previous = this.ticket;
  #places = 0;
  /** Requests that wait for their turn, by their number. */
  readonly #sent = new Map<number, Begun>();

  /** @param counts those of the server so far */
  constructor(counts: Readonly<Record<string, number>>) {
    this.reference = new ReferenceTickets(
      new ReferenceStore(),
      LIMITS,
      { ...freshCounts(), ...counts } as Counts,
    );
  }

  /** The committed content. */
  get store(): ReferenceStore {
    return this.reference.committed;
  }

  /** The ticket of a transaction that is over. */
  get endedTicket(): string {
    return this.reference.active === undefined ? this.ticket : this.#previous;
  }

  /** `POST /begin`, `/pause` or `/resume`. */
  async join(system: System, kind: "transaction" | "pause" | "resume"): Promise<void> {
    const path = kind === "transaction" ? "/begin" : `/${kind}`;
    const place = this.#places++;
    const outcome = this.reference.join(kind, place).get(place);
    if (outcome === undefined) {
      this.#sent.set(place, await system.begin("POST", path));
      return await this.#untilQueued(system);
    }
    if (outcome.error === "TransactionQueueFull") {
      system.tally.edges++;
      system.tally.fullQueues++;
    }
    this.#check(outcome, await system.request("POST", path));
  }

  async #untilQueued(system: System): Promise<void> {
    await eventually(async () => {
      const { write } = await debugDocument(system.client);
      assert.deepEqual(write.queued.map(({ kind }) => kind), this.reference.queued);
    }, TIMEOUT_SECONDS);
  }

  /** The client that has waited longest disconnects. */
  async leave(system: System): Promise<void> {
    const [place] = [...this.reference.leave().keys()];
    if (place === undefined) return;
    const { connection, reply } = this.#sent.get(place)!;
    this.#sent.delete(place);
    connection.close();
    assert.equal(await reply, undefined);
    await this.#untilQueued(system);
  }

  /** Makes a call with the active ticket, or with one that is no longer active. */
  async call(
    system: System,
    [method, path]: readonly [method: string, path: string],
    options: Omit<RequestOptions, "headers">,
    check: Check,
  ): Promise<void> {
    const headers = ticketHeader(this.ticket);
    const reply = await system.request(method, path, { ...options, headers });
    const { active } = this.reference;
    if (active === undefined) return assertRejected(reply, 410, "TicketNotActive");
    await check(reply, active.content);
    const { status } = reply;
    const error = reply.headers.get("x-service-error");
    if (path === "/commit") system.tally.commits++;
    const name = method === "POST" && path === "/events" ? "append" : path.slice(1);
    const run = (): Outcome => error === undefined ? { status } : { status, error };
    await this.settle(this.reference.call({ place: this.#places++, name, run }));
  }

  /** Makes a call that ends the transaction, if there is one. */
  rejected(
    system: System,
    call: readonly [method: string, path: string],
    options: Omit<RequestOptions, "headers">,
    { status, error }: ApiError,
  ): Promise<void> {
    return this.call(system, call, options, (reply) => assertRejected(reply, status, error, /./));
  }

  async reset(system: System): Promise<void> {
    assertNoContent(await system.request("POST", "/reset"));
    const storeId = await system.client.storeId();
    await this.settle(this.reference.reset(this.#places++, () => storeId));
  }

  /** Compares the answers of waiting requests that had their turn. */
  async settle(answers: Answers): Promise<void> {
    for (const [place, outcome] of answers) {
      const sent = this.#sent.get(place);
      if (sent === undefined) continue;
      this.#sent.delete(place);
      const reply = await sent.reply;
      sent.connection.close();
      assert.ok(reply !== undefined, "a request that waited got no answer");
      this.#check(outcome, reply);
    }
  }

  #check({ status, error }: Outcome, reply: Reply): void {
    if (error !== undefined) return assertRejected(reply, status, error);
    if (status === 204) return assertNoContent(reply);
    const { ticket } = expectStatus(reply, 200).json<{ ticket: string }>();
    assert.match(ticket, UUID);
    [this.#previous, this.ticket] = [this.ticket, ticket];
  }

  /** The server was killed: no waiting request has an answer. */
  async killed(): Promise<void> {
    this.reference.kill();
    for (const { connection, reply } of this.#sent.values()) {
      assert.equal(await reply, undefined, "a dead server has answered");
      connection.close();
    }
    this.#sent.clear();
  }

  /**
   * The server was killed while the transaction was ended. Waiting requests may have had their turns after its end, up
   * to the next one that got a ticket.
   */
  async interrupted(system: System): Promise<void> {
    let isPaused = this.reference.paused;
    let possible = [isPaused];
    let isTicketGiven = false;
    for (const { place, kind } of this.reference.kill()) {
      const { connection, reply } = this.#sent.get(place)!;
      const answer = await reply;
      connection.close();
      isTicketGiven ||= kind === "transaction" && !isPaused;
      if (isTicketGiven || kind === "transaction") continue;
      isPaused = kind === "pause";
      // An answer is true. Without one, the outcome is unknown.
      possible = answer === undefined ? [...possible, isPaused] : [isPaused];
    }
    this.#sent.clear();
    const health = expectStatus(await system.request("GET", "/health"), 200).json<{ paused: boolean }>();
    assert.ok(possible.includes(health.paused), `paused: ${health.paused}`);
    this.reference.paused = health.paused;
  }
}
