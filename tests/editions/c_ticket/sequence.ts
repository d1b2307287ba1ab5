import assert from "node:assert/strict";
import { TIMESTAMP, UUID } from "../../support/replies.ts";
import { type CallName, EVENT_TYPE, payloadOf, PROJECTION, WAIT_SECONDS } from "./calls.ts";
import { GONE, type Outcome } from "./reference.ts";
import { SequenceReference, type View } from "./sequence_reference.ts";
import { type Answer, linesOf, type Request, type Sent, type Subject } from "./subject.ts";
import { surfaceOf } from "./surface.ts";

const PROJECTION_PATH = `/projections/${PROJECTION.type}/${PROJECTION.id}`;
const UNKNOWN_TICKET = "00000000-0000-4000-8000-000000000000";

/** Maps the IDs of a subject, of stores or versions of projections, to the numbers of a reference. */
class Numbers {
  readonly #numbers = new Map<string, number>();

  /** Returns the number of a name. A new name takes the expected number if it is free. */
  numberOf(name: string | undefined, expected: unknown): number | string | undefined {
    if (name === undefined) return undefined;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (typeof expected !== "number" || this.nameOf(expected) !== undefined) return name;
    this.#numbers.set(name, expected);
    return expected;
  }

  nameOf(wanted: number): string | undefined {
    return this.#find((number) => number === wanted);
  }

  /** Returns any name except the one of this number. */
  otherThan(unwanted: number): string | undefined {
    return this.#find((number) => number !== unwanted);
  }

  #find(isWanted: (number: number) => boolean): string | undefined {
    for (const [name, number] of this.#numbers) if (isWanted(number)) return name;
    return undefined;
  }
}

/** The IDs that the store and its projection have at first. */
export interface Beginning {
  readonly storeId: string;
  readonly version: string;
}

interface Open {
  readonly call: CallName;
  readonly sent: Sent;
}

/** One sequence, sent to the subject and to the reference at the same time. */
export class Sequence {
  readonly reference = new SequenceReference();
  readonly #subject: Subject;
  readonly #stores = new Numbers();
  readonly #versions = new Numbers();
  readonly #calls: CallName[] = [];
  /** Requests that were not answered yet, by their index. */
  readonly #open = new Map<number, Open>();
  readonly #arrived = new Map<number, Answer | undefined>();
  /** All tickets. The last one may be active. */
  readonly #tickets = [UNKNOWN_TICKET, UNKNOWN_TICKET];

  constructor(subject: Subject, { storeId, version }: Beginning) {
    this.#subject = subject;
    this.#stores.numberOf(storeId, 1);
    this.#versions.numberOf(version, 1);
  }

  /** Makes one call, and compares all answers that come with it. */
  async play(call: CallName): Promise<void> {
    const place = this.#calls.push(call) - 1;
    const { view } = this.reference;
    const expected = this.reference.perform(call, place);
    await this.#perform(call, place, view, expected);
    const answers = [...this.#open].filter(([place]) => expected.has(place)).map(([, { sent }]) =>
      sent.answer
    );
    await this.#subject.settle({ answers, httpOpen: this.reference.surface.httpOpen });
    const outcomes = new Map<number, Outcome>();
    for (const [place, outcome] of expected) if (outcome === GONE) outcomes.set(place, GONE);
    for (const [place, answer] of this.#arrived) {
      const { call } = this.#open.get(place)!;
      this.#open.delete(place);
      outcomes.set(place, this.#outcomeOf(call, answer, expected.get(place)?.found));
    }
    this.#arrived.clear();
    assert.deepEqual(inOrder(outcomes), inOrder(expected), this.text);
  }

  /** Compares the state that every client can read without a ticket. */
  async compareSurface(): Promise<void> {
    const expected = this.reference.surface;
    const actual = await surfaceOf(this.#subject, PROJECTION_PATH);
    const { storeId, version, payload, ...rest } = actual;
    const projection = version === undefined
      ? undefined
      : { version: this.#versions.numberOf(version, expected.projection?.version), payload };
    const store = this.#stores.numberOf(storeId, expected.store);
    assert.deepEqual({ ...rest, store, projection }, expected, `after ${this.text}`);
  }

  get text(): string {
    return this.#calls.join(", ");
  }

  async #perform(
    call: CallName,
    place: number,
    view: View,
    expected: ReadonlyMap<number, Outcome>,
  ): Promise<void> {
    switch (call) {
      case "wait":
        return await this.#subject.pass(WAIT_SECONDS);
      case "restart":
        return await this.#subject.restart();
      case "sendRest":
        return await [...this.#open.values()].find(({ call }) => call === "sendHalf")?.sent.finish();
      case "leave":
      case "leaveHalf": {
        for (const [place, outcome] of expected) {
          if (outcome !== GONE) continue;
          const { sent } = this.#open.get(place)!;
          this.#open.delete(place);
          await sent.leave();
        }
        return;
      }
    }
    const sent = await this.#subject.send(this.#requestOf(call, place, view));
    this.#open.set(place, { call, sent });
    sent.answer.then((answer) => this.#open.has(place) && this.#arrived.set(place, answer));
  }

  #requestOf(call: CallName, place: number, view: View): Request {
    const [older, ticket] = this.#tickets.slice(-2);
    const payload = payloadOf(place);
    const events = [{ type: EVENT_TYPE, payload }];
    const version = this.#versions.nameOf(view.version) ?? "none";
    const post = (path: string, json?: unknown): Request => {
      const request = { method: "POST", path };
      return json === undefined ? request : { ...request, body: JSON.stringify(json) };
    };
    const append = (json: unknown): Request => ({ ...post("/events", json), ticket });
    const change = (json: unknown): Request => ({ ...post("/projections", json), ticket });
    switch (call) {
      case "begin":
      case "pause":
      case "resume":
      case "reset":
        return post(`/${call}`);
      case "commit":
      case "rollback":
        return { ...post(`/${call}`), ticket };
      case "noTicket":
        return post("/commit");
      case "oldTicket":
        return { ...post("/events"), ticket: older, body: "{" };
      case "deleteAll":
        return { method: "DELETE", path: "/projections" };
      case "plainWrite":
        return post(
          "/projections",
          view.version === 0
            ? { create: [{ ...PROJECTION, payload }] }
            : { replace: [{ ...PROJECTION, version, payload }] },
        );
      case "read":
        return { method: "QUERY", path: "/events", body: '{"query":"*"}', ticket };
      case "get":
        return { method: "GET", path: PROJECTION_PATH, ticket };
      case "append":
        return append({ events });
      case "sendHalf":
        return { ...append({ events }), half: true };
      case "appendHolding": {
        const failIfEventsMatch = [{ types: [EVENT_TYPE] }];
        return append({ events, condition: { failIfEventsMatch, afterSequence: view.head } });
      }
      case "appendFailing":
        return append({ events, condition: { failIfEventsMatch: "*" } });
      case "appendNothing":
        return append({ events: [], condition: { failIfEventsMatch: "*" } });
      case "appendMalformed":
        return { ...append({}), body: '{"events":[' };
      case "create":
        return change({ create: [{ ...PROJECTION, payload }] });
      case "replace":
        return change({ replace: [{ ...PROJECTION, version, payload }] });
      case "replaceStale": {
        const stale = this.#versions.otherThan(view.version) ?? "none";
        return change({ replace: [{ ...PROJECTION, version: stale, payload }] });
      }
      case "delete":
        return change({ delete: [{ ...PROJECTION, version }] });
      default:
        throw new Error(`${call} is no request`);
    }
  }

  /** @param found the content that the reference found, which gives new IDs their numbers */
  #outcomeOf(call: CallName, answer: Answer | undefined, found: unknown): Outcome {
    if (answer === undefined) return GONE;
    const { status, headers, text } = answer;
    const numbers = (found ?? {}) as Readonly<Record<string, unknown>>;
    const store = this.#stores.numberOf(headers.get("x-service-store"), numbers["store"]);
    if (status >= 400) {
      const { error, message } = JSON.parse(text) as { error: string; message?: string };
      return {
        status,
        error,
        ...status === 409 && message !== undefined ? { message } : {},
        ...store === undefined ? {} : { found: { store } },
      };
    }
    if (text === "") return { status };
    switch (call) {
      case "begin":
        return { status, found: this.#take(text) };
      case "read":
        return { status, found: { store, lines: linesOf(text) } };
      case "get": {
        const version = this.#versions.numberOf(headers.get("x-service-version"), numbers["version"]);
        return { status, found: { store, version, payload: text } };
      }
      case "create":
      case "replace":
      case "delete":
      case "plainWrite":
        return { status, found: this.#changesOf(text, numbers) };
      default:
        return { status, found: sequencesOf(text) };
    }
  }

  #take(text: string): string {
    const { ticket, ...rest } = JSON.parse(text) as { ticket: string };
    assert.match(ticket, UUID);
    assert.deepEqual([rest, this.#tickets.includes(ticket)], [{}, false]);
    this.#tickets.push(ticket);
    return "a ticket";
  }

  #changesOf(text: string, numbers: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const changes: Record<string, unknown> = {};
    for (
      const [list, versions] of Object.entries(JSON.parse(text) as Record<string, { version: string }[]>)
    ) {
      assert.ok(list === "create" || list === "replace", text);
      for (const { version } of versions) changes[list] = this.#versions.numberOf(version, numbers[list]);
    }
    return changes;
  }
}

function inOrder(outcomes: ReadonlyMap<number, Outcome>): unknown {
  return [...outcomes].toSorted(([a], [b]) => a - b);
}

function sequencesOf(text: string): number[] {
  const { events } = JSON.parse(text) as { events: { sequence: number; time: string }[] };
  for (const { time } of events) assert.match(time, TIMESTAMP);
  return events.map(({ sequence }) => sequence);
}
