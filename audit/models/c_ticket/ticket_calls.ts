import assert from "node:assert/strict";
import { type EventLine, parsePage } from "../../../tests/support/client.ts";
import type { Reply } from "../../../tests/support/connection.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP } from "../../../tests/support/replies.ts";
import { checkProjection } from "../../../tests/editions/a_write/check_answers.ts";
import type { WireQuery, WireWrite } from "../../../tests/editions/a_write/reference.ts";
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

interface Condition {
  readonly failIfEventsMatch?: WireQuery;
  readonly afterSequence?: number;
}

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
      case "ticketChange": {
        const json = changesOf(drawn.changes, this.#turns.active?.content ?? this.#turns.store);
        return await this.#changed(
          system,
          json,
          await this.#turns.call(system, "POST", "/projections", { json }),
        );
      }
      case "edge":
        system.tally.edges++;
        return await this.#edge(system, drawn.edge, drawn.over);
      case "bad": {
        const [method, path, body] = BAD_CALLS[drawn.which % BAD_CALLS.length]!;
        return await this.#turns.rejected(
          system,
          await this.#turns.call(system, method, path, { body }),
          INVALID,
        );
      }
      case "commit":
        return await this.#commit(system);
      case "rollback":
        return await this.#rollback(system);
    }
  }

  #conditionOf(drawn: DrawnCondition | undefined): Condition | undefined {
    if (drawn === undefined) return undefined;
    const { events } = this.#turns.active?.content ?? this.#turns.store;
    const { query, back } = drawn;
    return {
      ...query === undefined ? {} : { failIfEventsMatch: query },
      ...back === undefined ? {} : { afterSequence: Math.max(0, events.length - back) },
    };
  }

  async #append(
    system: System,
    events: WireWrite["events"],
    condition?: Condition,
    pad = 0,
  ): Promise<void> {
    const body = JSON.stringify({ events, condition }).padEnd(pad);
    const reply = await this.#turns.call(system, "POST", "/events", { body });
    if (this.#turns.active === undefined) return assertRejected(reply, 410, "TicketNotActive");
    const { content } = this.#turns.active;
    const { failIfEventsMatch, afterSequence } = condition ?? {};
    const unwanted = failIfEventsMatch ?? (afterSequence === undefined ? [] : "*");
    const [first] = events.length === 0 ? [] : content.matching(unwanted, afterSequence ?? 0);
    if (first !== undefined) {
      const conflict = { condition: 0, sequence: first.sequence };
      assertRejected(reply, 409, "ConcurrencyException", undefined, conflict);
      system.count("failed");
      return await this.#turns.end(system, "error");
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
  }

  async #search(system: System, drawn: DrawnSearch): Promise<void> {
    const { inside, query, limit } = drawn;
    const store = inside ? this.#turns.active?.content ?? this.#turns.store : this.#turns.store;
    const { events } = store;
    const timeAt = (back: number | undefined) => back === undefined ? undefined : events.at(-1 - back)?.time;
    const [from, before] = [timeAt(drawn.from), timeAt(drawn.before)];
    const time = from === undefined && before === undefined ? undefined : { from, before };
    const afterSequence = drawn.back === undefined ? undefined : Math.max(0, events.length - drawn.back);
    const json = { query, afterSequence, time, limit };
    const reply = inside
      ? await this.#turns.call(system, "QUERY", "/events", { json })
      : await system.request("QUERY", "/events", { json });
    if (inside && this.#turns.active === undefined) return assertRejected(reply, 410, "TicketNotActive");
    if (from !== undefined && before !== undefined && from >= before) {
      return inside
        ? await this.#turns.rejected(system, reply, INVALID)
        : assertRejected(reply, 400, "InvalidRequest", /./);
    }
    const isInTime = (event: EventLine) => event.time >= (from ?? "") && event.time < (before ?? "9");
    const expected = store.matching(query, afterSequence ?? 0).filter(isInTime);
    const page = parsePage(expectStatus(reply, 200));
    assert.deepEqual([page.events, page.hasMore], [expected.slice(0, limit), expected.length > limit]);
    assert.equal(page.store, store.storeId);
  }

  async #get(system: System, key: { readonly type: string; readonly id: string }): Promise<void> {
    const request = (method: string, path: string) => this.#turns.call(system, method, path);
    if (this.#turns.active !== undefined) {
      return await checkProjection({ request }, key, this.#turns.active.content);
    }
    assertRejected(await request("GET", "/projections/p/1"), 410, "TicketNotActive");
  }

  async #changed(system: System, changes: Changes, reply: Reply): Promise<void> {
    if (this.#turns.active === undefined) return assertRejected(reply, 410, "TicketNotActive");
    checkChanges(this.#turns.active.content, changes, reply);
    if (reply.status !== 200) await this.#turns.end(system, "error");
  }

  async #edge(system: System, edge: CallEdge, over: number): Promise<void> {
    switch (edge) {
      case "projections":
      case "projectionSize": {
        const create = edge === "projections"
          ? manyProjections(PROJECTIONS_MAX + over)
          : [largeProjection(over)];
        const json = { create, replace: [], delete: [] };
        const reply = await this.#turns.call(system, "POST", "/projections", { json });
        if (over === 0) return await this.#changed(system, json, reply);
        return await this.#turns.rejected(system, reply, edge === "projections" ? INVALID : TOO_LARGE);
      }
      case "items":
      case "values": {
        const condition = { failIfEventsMatch: queryAt(edge, over) };
        const events = eventsAt("metadata", 0);
        if (over === 0) return await this.#append(system, events, condition);
        const json = { events, condition };
        return await this.#turns.rejected(
          system,
          await this.#turns.call(system, "POST", "/events", { json }),
          INVALID,
        );
      }
      default: {
        const events = edge === "body" ? [] : eventsAt(edge, over);
        const pad = edge === "body" ? TICKET_BODY_BYTES_MAX + over : 0;
        if (over === 0) return await this.#append(system, events, undefined, pad);
        const body = JSON.stringify({ events }).padEnd(pad);
        const rejection = edge === "body" ? TOO_LARGE : apiErrorOf(edge);
        return await this.#turns.rejected(
          system,
          await this.#turns.call(system, "POST", "/events", { body }),
          rejection,
        );
      }
    }
  }

  async #commit(system: System): Promise<void> {
    const reply = await this.#turns.call(system, "POST", "/commit");
    if (this.#turns.active === undefined) return assertRejected(reply, 410, "TicketNotActive");
    assertNoContent(reply);
    this.#turns.store = this.#turns.active.content;
    await this.#waitingReads.committed(system, this.#turns.store);
    await this.#turns.end(system, "committed");
  }

  async #rollback(system: System): Promise<void> {
    const reply = await this.#turns.call(system, "POST", "/rollback");
    if (this.#turns.active === undefined) return assertRejected(reply, 410, "TicketNotActive");
    assertNoContent(reply);
    await this.#turns.end(system, "client");
  }
}
