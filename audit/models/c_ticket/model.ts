import assert from "node:assert/strict";
import { metrics } from "../../../tests/support/metrics.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../../tests/support/replies.ts";
import { checkProjection } from "../../../tests/editions/a_write/check_answers.ts";
import type { DrawnChange } from "../../../tests/editions/a_write/operations.ts";
import type { ReferenceStore, WireWrite } from "../../../tests/editions/a_write/reference.ts";
import { debugDocument } from "../../../tests/editions/c_ticket/client.ts";
import { type Model, playCommon } from "../common.ts";
import { changesOf, checkChanges, deleteProjections, requestDeletion } from "../projections.ts";
import type { System } from "../system.ts";
import { WaitingReads } from "../waiting_reads.ts";
import type { DrawnC } from "./drawn.ts";
import { TicketCalls } from "./ticket_calls.ts";
import { ticketHeader, Turns } from "./open_ticket.ts";

/** Calls whose ticket is checked before anything else. */
const TICKET_CALLS: readonly (readonly [method: string, path: string])[] = [
  ["POST", "/commit"],
  ["POST", "/rollback"],
  ["POST", "/events"],
  ["POST", "/projections"],
  ["QUERY", "/events"],
  ["GET", "/projections/p/1"],
];

/** The names in the metrics for the ends of transactions without a commit. */
const ENDS = ["client", "error", "expired", "shutdown", "reset"] as const;

/** The expected results of the commands of edition C. */
export class ModelC implements Model {
  readonly waitingReads = new WaitingReads();
  readonly #turns: Turns;
  readonly #calls: TicketCalls;

  private constructor(counts: Readonly<Record<string, number>>) {
    this.#turns = new Turns(counts);
    this.#calls = new TicketCalls(this.#turns, this.waitingReads);
  }

  /** Empties the store. */
  static async begin(system: System): Promise<ModelC> {
    const model = new ModelC(system.counts);
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
        return await this.#turns.join(system, "transaction");
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
        const headers = ticketHeader(this.#turns.endedTicket);
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
        return await this.#turns.join(system, drawn.kind);
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
    if (isKilled) await this.#turns.killed();
    else await this.#turns.settle(this.#turns.reference.restart());
  }

  async look(system: System): Promise<void> {
    const health = expectStatus(await system.request("GET", "/health"), 200).json<Record<string, unknown>>();
    const { paused: isPaused, active, queued, httpOpen, counts } = this.#turns.reference;
    assert.deepEqual([health["status"], health["paused"]], ["ok", isPaused]);
    const { paused, write } = await debugDocument(system.client);
    assert.equal(paused !== null, isPaused);
    assert.equal(write.active?.calls, active?.calls);
    assert.deepEqual([write.queued.map(({ kind }) => kind), write.httpOpen], [queued, httpOpen]);
    const samples = await metrics(system.client);
    const { started, committed, appendsFailed } = counts;
    assert.deepEqual(
      {
        started: samples.get("service_transactions_started_total"),
        committed: samples.get("service_transactions_committed_total"),
        ends: ENDS.map((end) => samples.get(`service_transactions_rolled_back_total{reason="${end}"}`)),
        appendsFailed: samples.get("service_appends_failed_total"),
        head: samples.get("service_last_sequence"),
      },
      {
        started,
        committed,
        ends: ENDS.map((end) => counts[end]),
        appendsFailed,
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
    if (this.#turns.reference.paused || status === 400) return checkChanges(this.store, json, reply);
    assertRejected(reply, 409, "NotPaused");
  }

  async #transact(system: System, events: WireWrite["events"]): Promise<void> {
    if (this.#turns.reference.active === undefined) await this.#turns.join(system, "transaction");
    await this.#calls.play(system, { kind: "append", events, condition: undefined });
    await this.#calls.play(system, { kind: "commit" });
  }

  /** A commit during which the server is killed. */
  async #interrupted(system: System, milliseconds: number): Promise<void> {
    const transaction = this.#turns.reference.active;
    const headers = ticketHeader(this.#turns.ticket);
    const sent = await system.begin("POST", "/commit", { headers });
    const reply = await system.interrupt(sent, milliseconds);
    await this.waitingReads.leave();
    await this.#turns.interrupted(system);
    if (transaction === undefined) return;
    const isWritten = await isCommitted(system, transaction.content, this.store);
    if (reply !== undefined) assert.ok(isWritten !== false, "what was told is not there");
    if (isWritten === true) this.#turns.reference.committed = transaction.content;
  }

  async #reset(system: System): Promise<void> {
    await this.#turns.reset(system);
    await this.waitingReads.ended();
  }

  async #delete(system: System, type?: string): Promise<void> {
    if (this.#turns.reference.paused) return await deleteProjections(this.store, system, type);
    assertRejected(await requestDeletion(system, type), 409, "NotPaused");
  }

  /** Ends with a pause in place, so that some runs stop a paused server. */
  async finish(system: System): Promise<void> {
    while (this.#turns.reference.active !== undefined) await this.#calls.play(system, { kind: "rollback" });
    await this.#turns.join(system, "pause");
    system.counts = { ...this.#turns.reference.counts };
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
