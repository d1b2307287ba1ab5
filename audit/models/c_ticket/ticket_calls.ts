import assert from "node:assert/strict";
import { type EventLine, parsePage, projectionPath } from "../../../tests/support/client.ts";
import type { Reply } from "../../../tests/support/connection.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP } from "../../../tests/support/replies.ts";
import { checkProjection } from "../../../tests/editions/a_write/check_answers.ts";
import type { WireWrite } from "../../../tests/editions/a_write/reference.ts";
import { type AppendCondition, appendConflict } from "../../../tests/editions/c_ticket/reference.ts";
import {
  apiErrorOf,
  eventsAt,
  INVALID,
  largeProjection,
  manyProjections,
  queryAt,
  TOO_LARGE,
} from "../edges.ts";
import { PROJECTIONS_MAX, TICKET_BODY_BYTES_MAX } from "../limits.ts";
import { type Changes, changesOf, checkChanges } from "../projections.ts";
import type { System } from "../system.ts";
import type { WaitingReads } from "../waiting_reads.ts";
import { BAD_CALLS, type CallEdge, type DrawnCall, type DrawnCondition, type DrawnSearch } from "./drawn.ts";
import type { Turns } from "./open_ticket.ts";

/** Calls with a ticket, and the expected answer of each. */
export class TicketCalls {
  readonly #turns: Turns;
  readonly #waitingReads: WaitingReads;

  constructor(turns: Turns, waitingReads: WaitingReads) {
    this.#turns = turns;
    this.#waitingReads = waitingReads;
  }

  async play(system: System, drawn: DrawnCall): Promise<void> {
    switch (drawn.kind) {
      case "append":
        return await this.#append(system, drawn.events, this.#conditionOf(drawn.condition));
      case "search":
        return await this.#search(system, drawn);
      case "ticketGet":
        return await this.#get(system, drawn);
      case "ticketChange":
        return await this.#change(system, changesOf(drawn.changes, this.#turns.reference.content));
      case "edge":
        system.tally.edges++;
        return await this.#edge(system, drawn.edge, drawn.over);
      case "bad": {
        const [method, path, body] = BAD_CALLS[drawn.which % BAD_CALLS.length]!;
        return await this.#turns.rejected(system, [method, path], { body }, INVALID);
      }
      case "commit":
        return await this.#commit(system);
      case "rollback":
        return await this.#rollback(system);
    }
  }

  #conditionOf(drawn: DrawnCondition | undefined): AppendCondition | undefined {
    if (drawn === undefined) return undefined;
    const { events } = this.#turns.reference.content;
    const { query, back } = drawn;
    return {
      ...query === undefined ? {} : { failIfEventsMatch: query },
      ...back === undefined ? {} : { afterSequence: Math.max(0, events.length - back) },
    };
  }

  async #append(
    system: System,
    events: WireWrite["events"],
    condition?: AppendCondition,
    pad = 0,
  ): Promise<void> {
    const body = JSON.stringify({ events, condition }).padEnd(pad);
    await this.#turns.call(system, ["POST", "/events"], { body }, (reply, content) => {
      const conflict = appendConflict(content, events, condition);
      if (conflict !== undefined) {
        return assertRejected(reply, 409, "ConcurrencyException", undefined, conflict);
      }
      const told = expectStatus(reply, 200).json<{ events: { sequence: number; time: string }[] }>().events;
      const head = content.events.length;
      assert.deepEqual(told.map(({ sequence }) => sequence), events.map((_, i) => head + 1 + i));
      for (const { time } of told) {
        assert.match(time, TIMESTAMP);
        assert.equal(time, told[0]!.time);
      }
      const projections = { create: [], replace: [], delete: [] };
      content.apply({ events, conditions: [], projections }, { events: told, projections });
    });
  }

  async #search(system: System, drawn: DrawnSearch): Promise<void> {
    const { inside, query, limit } = drawn;
    const store = inside ? this.#turns.reference.content : this.#turns.store;
    const { events } = store;
    const timeAt = (back: number | undefined) => back === undefined ? undefined : events.at(-1 - back)?.time;
    const [from, before] = [timeAt(drawn.from), timeAt(drawn.before)];
    const time = from === undefined && before === undefined ? undefined : { from, before };
    const afterSequence = drawn.back === undefined ? undefined : Math.max(0, events.length - drawn.back);
    const json = { query, afterSequence, time, limit };
    const isWrong = from !== undefined && before !== undefined && from >= before;
    const check = (reply: Reply): void => {
      if (isWrong) return assertRejected(reply, INVALID.status, INVALID.error, /./);
      const isInTime = (event: EventLine) => event.time >= (from ?? "") && event.time < (before ?? "9");
      const expected = store.matching(query, afterSequence ?? 0).filter(isInTime);
      const page = parsePage(expectStatus(reply, 200));
      assert.deepEqual([page.events, page.hasMore], [expected.slice(0, limit), expected.length > limit]);
      assert.equal(page.store, store.storeId);
    };
    if (inside) return await this.#turns.call(system, ["QUERY", "/events"], { json }, check);
    check(await system.request("QUERY", "/events", { json }));
  }

  async #get(system: System, key: { readonly type: string; readonly id: string }): Promise<void> {
    const target = projectionPath(key.type, key.id);
    await this.#turns.call(
      system,
      ["GET", target],
      {},
      (reply, content) => checkProjection({ request: () => Promise.resolve(reply) }, key, content),
    );
  }

  async #change(system: System, changes: Changes): Promise<void> {
    await this.#turns.call(
      system,
      ["POST", "/projections"],
      { json: changes },
      (reply, content) => checkChanges(content, changes, reply),
    );
  }

  async #edge(system: System, edge: CallEdge, over: number): Promise<void> {
    switch (edge) {
      case "projections":
      case "projectionSize": {
        const create = edge === "projections"
          ? manyProjections(PROJECTIONS_MAX + over)
          : [largeProjection(over)];
        const json = { create, replace: [], delete: [] };
        if (over === 0) return await this.#change(system, json);
        const rejection = edge === "projections" ? INVALID : TOO_LARGE;
        return await this.#turns.rejected(system, ["POST", "/projections"], { json }, rejection);
      }
      case "items":
      case "values": {
        const condition = { failIfEventsMatch: queryAt(edge, over) };
        const events = eventsAt("metadata", 0);
        if (over === 0) return await this.#append(system, events, condition);
        const json = { events, condition };
        return await this.#turns.rejected(system, ["POST", "/events"], { json }, INVALID);
      }
      default: {
        const events = edge === "body" ? [] : eventsAt(edge, over);
        const pad = edge === "body" ? TICKET_BODY_BYTES_MAX + over : 0;
        if (over === 0) return await this.#append(system, events, undefined, pad);
        const body = JSON.stringify({ events }).padEnd(pad);
        const rejection = edge === "body" ? TOO_LARGE : apiErrorOf(edge);
        return await this.#turns.rejected(system, ["POST", "/events"], { body }, rejection);
      }
    }
  }

  async #commit(system: System): Promise<void> {
    await this.#turns.call(system, ["POST", "/commit"], {}, assertNoContent);
    await this.#waitingReads.committed(system, this.#turns.store);
  }

  async #rollback(system: System): Promise<void> {
    await this.#turns.call(system, ["POST", "/rollback"], {}, assertNoContent);
  }
}
