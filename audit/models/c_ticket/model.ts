import assert from "node:assert/strict";
import { metrics } from "../../../tests/support/metrics.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../../tests/support/replies.ts";
import { checkProjection } from "../../../tests/editions/a_write/check_answers.ts";
import type { DrawnChange } from "../../../tests/editions/a_write/operations.ts";
import { ReferenceStore, type WireWrite } from "../../../tests/editions/a_write/reference.ts";
import { debugDocument } from "../../../tests/editions/c_ticket/client.ts";
import { type Model, playCommon } from "../common.ts";
import { changesOf, checkChanges, deleteProjections, requestDeletion } from "../projections.ts";
import type { System } from "../system.ts";
import { WaitingReads } from "../waiting_reads.ts";
import type { DrawnC } from "./drawn.ts";
import { TicketCalls } from "./ticket_calls.ts";
import { ENDS, ticketHeader, Turns } from "./open_ticket.ts";

/** Calls whose ticket is checked before anything else. */
const TICKET_CALLS: readonly (readonly [method: string, path: string])[] = [
  ["POST", "/commit"],
  ["POST", "/rollback"],
  ["POST", "/events"],
  ["POST", "/projections"],
  ["QUERY", "/events"],
  ["GET", "/projections/p/1"],
];

/** The expected results of the commands of edition C. */
export class ModelC implements Model {
  readonly waitingReads = new WaitingReads();
  readonly #turns = new Turns();
  readonly #calls = new TicketCalls(this.#turns, this.waitingReads);

  /** Empties the store. */
  static async begin(system: System): Promise<ModelC> {
    const model = new ModelC();
    assertNoContent(await system.request("POST", "/resume"));
    assertNoContent(await system.request("POST", "/reset"));
    model.#turns.store.storeId = await system.client.storeId();
    return model;
  }

  get store(): ReferenceStore {
    return this.#turns.store;
  }

  async play(system: System, drawn: DrawnC): Promise<void> {
    switch (drawn.kind) {
      case "begin":
        return await this.#turns.begin(system);
      case "leave":
        return await this.#turns.leave(system);
      case "append":
      case "search":
      case "ticketGet":
      case "ticketChange":
      case "edge":
      case "bad":
      case "commit":
      case "rollback":
        return await this.#calls.play(system, drawn);
      case "oldTicket": {
        const [method, path] = TICKET_CALLS[drawn.which % TICKET_CALLS.length]!;
        const headers = ticketHeader(this.#turns.oldTicket);
        return assertRejected(
          await system.request(method, path, { headers, body: "{" }),
          410,
          "TicketNotActive",
        );
      }
      case "noTicket":
        return assertRejected(await system.request("POST", "/commit"), 400, "InvalidRequest", /./);
      case "change":
        return await this.#change(system, drawn.changes);
      case "transact":
        return await this.#transact(system, drawn.events);
      case "interrupted":
        return await this.#interrupted(system, drawn.afterMilliseconds);
      case "pause":
      case "resume":
        return await this.#turns.turn(system, drawn.kind);
      case "reset":
        return await this.#reset(system);
      case "deleteType":
        return await this.#delete(system, drawn.type);
      case "deleteAll":
        return await this.#delete(system);
      default:
        return await playCommon(this, system, drawn);
    }
  }

  async lostMemory(isKilled: boolean): Promise<void> {
    for (const waiting of this.#turns.lostMemory()) {
      const reply = await waiting.reply;
      waiting.connection.close();
      if (isKilled) assert.equal(reply, undefined, "a dead server has answered");
      else assertRejected(reply!, 503, "ShuttingDown");
    }
  }

  async look(system: System): Promise<void> {
    const health = expectStatus(await system.request("GET", "/health"), 200).json<Record<string, unknown>>();
    assert.deepEqual([health["status"], health["paused"]], ["ok", this.#turns.isPaused]);
    const { paused, write } = await debugDocument(system.client);
    assert.equal(paused !== null, this.#turns.isPaused);
    assert.equal(write.active?.calls, this.#turns.active?.calls);
    assert.deepEqual(write.queued.map(({ kind }) => kind), this.#turns.waiting);
    assert.equal(write.httpOpen, this.#turns.waiting.length);
    const samples = await metrics(system.client);
    const count = (name: string): number => system.counts[name] ?? 0;
    assert.deepEqual(
      {
        started: samples.get("service_transactions_started_total"),
        committed: samples.get("service_transactions_committed_total"),
        ends: ENDS.map((end) => samples.get(`service_transactions_rolled_back_total{reason="${end}"}`)),
        failed: samples.get("service_appends_failed_total"),
        head: samples.get("service_last_sequence"),
      },
      {
        started: count("started"),
        committed: count("committed"),
        ends: ENDS.map(count),
        failed: count("failed"),
        head: this.store.events.length,
      },
    );
  }

  /** Changes projections without a ticket. */
  async #change(system: System, drawn: readonly DrawnChange[]): Promise<void> {
    const json = changesOf(drawn, this.store);
    const reply = await system.request("POST", "/projections", { json });
    const { status } = this.store.judge({ events: [], conditions: [], projections: json });
    // The body is checked first.
    if (this.#turns.isPaused || status === 400) return checkChanges(this.store, json, reply);
    assertRejected(reply, 409, "NotPaused");
  }

  async #transact(system: System, events: WireWrite["events"]): Promise<void> {
    if (this.#turns.active === undefined) await this.#turns.begin(system);
    await this.#calls.play(system, { kind: "append", events, condition: undefined });
    await this.#calls.play(system, { kind: "commit" });
  }

  /** A commit during which the server is killed. */
  async #interrupted(system: System, milliseconds: number): Promise<void> {
    const transaction = this.#turns.active;
    const headers = ticketHeader(transaction?.ticket ?? this.#turns.oldTicket);
    const sent = await system.begin("POST", "/commit", { headers });
    const reply = await system.interrupt(sent, milliseconds);
    await this.waitingReads.leave();
    await this.#turns.interrupted(system);
    if (transaction === undefined) return;
    const isWritten = await isCommitted(system, transaction.content, this.store);
    if (reply !== undefined) assert.ok(isWritten !== false, "what was told is not there");
    if (isWritten === true) this.#turns.store = transaction.content;
  }

  async #reset(system: System): Promise<void> {
    assertNoContent(await system.request("POST", "/reset"));
    this.#turns.store.reset();
    this.#turns.store.storeId = await system.client.storeId();
    await this.waitingReads.ended();
    if (this.#turns.active !== undefined) await this.#turns.end(system, "reset");
  }

  async #delete(system: System, type?: string): Promise<void> {
    if (this.#turns.isPaused) return await deleteProjections(this.store, system, type);
    assertRejected(await requestDeletion(system, type), 409, "NotPaused");
  }

  /** Ends with a pause in place, so that some runs stop a paused server. */
  async finish(system: System): Promise<void> {
    while (this.#turns.active !== undefined) {
      assertNoContent(await this.#turns.call(system, "POST", "/rollback"));
      await this.#turns.end(system, "client");
    }
    await this.#turns.turn(system, "pause");
  }
}

/** Returns true when the store has the changes of a transaction, undefined when the transaction has changed nothing. */
async function isCommitted(
  system: System,
  content: ReferenceStore,
  before: ReferenceStore,
): Promise<boolean | undefined> {
  if (content.events.length > before.events.length) {
    return (await system.client.allEvents()).length > before.events.length;
  }
  const keys = [...content.projectionKeys, ...before.projectionKeys];
  const changed = keys.find((key) => content.projection(key)?.version !== before.projection(key)?.version);
  if (changed === undefined) return undefined;
  try {
    await checkProjection(system, changed, content);
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) return false;
    throw error;
  }
}
