import assert from "node:assert/strict";
import { projectionPath } from "../../../tests/support/client.ts";
import type { Reply } from "../../../tests/support/connection.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP } from "../../../tests/support/replies.ts";
import { txLines } from "../../../tests/editions/b_tx/client.ts";
import type { DrawnChange } from "../../../tests/editions/a_write/operations.ts";
import type { ReferenceStore, WireWrite } from "../../../tests/editions/a_write/reference.ts";
import {
  type ApiError,
  apiErrorOf,
  eventsAt,
  INVALID,
  largeProjection,
  manyProjections,
  queryAt,
  TOO_LARGE,
} from "../edges.ts";
import { BODY_BYTES_MAX, TX_LIMITS } from "../limits.ts";
import type { System } from "../system.ts";
import type { WaitingReads } from "../waiting_reads.ts";
import { carryOut } from "./carry_out.ts";
import { BAD_CALLS, type DrawnCall, type TxEdge } from "./drawn.ts";
import {
  type Broken,
  ReferenceTx,
  type TxChanges,
  type TxQuery,
} from "../../../tests/editions/b_tx/reference.ts";

/** The open transactions, the calls on them, and the expected answer of each call. */
export class OpenTransactions {
  readonly #store: ReferenceStore;
  readonly #waitingReads: WaitingReads;
  #open: ReferenceTx[] = [];
  /** The transaction that ended last. */
  #ended = new ReferenceTx("00000000-0000-4000-8000-000000000000", TX_LIMITS);
  #lastId = 0;

  constructor(store: ReferenceStore, waitingReads: WaitingReads) {
    this.#store = store;
    this.#waitingReads = waitingReads;
  }

  get count(): number {
    return this.#open.length;
  }

  begun(txId: string): void {
    this.#open.push(new ReferenceTx(txId, TX_LIMITS));
  }

  async play(system: System, drawn: DrawnCall): Promise<void> {
    const tx = this.at(drawn.slot);
    switch (drawn.kind) {
      case "txRead":
        return await this.#read(system, tx, drawn.query);
      case "txWrite":
        return await this.#write(system, tx, drawn.events);
      case "decide":
        await this.#read(system, tx, drawn.query);
        return await this.#write(system, tx, drawn.events);
      case "txGet":
        return await this.#get(system, tx, drawn.type, drawn.id);
      case "txChange":
        return await this.#change(system, tx, listsOf(drawn.changes));
      case "commit":
        return await this.#commit(system, tx);
      case "abandon":
        return await this.#abandon(system, tx);
      case "edge":
        system.tally.edges++;
        return await this.#edge(system, tx, drawn.edge, drawn.over);
      case "bad": {
        const [method, rest, body] = BAD_CALLS[drawn.which % BAD_CALLS.length]!;
        return this.#rejected(system, tx, await this.#call(system, tx, method, rest, { body }), "rule");
      }
    }
  }

  async abandonAll(system: System): Promise<void> {
    for (const tx of [...this.#open]) await this.#abandon(system, tx);
  }

  /** The server is gone, and with it all open transactions. */
  lose(): void {
    for (const tx of this.#open) this.#ended = tx;
    this.#open = [];
  }

  isOpen(tx: ReferenceTx): boolean {
    return this.#open.includes(tx);
  }

  #end(tx: ReferenceTx): void {
    this.#open = this.#open.filter((open) => open !== tx);
    this.#ended = tx;
  }

  #call(system: System, tx: ReferenceTx, method: string, rest: string, options = {}): Promise<Reply> {
    return system.request(method, `/tx/${tx.id}${rest}`, options);
  }

  /** Checks a call that ends the transaction, if it is still open. */
  #rejected(
    system: System,
    tx: ReferenceTx,
    reply: Reply,
    broken: Broken,
    { status, error }: ApiError = INVALID,
  ): void {
    if (!this.isOpen(tx)) return assertRejected(reply, 404, "TransactionNotFound");
    assertRejected(reply, status, error, /./);
    if (broken === "rule") system.count("rule");
    this.#end(tx);
  }

  async #read(system: System, tx: ReferenceTx, query: TxQuery): Promise<void> {
    const reply = await this.#call(system, tx, "QUERY", "/events", { json: { query: system.wire(query) } });
    if (!this.isOpen(tx)) return this.#rejected(system, tx, reply, "rule");
    const expected = tx.read(query, this.#store);
    if (typeof expected === "string") return this.#rejected(system, tx, reply, expected);
    assert.deepEqual(txLines(reply), expected);
  }

  async #write(
    system: System,
    tx: ReferenceTx,
    events: WireWrite["events"],
    rejection: ApiError | undefined = undefined,
    pad = 0,
  ): Promise<void> {
    const body = JSON.stringify({ events }).padEnd(pad);
    const reply = await this.#call(system, tx, "POST", "/events", { body });
    if (!this.isOpen(tx)) return this.#rejected(system, tx, reply, "rule");
    const broken = rejection === undefined ? tx.write(events) : "limit";
    if (broken !== undefined) return this.#rejected(system, tx, reply, broken, rejection);
    const { time } = expectStatus(reply, 200).json<{ time: string }>();
    assert.match(time, TIMESTAMP);
    tx.wrote(events, time);
  }

  async #get(system: System, tx: ReferenceTx, type: string, id: string): Promise<void> {
    const reply = await this.#call(system, tx, "GET", projectionPath(type, id));
    if (!this.isOpen(tx)) return this.#rejected(system, tx, reply, "rule");
    const found = tx.get(type, id, this.#store);
    if (typeof found === "string") return this.#rejected(system, tx, reply, found);
    if (found.payload === null) return assertRejected(reply, 404, "ProjectionNotFound");
    assert.equal(expectStatus(reply, 200).text, found.payload);
  }

  async #change(
    system: System,
    tx: ReferenceTx,
    changes: TxChanges,
    rejection: ApiError | undefined = undefined,
  ): Promise<void> {
    const { create, replace, delete: deleted } = changes;
    const json = { create, replace, delete: deleted.map(({ type, id }) => ({ type, id })) };
    const reply = await this.#call(system, tx, "POST", "/projections", { json });
    if (!this.isOpen(tx)) return this.#rejected(system, tx, reply, "rule");
    const broken = rejection === undefined ? tx.change(changes) : "limit";
    if (broken !== undefined) return this.#rejected(system, tx, reply, broken, rejection);
    assert.match(expectStatus(reply, 200).json<{ time: string }>().time, TIMESTAMP);
  }

  async #commit(system: System, tx: ReferenceTx): Promise<void> {
    const reply = await this.#call(system, tx, "POST", "/commit");
    if (!this.isOpen(tx) || tx.conditionIsOpen) return this.#rejected(system, tx, reply, "rule");
    const broken = tx.conflictWith(this.#store);
    this.#end(tx);
    if (broken !== undefined) {
      system.count("condition" in broken.conflict ? "condition" : "projection");
      return assertRejected(reply, 409, "ConcurrencyException", broken.message, broken.conflict);
    }
    assertNoContent(reply);
    system.count("committed");
    if (tx.events.length + tx.changes.length === 0) return;
    system.count("written");
    await carryOut(system, tx, this.#store);
    await this.#waitingReads.committed(system, this.#store);
  }

  async #abandon(system: System, tx: ReferenceTx): Promise<void> {
    assertNoContent(await this.#call(system, tx, "DELETE", ""));
    if (!this.isOpen(tx)) return;
    system.count("abandoned");
    this.#end(tx);
  }

  async #edge(system: System, tx: ReferenceTx, edge: TxEdge, over: number): Promise<void> {
    switch (edge) {
      case "projections": {
        const count = TX_LIMITS.projections - tx.written + over;
        const create = manyProjections(count).map((one) => ({ ...one, id: String(++this.#lastId) }));
        return await this.#change(system, tx, { create, replace: [], delete: [] });
      }
      case "projectionSize": {
        const create = [{ ...largeProjection(over), type: this.isOpen(tx) ? "large" : "other" }];
        return await this.#change(
          system,
          tx,
          { create, replace: [], delete: [] },
          over === 1 ? TOO_LARGE : undefined,
        );
      }
      case "reads":
        while (this.isOpen(tx) && tx.reads < TX_LIMITS.reads) await this.#decideNothing(system, tx);
        return over === 1 ? await this.#read(system, tx, "none") : undefined;
      case "items":
      case "values": {
        if (over === 0) return await this.#read(system, tx, queryAt(edge, over));
        const reply = await this.#call(system, tx, "QUERY", "/events", {
          json: { query: queryAt(edge, over) },
        });
        return this.#rejected(system, tx, reply, "limit");
      }
      case "body":
        if (!tx.conditionIsOpen) await this.#read(system, tx, "none");
        return await this.#write(system, tx, [], over === 1 ? TOO_LARGE : undefined, BODY_BYTES_MAX + over);
      default: {
        if (!tx.conditionIsOpen) await this.#read(system, tx, "none");
        const events = eventsAt(edge, over, TX_LIMITS.events - tx.events.length);
        const rejection = over === 1 && edge !== "events" ? apiErrorOf(edge) : undefined;
        return await this.#write(system, tx, events, rejection);
      }
    }
  }

  async #decideNothing(system: System, tx: ReferenceTx): Promise<void> {
    if (!tx.conditionIsOpen) await this.#read(system, tx, "none");
    await this.#write(system, tx, []);
  }

  at(slot: number): ReferenceTx {
    return slot === 15 ? this.#ended : this.#open[slot % this.#open.length] ?? this.#ended;
  }
}

function listsOf(drawn: readonly DrawnChange[]): TxChanges {
  const of = (kind: DrawnChange["kind"]) =>
    drawn.filter((one) => one.kind === kind).map(({ type, id, payload }) => ({ type, id, payload }));
  return { create: of("create"), replace: of("replace"), delete: of("delete") };
}
