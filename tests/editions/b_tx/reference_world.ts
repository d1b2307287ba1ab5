import assert from "node:assert/strict";
import { ReferenceStore, type WireWrite } from "../a_write/reference.ts";
import { ReferenceTx } from "./reference.ts";

export const CALLS = [
  "begin",
  "read",
  "readNone",
  "write",
  "writeNothing",
  "getPresent",
  "getMissing",
  "createPresent",
  "createMissing",
  "replacePresent",
  "replaceMissing",
  "deletePresent",
  "deleteMissing",
  "commit",
  "abandon",
  "outside",
] as const;

/**
 * One call of a sequence. There are two projections: "Present" is in the store at first, "Missing" is not. "outside"
 * is another client that writes a matching event and changes both projections.
 */
export type CallName = (typeof CALLS)[number];

interface Outcome {
  readonly status: number;
  readonly error?: string;
  /** Set for conflicts only. The messages of broken rules are not compared. */
  readonly message?: string;
  /** The payload that a read returned, or the payloads of events. Own events have a + in front. */
  readonly found?: string | readonly string[];
}

/** Sends a request to an implementation of edition B. */
export type Send = (method: string, path: string, json?: unknown) => Promise<Answer>;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Names that belong to one run of a sequence, so that many runs can use one store. */
export interface Names {
  readonly eventType: string;
  readonly projectionType: string;
}

/** An implementation of edition B that serves the calls of one sequence. */
export interface Subject {
  readonly names: Names;
  readonly send: Send;
  /** Writes a matching event and changes both projections, as another client. */
  readonly outside: (payload: string) => Promise<void>;
}

const IDS = ["Present", "Missing"] as const;
const ENDED: Outcome = { status: 404, error: "TransactionNotFound" };
const BROKEN: Outcome = { status: 400, error: "InvalidRequest" };
const NO_CHANGES: WireWrite["projections"] = { create: [], replace: [], delete: [] };

/** The payload that the call at this index of a sequence writes. */
function payloadOf(place: number): string {
  return `payload ${place}`;
}

/** The reference as the subject of the same calls: a store, and one transaction at a time. */
export class ReferenceWorld {
  readonly #names: Names;
  readonly #store = new ReferenceStore();
  #versions = 0;
  #tx: ReferenceTx | undefined;

  constructor(names: Names) {
    this.#names = names;
    this.#append("first", { ...NO_CHANGES, create: [this.#projection("Present", "stored")] });
  }

  get transactionIsOpen(): boolean {
    return this.#tx !== undefined;
  }

  /** The content of the store: the payloads of the events and of the two projections. */
  get content(): { events: readonly string[]; present: string | undefined; missing: string | undefined } {
    const [present, missing] = IDS.map((id) => this.#store.projection(this.#projection(id))?.payload);
    return { events: this.#store.events.map(({ payload }) => payload), present, missing };
  }

  perform(call: CallName, place: number): Outcome {
    switch (call) {
      case "begin": {
        const none = Infinity;
        this.#tx = new ReferenceTx("", { events: none, reads: none, projections: none });
        return { status: 200 };
      }
      case "outside": {
        const create = IDS.map((id) => this.#projection(id, payloadOf(place)));
        this.#append(payloadOf(place), { ...NO_CHANGES, create });
        return { status: 200 };
      }
      case "abandon":
        this.#tx = undefined;
        return { status: 204 };
    }
    if (this.#tx === undefined) return ENDED;
    const outcome = this.#perform(this.#tx, call, payloadOf(place));
    if (outcome.status !== 200 && outcome.error !== "ProjectionNotFound") this.#tx = undefined;
    return outcome;
  }

  #perform(
    tx: ReferenceTx,
    call: Exclude<CallName, "begin" | "outside" | "abandon">,
    payload: string,
  ): Outcome {
    switch (call) {
      case "read":
      case "readNone": {
        const lines = tx.read(call === "read" ? [{ types: [this.#names.eventType] }] : "none", this.#store);
        if (typeof lines === "string") return BROKEN;
        const found = lines.map((line) => "sequence" in line ? line.payload : `+${line.payload}`);
        return { status: 200, found };
      }
      case "write":
      case "writeNothing": {
        const events = call === "write" ? [this.#event(payload)] : [];
        if (tx.write(events) !== undefined) return BROKEN;
        tx.wrote(events, "");
        return { status: 200 };
      }
      case "commit":
        return this.#commit(tx);
    }
    const [, kind, id] = /^([a-z]+)(Present|Missing)$/.exec(call)! as unknown as [
      string,
      "get" | keyof typeof NO_CHANGES,
      typeof IDS[number],
    ];
    const item = this.#projection(id, payload);
    if (kind !== "get") {
      return tx.change({ create: [], replace: [], delete: [], [kind]: [item] }) === undefined
        ? { status: 200 }
        : BROKEN;
    }
    const found = tx.get(item.type, id, this.#store);
    if (typeof found === "string") return BROKEN;
    if (found.payload === null) return { status: 404, error: "ProjectionNotFound" };
    return { status: 200, found: found.payload };
  }

  #commit(tx: ReferenceTx): Outcome {
    if (tx.conditionIsOpen) return BROKEN;
    const conflict = tx.conflictWith(this.#store);
    if (conflict !== undefined) {
      return { status: 409, error: "ConcurrencyException", message: conflict.message };
    }
    tx.commitTo(this.#store, () => this.#newVersion());
    return { status: 204 };
  }

  #append(payload: string, projections: WireWrite["projections"]): void {
    const versions = projections.create.map(() => ({ version: this.#newVersion() }));
    this.#store.apply({ events: [this.#event(payload)], conditions: [], projections }, {
      events: [],
      projections: { create: versions, replace: [] },
    });
  }

  #newVersion(): string {
    return `v${++this.#versions}`;
  }

  #event(payload: string): WireWrite["events"][number] {
    return { type: this.#names.eventType, identifiers: {}, metadata: {}, payload };
  }

  #projection(id: typeof IDS[number], payload = ""): { type: string; id: string; payload: string } {
    return { type: this.#names.projectionType, id, payload };
  }
}

/** Sends the calls to the subject and to the reference, and compares every answer. */
export async function compareWithReference(subject: Subject, calls: readonly CallName[]): Promise<void> {
  const reference = new ReferenceWorld(subject.names);
  let txId = "00000000-0000-4000-8000-000000000000";
  for (const [place, call] of calls.entries()) {
    const expected = reference.perform(call, place);
    let outcome: Outcome;
    if (call === "outside") {
      await subject.outside(payloadOf(place));
      outcome = { status: 200 };
    } else {
      const answer = await subject.send(...requestOf(call, subject.names, txId, payloadOf(place)));
      if (call === "begin" && answer.status === 200) txId = JSON.parse(answer.text).txId as string;
      outcome = outcomeOf(call, answer);
    }
    assert.deepEqual(outcome, expected, `${calls.slice(0, place + 1).join(", ")}`);
  }
  await subject.send("DELETE", `/tx/${txId}`);
  if (calls.at(-1) !== "commit") return;
  assert.deepEqual(await contentOf(subject), reference.content, `the store after ${calls.join(", ")}`);
}

type Request = [method: string, path: string, json?: unknown];

function requestOf(
  call: Exclude<CallName, "outside">,
  { eventType, projectionType }: Names,
  txId: string,
  payload: string,
): Request {
  const path = `/tx/${txId}`;
  switch (call) {
    case "begin":
      return ["POST", "/tx"];
    case "read":
      return ["QUERY", `${path}/events`, { query: [{ types: [eventType] }] }];
    case "readNone":
      return ["QUERY", `${path}/events`, { query: "none" }];
    case "write":
      return ["POST", `${path}/events`, { events: [{ type: eventType, payload }] }];
    case "writeNothing":
      return ["POST", `${path}/events`, { events: [] }];
    case "commit":
      return ["POST", `${path}/commit`];
    case "abandon":
      return ["DELETE", path];
  }
  const [, kind = "", id = ""] = /^([a-z]+)(Present|Missing)$/.exec(call) ?? [];
  if (kind === "get") return ["GET", `${path}/projections/${projectionType}/${id}`];
  const key = { type: projectionType, id };
  return ["POST", `${path}/projections`, { [kind]: [kind === "delete" ? key : { ...key, payload }] }];
}

function outcomeOf(call: CallName, { status, text }: Answer): Outcome {
  if (status >= 400) {
    const { error, message = "" } = JSON.parse(text) as { error: string; message?: string };
    return status === 409 ? { status, error, message } : { status, error };
  }
  if (call === "read" || call === "readNone") return { status, found: payloadsOf(text) };
  if (call.startsWith("get")) return { status, found: text };
  return { status };
}

function payloadsOf(ndjson: string): string[] {
  const lines = ndjson.split("\n");
  assert.deepEqual(lines.slice(-2), ['{"end":true}', ""], "trailer");
  return lines.slice(0, -2).map((line) => {
    const { sequence, payload } = JSON.parse(line) as { sequence?: number; payload: string };
    return sequence === undefined ? `+${payload}` : payload;
  });
}

/** Reads the content of the store in a later transaction. */
async function contentOf({ names, send }: Subject): Promise<ReferenceWorld["content"]> {
  const txId = JSON.parse((await send("POST", "/tx")).text).txId as string;
  const projection = async (id: string): Promise<string | undefined> => {
    const { status, text } = await send("GET", `/tx/${txId}/projections/${names.projectionType}/${id}`);
    return status === 404 ? undefined : text;
  };
  const content = {
    present: await projection("Present"),
    missing: await projection("Missing"),
    events: payloadsOf((await send(...requestOf("read", names, txId, ""))).text),
  };
  await send("DELETE", `/tx/${txId}`);
  return content;
}
