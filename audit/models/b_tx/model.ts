import assert from "node:assert/strict";
import type { Reply } from "../../../tests/support/connection.ts";
import {
  assertNoContent,
  assertRejected,
  expectStatus,
  TIMESTAMP,
  UUID,
} from "../../../tests/support/replies.ts";
import { emptyStore, statistics } from "../../../tests/editions/b_tx/client.ts";
import type { DrawnChange } from "../../../tests/editions/a_write/operations.ts";
import { ReferenceStore, type WireWrite } from "../../../tests/editions/a_write/reference.ts";
import { type Model, playCommon } from "../common.ts";
import { INVALID, largeProjection, manyProjections, TOO_LARGE } from "../edges.ts";
import { fillQueue } from "../full_queue.ts";
import { OPEN_TX_MAX, PROJECTIONS_MAX } from "../limits.ts";
import { type Changes, changesOf, checkChanges, deleteProjections } from "../projections.ts";
import type { System } from "../system.ts";
import { WaitingReads } from "../waiting_reads.ts";
import { carryOut, changeIsThere } from "./carry_out.ts";
import type { DrawnB } from "./drawn.ts";
import { OpenTransactions } from "./open_transactions.ts";
import type { ReferenceTx, TxQuery } from "../../../tests/editions/b_tx/reference.ts";

/** The expected results of the commands of edition B. */
export class ModelB implements Model {
  readonly store = new ReferenceStore();
  readonly waitingReads = new WaitingReads();
  readonly #transactions = new OpenTransactions(this.store, this.waitingReads);
  #pause: "normal" | "pauseRequested" | "paused" = "normal";

  /** Empties the store. */
  static async begin(system: System): Promise<ModelB> {
    const model = new ModelB();
    assertNoContent(await system.request("POST", "/resume"));
    await emptyStore(system.client);
    await model.#learnStoreId(system);
    return model;
  }

  async play(system: System, drawn: DrawnB): Promise<void> {
    switch (drawn.kind) {
      case "begin":
        return await this.#begin(system);
      case "txRead":
      case "txWrite":
      case "decide":
      case "txGet":
      case "txChange":
      case "commit":
      case "abandon":
      case "edge":
      case "bad":
        return await this.#transactions.play(system, drawn);
      case "transact":
        return await this.#transact(system, drawn.query, drawn.events);
      case "interrupted":
        return await this.#interrupted(system, this.#transactions.at(drawn.slot), drawn.afterMilliseconds);
      case "change": {
        const changes = changesOf(drawn.changes, this.store);
        return this.#changed(
          system,
          changes,
          await system.request("POST", "/projections", { json: changes }),
        );
      }
      case "changeEdge":
        return await this.#changeEdge(system, drawn.edge, drawn.over);
      case "fullQueue":
        return await this.#fullQueue(system, drawn.changes);
      case "deleteType":
        return await deleteProjections(this.store, system, drawn.type);
      case "deleteAll":
        return await deleteProjections(this.store, system);
      case "pause":
        return await this.#requestPause(system);
      case "resume":
        assertNoContent(await system.request("POST", "/resume"));
        this.#pause = "normal";
        return;
      case "optimize":
        return assertNoContent(await system.request("POST", "/optimize"));
      case "reset":
        return await this.#reset(system);
      default:
        return await playCommon(this, system, drawn);
    }
  }

  async look(system: System): Promise<void> {
    const health = expectStatus(await system.request("GET", "/health"), 200).json<Record<string, unknown>>();
    assert.deepEqual([health["status"], health["paused"]], ["ok", this.#pause === "paused"]);
    const { writes, transactions, pause, errors } = await statistics(system.client);
    const count = (name: string): number => system.counts[name] ?? 0;
    assert.deepEqual({ writes, transactions, errors }, {
      writes: {
        committed: count("written"),
        conflicts: { condition: count("condition"), projection: count("projection") },
        writeQueueFull: count("full"),
      },
      transactions: {
        begun: count("begun"),
        committed: count("committed"),
        abandoned: count("abandoned"),
        expired: 0,
        designErrors: count("rule"),
        busy: 0,
        paused: count("paused"),
      },
      errors: { internal: 0 },
    });
    assert.deepEqual([pause.state, pause.openTransactions], [this.#pause, this.#transactions.count]);
    assert.match(pause.since, TIMESTAMP);
  }

  async #begin(system: System): Promise<void> {
    const reply = await system.request("POST", "/tx");
    if (this.#pause !== "normal") {
      system.count("paused");
      return assertRejected(reply, 503, "Paused");
    }
    if (this.#transactions.count === OPEN_TX_MAX) {
      system.tally.edges++;
      return assertRejected(reply, 503, "TooManyTransactions", /maxOpenTx/);
    }
    const { txId } = expectStatus(reply, 200).json<{ txId: string }>();
    assert.match(txId, UUID);
    system.count("begun");
    this.#transactions.begun(txId);
  }

  async #transact(system: System, query: TxQuery, events: WireWrite["events"]): Promise<void> {
    await this.#begin(system);
    const slot = Math.max(0, this.#transactions.count - 1);
    await this.#transactions.play(system, { kind: "decide", slot, query, events });
    await this.#transactions.play(system, { kind: "commit", slot });
  }

  /** A commit during which the server is killed. */
  async #interrupted(system: System, tx: ReferenceTx, milliseconds: number): Promise<void> {
    const sent = await system.begin("POST", `/tx/${tx.id}/commit`);
    const reply = await system.interrupt(sent, milliseconds);
    await this.waitingReads.leave();
    const mayCommit = this.#transactions.isOpen(tx) && !tx.conditionIsOpen &&
      tx.conflictWith(this.store) === undefined && tx.events.length + tx.changes.length > 0;
    const events = await system.client.allEvents("all");
    const isWritten = mayCommit &&
      (events.length > this.store.events.length || await changeIsThere(system, tx, this.store));
    if (mayCommit && reply !== undefined) {
      assert.equal(reply.status === 204, isWritten, "what was told is not there");
    }
    if (isWritten) {
      await carryOut(system, tx, this.store);
      await this.waitingReads.committed(system, this.store);
    }
    await this.lostMemory();
    assert.deepEqual(events, this.store.events);
  }

  #changed(system: System, changes: Changes, reply: Reply): void {
    if (reply.status === 200) system.count("written");
    if (reply.status === 409) system.count("projection");
    checkChanges(this.store, changes, reply);
  }

  async #changeEdge(system: System, edge: "projections" | "projectionSize", over: number): Promise<void> {
    system.tally.edges++;
    const create = edge === "projections" ? manyProjections(PROJECTIONS_MAX + over) : [largeProjection(over)];
    const changes = { create, replace: [], delete: [] };
    const reply = await system.request("POST", "/projections", { json: changes });
    if (over === 0) return this.#changed(system, changes, reply);
    const { status, error } = edge === "projections" ? INVALID : TOO_LARGE;
    assertRejected(reply, status, error, /./);
  }

  async #fullQueue(system: System, drawn: readonly (readonly DrawnChange[])[]): Promise<void> {
    // An invalid request does not wait.
    const writes = drawn.map((changes) => changesOf(changes, this.store)).filter((projections) =>
      this.store.judge({ events: [], conditions: [], projections }).status !== 400
    );
    const full = system.tally.fullQueues;
    const requests = writes.map((json) => ({ method: "POST", path: "/projections", json }));
    const replies = await fillQueue(system, requests);
    if (system.tally.fullQueues > full) system.count("full");
    for (const [i, reply] of replies.entries()) this.#changed(system, writes[i]!, reply);
  }

  async #requestPause(system: System): Promise<void> {
    const reply = await system.request("POST", "/pause");
    if (this.#transactions.count > 0) {
      if (this.#pause === "normal") this.#pause = "pauseRequested";
      return assert.deepEqual(expectStatus(reply, 202).json(), {
        openTransactions: this.#transactions.count,
      });
    }
    this.#pause = "paused";
    assert.deepEqual(expectStatus(reply, 200).json(), { lastSequence: this.store.events.length });
    assert.equal(reply.headers.get("x-service-store"), this.store.storeId);
  }

  async #reset(system: System): Promise<void> {
    const reply = await system.request("POST", "/reset");
    if (this.#pause !== "paused") return assertRejected(reply, 409, "NotPaused");
    assertNoContent(reply);
    this.store.reset();
    await this.#learnStoreId(system);
    await this.waitingReads.ended();
  }

  async #learnStoreId(system: System): Promise<void> {
    const reply = expectStatus(await system.request("QUERY", "/events", { json: { query: "all" } }), 200);
    this.store.storeId = reply.headers.get("x-service-store") ?? "";
  }

  /** Ends with a pause in place, so that some runs stop a paused server. */
  async finish(system: System): Promise<void> {
    await this.#transactions.abandonAll(system);
    await this.#requestPause(system);
  }

  /** Transactions, and a pause that is only requested, are lost with the server. */
  lostMemory(): Promise<void> {
    this.#transactions.lose();
    if (this.#pause === "pauseRequested") this.#pause = "normal";
    return Promise.resolve();
  }
}
