import { ReferenceStore, type WireWrite } from "../a_write/reference.ts";
import { type CallName, EVENT_TYPE, INVALID, LIMITS, payloadOf, PROJECTION, WAIT_SECONDS } from "./calls.ts";
import {
  type Answers,
  type AppendCondition,
  appendConflict,
  type Counts,
  DONE,
  type Outcome,
  ReferenceTickets,
} from "./reference.ts";

/** The state that the sender of a call knows. */
export interface View {
  readonly head: number;
  /** The version of the projection; 0 when there is none. */
  readonly version: number;
}

/** The state that every client can read without a ticket. */
export interface Surface {
  readonly store: number;
  readonly lines: readonly string[];
  readonly projection: { readonly version: number; readonly payload: string } | undefined;
  readonly paused: boolean;
  /** The number of calls of the active transaction; undefined without one. */
  readonly calls: number | undefined;
  readonly queued: readonly string[];
  readonly httpOpen: number;
  readonly counts: Counts;
  /** The settings of the deadlines that were reached. */
  readonly warnings: readonly string[];
}

const CONFLICT: Outcome = { status: 409, error: "ConcurrencyException" };
const NO_CHANGES: WireWrite["projections"] = { create: [], replace: [], delete: [] };

/** The version of no projection. */
const STALE = -1;

/** The reference as the subject of the calls of a sequence. Stores and versions are numbered in the order of their occurrence. */
export class SequenceReference {
  readonly #tickets = new ReferenceTickets(new ReferenceStore(), LIMITS);
  #stores = 1;
  #versions = 0;

  constructor() {
    const { committed } = this.#tickets;
    committed.storeId = storeName(1);
    this.#append(committed, ["first"]);
    this.#change(committed, { ...NO_CHANGES, create: [{ ...PROJECTION, payload: "stored" }] });
  }

  get view(): View {
    return viewOf(this.#tickets.content);
  }

  get surface(): Surface {
    const { committed, paused, active, queued, httpOpen, counts, warnings } = this.#tickets;
    return {
      store: storeNumber(committed),
      lines: linesOf(committed),
      projection: projectionOf(committed),
      paused,
      calls: active?.calls,
      queued,
      httpOpen,
      counts: { ...counts },
      warnings: [...warnings],
    };
  }

  /** All state on which later outcomes depend, as text. */
  get state(): string {
    const { content, transactionState } = this.#tickets;
    return JSON.stringify([this.surface, transactionState, linesOf(content), projectionOf(content)]);
  }

  /** True when the committed state differs from the first one. */
  get storeHasChanged(): boolean {
    const { store, lines, projection } = this.surface;
    return store !== 1 || lines.length !== 1 || projection?.version !== 1;
  }

  /** @returns the answers that came with this call, by the index of their request */
  perform(call: CallName, place: number): Answers {
    const tickets = this.#tickets;
    const answered = (outcome: Outcome): Answers => new Map([[place, outcome]]);
    switch (call) {
      case "begin":
        return tickets.join("transaction", place);
      case "pause":
      case "resume":
        return tickets.join(call, place);
      case "leave":
        return tickets.leave();
      case "reset":
        return tickets.reset(place, () => storeName(++this.#stores));
      case "wait":
        return tickets.pass(WAIT_SECONDS);
      case "restart":
        return tickets.restart();
      case "sendRest":
      case "leaveHalf":
        return tickets.endHalf(call === "sendRest" ? "there" : "lost");
      case "oldTicket":
        return answered({ status: 410, error: "TicketNotActive" });
      case "noTicket":
        return answered(INVALID);
      case "plainWrite":
      case "deleteAll":
        return answered(
          tickets.paused ? this.#withoutTicket(call, place) : { status: 409, error: "NotPaused" },
        );
    }
    const { view } = this;
    const run = (content: ReferenceStore): Outcome => this.#runInside(content, call, view, payloadOf(place));
    return tickets.call({ place, name: call, run }, call === "sendHalf" ? "halfway" : "there");
  }

  #withoutTicket(call: "plainWrite" | "deleteAll", place: number): Outcome {
    const { committed } = this.#tickets;
    if (call === "deleteAll") {
      committed.deleteProjections();
      return DONE;
    }
    const list = committed.projection(PROJECTION) === undefined ? "create" : "replace";
    return this.#runInside(committed, list, viewOf(committed), payloadOf(place));
  }

  #runInside(content: ReferenceStore, call: CallName, view: View, payload: string): Outcome {
    const at = (version: number) => ({ ...PROJECTION, version: String(version) });
    const store = storeNumber(content);
    switch (call) {
      case "read":
        return { status: 200, found: { store, lines: linesOf(content) } };
      case "get": {
        const projection = projectionOf(content);
        return projection === undefined
          ? { status: 404, error: "ProjectionNotFound", found: { store } }
          : { status: 200, found: { store, ...projection } };
      }
      case "append":
      case "sendHalf":
        return this.#append(content, [payload]);
      case "appendHolding":
        return this.#append(content, [payload], {
          failIfEventsMatch: [{ types: [EVENT_TYPE] }],
          afterSequence: view.head,
        });
      case "appendFailing":
        return this.#append(content, [payload], { failIfEventsMatch: "*" });
      case "appendNothing":
        return this.#append(content, [], { failIfEventsMatch: "*" });
      case "appendMalformed":
        return INVALID;
      case "create":
        return this.#change(content, { ...NO_CHANGES, create: [{ ...PROJECTION, payload }] });
      case "replace":
        return this.#change(content, { ...NO_CHANGES, replace: [{ ...at(view.version), payload }] });
      case "replaceStale":
        return this.#change(content, { ...NO_CHANGES, replace: [{ ...at(STALE), payload }] });
      case "delete":
        return this.#change(content, { ...NO_CHANGES, delete: [at(view.version)] });
      default:
        return DONE;
    }
  }

  #append(content: ReferenceStore, payloads: readonly string[], condition?: AppendCondition): Outcome {
    const events = payloads.map((payload) => ({ type: EVENT_TYPE, identifiers: {}, metadata: {}, payload }));
    if (appendConflict(content, events, condition) !== undefined) return CONFLICT;
    const first = content.events.length + 1;
    const nothing = { create: [], replace: [] };
    content.apply({ events, conditions: [], projections: NO_CHANGES }, { events: [], projections: nothing });
    return { status: 200, found: payloads.map((_, i) => first + i) };
  }

  #change(content: ReferenceStore, projections: WireWrite["projections"]): Outcome {
    const write = { events: [], conditions: [], projections };
    const { status, message } = content.judge(write);
    if (status !== 200) return { ...CONFLICT, message: message!.replace("projections.", "") };
    const list = projections.create.length > 0 ? "create" : projections.replace.length > 0 ? "replace" : "";
    const version = String(list === "" ? 0 : ++this.#versions);
    content.apply(write, {
      events: [],
      projections: { create: [], replace: [], ...list === "" ? {} : { [list]: [{ version }] } },
    });
    return { status: 200, found: list === "" ? {} : { [list]: Number(version) } };
  }
}

/** No version has this name. */
function storeName(number: number): string {
  return `store ${number}`;
}

function storeNumber({ storeId }: ReferenceStore): number {
  return Number(storeId.replace("store ", ""));
}

function projectionOf(content: ReferenceStore): Surface["projection"] {
  const projection = content.projection(PROJECTION);
  return projection && { version: Number(projection.version), payload: projection.payload };
}

function viewOf(content: ReferenceStore): View {
  return { head: content.events.length, version: projectionOf(content)?.version ?? 0 };
}

/** Returns sequence and payload of each event as text. */
function linesOf({ events }: ReferenceStore): string[] {
  return events.map(({ sequence, payload }) => `${sequence}: ${payload}`);
}
