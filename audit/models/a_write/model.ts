import assert from "node:assert/strict";
import type { EventLine, WriteResult } from "../../../tests/support/client.ts";
import type { Reply } from "../../../tests/support/connection.ts";
import { metrics } from "../../../tests/support/metrics.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../../tests/support/replies.ts";
import { checkWrite } from "../../../tests/editions/a_write/check_answers.ts";
import { type DrawnWrite, toBody } from "../../../tests/editions/a_write/operations.ts";
import { ReferenceStore, type WireWrite } from "../../../tests/editions/a_write/reference.ts";
import { type Model, playCommon } from "../common.ts";
import { deleteProjections } from "../projections.ts";
import {
  type ApiError,
  apiErrorOf,
  EVENT_EDGES,
  type EventEdge,
  eventsAt,
  INVALID,
  largeProjection,
  manyProjections,
  queryAt,
  TOO_LARGE,
} from "../edges.ts";
import { fillQueue } from "../full_queue.ts";
import { BODY_BYTES_MAX, EVENTS_MAX, PROJECTIONS_MAX } from "../limits.ts";
import type { System } from "../system.ts";
import { WaitingReads } from "../waiting_reads.ts";

import { BAD_BODIES, type DrawnA, type WriteEdge } from "./drawn.ts";

/* The expected results of the commands of edition A. */

const NOTHING: WireWrite = {
  events: [],
  conditions: [],
  projections: { create: [], replace: [], delete: [] },
};

export class ModelA implements Model {
  readonly store = new ReferenceStore();
  readonly waitingReads = new WaitingReads();

  /** Empties the store. */
  static async begin(system: System): Promise<ModelA> {
    const model = new ModelA();
    assertNoContent(await system.request("POST", "/reset"));
    model.store.storeId = await system.client.storeId();
    return model;
  }

  async play(system: System, drawn: DrawnA): Promise<void> {
    switch (drawn.kind) {
      case "write":
        return await this.#write(system, toBody(drawn, this.store));
      case "edge":
        return await this.#edge(system, drawn.edge, drawn.over);
      case "bad": {
        const body = BAD_BODIES[drawn.which % BAD_BODIES.length]!;
        return assertRejected(await system.request("POST", "/write", { body }), 400, "InvalidRequest", /./);
      }
      case "interrupted":
        return await this.#interrupted(system, drawn.events, drawn.afterMilliseconds);
      case "fullQueue":
        return await this.#fullQueue(system, drawn.writes);
      case "deleteType":
        return await deleteProjections(this.store, system, drawn.type);
      case "deleteAll":
        return await deleteProjections(this.store, system);
      case "reset":
        assertNoContent(await system.request("POST", "/reset"));
        return await this.#wasReset(system);
      default:
        return await playCommon(this, system, drawn);
    }
  }

  lostMemory(): Promise<void> {
    return Promise.resolve();
  }

  async look(system: System): Promise<void> {
    const { status } = expectStatus(await system.request("GET", "/health"), 200).json<{ status: string }>();
    assert.equal(status, "ok");
    const { write } = expectStatus(await system.request("GET", "/debug"), 200)
      .json<{ write: { active: unknown; queued: unknown[] } }>();
    assert.deepEqual([write.active, write.queued], [null, []]);
    const samples = await metrics(system.client);
    const told = {
      committed: samples.get("service_writes_committed_total"),
      condition: samples.get('service_writes_rejected_total{reason="condition"}'),
      projection: samples.get('service_writes_rejected_total{reason="projection"}'),
      head: samples.get("service_last_sequence"),
    };
    const { committed = 0, condition = 0, projection = 0 } = system.counts;
    assert.deepEqual(told, { committed, condition, projection, head: this.store.events.length });
  }

  finish(): Promise<void> {
    return this.waitingReads.leave();
  }

  /** @param pad makes the body longer, by white space */
  async #write(system: System, body: WireWrite, pad = 0): Promise<void> {
    const text = JSON.stringify(body).padEnd(pad);
    this.#wrote(system, body, await system.request("POST", "/write", { body: text }));
    await this.waitingReads.committed(system, this.store);
  }

  #wrote(system: System, body: WireWrite, reply: Reply): void {
    const isEmpty = JSON.stringify(body) === JSON.stringify(NOTHING);
    if (reply.status === 200 && !isEmpty) system.count("committed");
    if (reply.status === 409) system.count(/conditions\[/.test(reply.text) ? "condition" : "projection");
    checkWrite(this.store, body, reply);
  }

  async #edge(system: System, edge: WriteEdge, over: number): Promise<void> {
    system.tally.edges++;
    const body = bodyAt(edge, over);
    const pad = edge === "body" ? BODY_BYTES_MAX + over : 0;
    if (over === 0) return await this.#write(system, body, pad);
    const { status, error } = errorAt(edge);
    const reply = await system.request("POST", "/write", { body: JSON.stringify(body).padEnd(pad) });
    assertRejected(reply, status, error, /./);
  }

  /** Sends a write of events alone, so that the head shows if it was committed. */
  async #interrupted(system: System, events: WireWrite["events"], milliseconds: number): Promise<void> {
    const body = { ...NOTHING, events };
    const reply = await system.interrupt(await system.begin("POST", "/write", { json: body }), milliseconds);
    await this.waitingReads.leave();
    const found = await system.client.allEvents();
    const isWritten = found.length > this.store.events.length;
    if (reply !== undefined) {
      assert.equal(isWritten, reply.status === 200, "what was told is not what is there");
    }
    if (isWritten) this.store.apply(body, resultOf(found.slice(this.store.events.length)));
    assert.deepEqual(found, this.store.events);
  }

  async #fullQueue(system: System, writes: readonly DrawnWrite[]): Promise<void> {
    // An empty write does not wait, and an invalid one does not either.
    const bodies = writes.map((drawn) => toBody(drawn, this.store)).filter((body) =>
      JSON.stringify(body) !== JSON.stringify(NOTHING) && this.store.judge(body).status !== 400
    );
    const filler: WireWrite = { ...NOTHING, conditions: [{}] };
    const requests = [filler, ...bodies].map((json) => ({ method: "POST", path: "/write", json }));
    const replies = await fillQueue(system, requests);
    const waiting = replies.map((reply, i) => ({ body: [filler, ...bodies][i]!, reply }));
    const heads: number[] = [];
    let isInTurn = true;
    while (waiting.length > 0) {
      const next = this.#nextOf(waiting);
      isInTurn &&= next === 0;
      const [{ body, reply }] = waiting.splice(next, 1) as [typeof waiting[number]];
      this.#wrote(system, body, reply);
      heads.push(this.store.events.length);
    }
    await this.waitingReads.committed(system, this.store, heads);
    system.tally.queues++;
    system.tally.outOfTurn += Number(!isInTurn);
  }

  /**
   * Returns the waiting write that had the next turn: the first one, or a later one when the earlier ones have
   * conditions that took long to check. The latter happens on a machine with no processor to spare.
   */
  #nextOf(waiting: readonly { readonly body: WireWrite; readonly reply: Reply }[]): number {
    const fits = ({ body, reply }: typeof waiting[number]): boolean => {
      const { status, message } = this.store.judge(body);
      if (status !== 200 || reply.status !== 200) {
        return status === reply.status && reply.text.includes(message ?? "");
      }
      const [first] = reply.json<WriteResult>().events;
      return first === undefined || first.sequence === this.store.events.length + 1;
    };
    const next = waiting.findIndex(fits);
    const mayBeSlow = waiting.slice(0, next).every(({ body: { conditions } }) =>
      conditions.some(({ failIfEventsMatch }) => failIfEventsMatch !== undefined)
    );
    return next > 0 && mayBeSlow ? next : 0;
  }

  async #wasReset(system: System): Promise<void> {
    this.store.reset();
    this.store.storeId = await system.client.storeId();
    await this.waitingReads.ended();
  }
}

/** The result of a write, when only its events are known. */
function resultOf(events: readonly EventLine[]) {
  const told = events.map(({ sequence, time }) => ({ sequence, time }));
  return { events: told, projections: { create: [], replace: [] } };
}

function bodyAt(edge: WriteEdge, over: number): WireWrite {
  switch (edge) {
    case "conditions":
      return { ...NOTHING, conditions: Array.from({ length: EVENTS_MAX + over }, () => ({})) };
    case "projections":
    case "projectionSize": {
      const create = edge === "projections"
        ? manyProjections(PROJECTIONS_MAX + over)
        : [largeProjection(over)];
      return { ...NOTHING, projections: { create, replace: [], delete: [] } };
    }
    case "items":
    case "values":
      return { ...NOTHING, conditions: [{ failIfEventsMatch: queryAt(edge, over) }] };
    case "body":
      return { ...NOTHING, events: eventsAt("identifiers", 0) };
    default:
      return { ...NOTHING, events: eventsAt(edge, over) };
  }
}

function errorAt(edge: WriteEdge): ApiError {
  if (edge === "projectionSize" || edge === "body") return TOO_LARGE;
  return (EVENT_EDGES as readonly string[]).includes(edge) ? apiErrorOf(edge as EventEdge) : INVALID;
}
