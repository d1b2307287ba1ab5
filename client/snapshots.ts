import type { DecisionModel } from "./decision_model.ts";
import { StoreReset } from "./errors.ts";
import type { Position, StoredEvent } from "./events.ts";
import { initialState } from "./initial_state.ts";
import { getProjection, pathOf } from "./projections.ts";
import { asPayload, fromPayload } from "./projector.ts";
import { lossIn } from "./schemas/plain_json.ts";
import type { Server } from "./server.ts";
import { wireQuery } from "./wire.ts";
import { write } from "./writing.ts";

/*
 * A snapshot is a state, and the last event in it. A decision reads this event again, and those after it. The event
 * proves that the history in the snapshot is that of the store: after a reset, or a failover that lost events, another
 * event has its sequence, or none. What was read is the condition of the write, as without a snapshot. So the age of a
 * snapshot does not matter.
 */

/** A state as it is stored. */
interface Snapshot {
  /** The query and the version of the model. A snapshot of another model is void. */
  readonly model: string;
  readonly storeId: string;
  /** The sequence and the time of the last event in the state. */
  readonly sequence: number;
  readonly time: string;
  readonly state?: unknown;
}

type Models<Events extends object> = Readonly<Record<string, DecisionModel<Events, unknown>>>;
type Handler<Result> = (states: Record<string, unknown>, position: Position) => Result;

/** Thrown instead of a decision on a snapshot that does not belong to the history of the store. */
const VOID = new Error("a snapshot is void");

/**
 * Runs a decision on models, some of which have snapshots. Afterwards, it writes those that are due, without waiting
 * for it.
 * @param run decides with the models, from events after the position
 */
export async function withSnapshots<Events extends object, Decision, Result>(
  server: Server,
  models: Models<Events>,
  handler: Handler<Decision>,
  signal: AbortSignal | undefined,
  run: (models: Models<Events>, handler: Handler<Decision>, after?: Position) => Promise<Result>,
): Promise<Result> {
  const kept = new Map<string, KeptState<Events>>();
  for (const [name, model] of Object.entries(models)) {
    if (model.snapshot) kept.set(name, new KeptState(server, name, model));
  }
  await Promise.all([...kept.values()].map((one) => one.load(signal)));
  const wrapped = { ...models };
  for (const [name, one] of kept) wrapped[name] = one.model;
  let hasBegun = false;
  const upon: Handler<Decision> = (states, position) => {
    for (const one of kept.values()) one.assertValid();
    hasBegun = true;
    for (const [name, one] of kept) one.prepare(states[name], position);
    return handler(states, position);
  };
  const loaded = Object.keys(models).map((name) => kept.get(name)?.found);
  try {
    return await run(wrapped, upon, startOf(loaded));
  } catch (error) {
    // While the handler has not run, nothing was written.
    const isVoid = error === VOID || error instanceof StoreReset && loaded.some(Boolean);
    if (hasBegun || !isVoid) throw error;
    for (const one of kept.values()) one.found = undefined;
    return await run(wrapped, upon);
  } finally {
    for (const one of kept.values()) one.writeIfDue();
  }
}

/** The position before the earliest last event of all snapshots. One model without a snapshot needs all events. */
function startOf(snapshots: readonly (Snapshot | undefined)[]): Position | undefined {
  const storeId = snapshots.find(Boolean)?.storeId;
  const sequence = Math.min(...snapshots.map((snapshot) => snapshot ? snapshot.sequence - 1 : 0));
  return storeId === undefined ? undefined : { storeId, sequence };
}

/** The state of one model, with its snapshot. */
class KeptState<Events extends object> {
  /** The snapshot from which the decision begins. */
  found: Snapshot | undefined;
  /** The model, beginning with the snapshot. */
  readonly model: DecisionModel<Events, unknown>;
  readonly #server: Server;
  readonly #given: DecisionModel<Events, unknown>;
  readonly #type: string;
  readonly #id: string;
  readonly #identity: string;
  #version: string | undefined;
  #isValid = false;
  #hasBegun = false;
  #applied = 0;
  #last: Pick<Snapshot, "sequence" | "time"> | undefined;
  #due: Snapshot | undefined;

  constructor(server: Server, name: string, given: DecisionModel<Events, unknown>) {
    const { name: type, every, version = null } = given.snapshot!;
    if (!type) throw new TypeError(`the model "${name}": snapshot.name is empty`);
    if (!Number.isInteger(every) || every < 1) {
      throw new TypeError(`the model "${name}": snapshot.every is ${every}: give a whole number from 1`);
    }
    if (!isJson(initialState(given))) {
      throw new TypeError(
        `the model "${name}": a state with snapshots must be plain JSON, and initial is not`,
      );
    }
    this.#server = server;
    this.#given = given;
    const query = wireQuery(given.query);
    this.#type = `snapshot ${type}`;
    this.#id = hashOf(JSON.stringify(query));
    this.#identity = JSON.stringify([query, version]);
    this.model = {
      query: given.query,
      initial: () => this.#begin(),
      apply: (state, event) => this.#apply(state, event),
    };
  }

  /** Reads the snapshot. Without one, whatever the reason, the decision reads all events. */
  async load(signal: AbortSignal | undefined): Promise<void> {
    try {
      // A repetition would only delay the read of the events, which is repeated itself.
      const once = { ...this.#server, repeat: this.#server.once };
      const stored = await getProjection(once, pathOf(this.#type, this.#id), { signal });
      this.#version = stored?.version;
      const snapshot = stored && fromPayload<Snapshot | null>(this.#server, stored.payload);
      if (snapshot?.model === this.#identity) this.found = snapshot;
    } catch (error) {
      signal?.throwIfAborted();
      this.#report(error);
    }
  }

  /** A decision begins again after a reset only: then the snapshot is void. */
  #begin(): unknown {
    if (this.#hasBegun) this.found = undefined;
    this.#hasBegun = true;
    this.#applied = 0;
    this.#last = this.found;
    return this.found ? structuredClone(this.found.state) : initialState(this.#given);
  }

  #apply(state: unknown, event: StoredEvent<Events>): unknown {
    const { sequence, time } = event;
    if (this.found?.sequence === sequence) this.#isValid = this.found.time === time;
    if (this.found && sequence <= this.found.sequence) return state;
    this.#applied++;
    this.#last = { sequence, time };
    return this.#given.apply(state, event);
  }

  /** @throws VOID when the store does not have the last event in the snapshot */
  assertValid(): void {
    if (this.found && !this.#isValid) throw VOID;
  }

  /** Copies a state that is due, since the handler may change it. */
  prepare(state: unknown, { storeId }: Position): void {
    const { every } = this.#given.snapshot!;
    this.#due = undefined;
    if (!this.#last || this.#applied < every) return;
    if (!isJson(state)) return this.#report(new TypeError("the state is not plain JSON"));
    this.#due = { model: this.#identity, storeId, ...this.#last, state: structuredClone(state) };
  }

  /** Writes the snapshot. The decision does not depend on it, and does not wait for it. */
  writeIfDue(): void {
    if (!this.#due) return;
    const one = { type: this.#type, id: this.#id, payload: asPayload(this.#server, this.#due) };
    const version = this.#version;
    const projections = version ? { replace: [{ ...one, version }] } : { create: [one] };
    const once = { ...this.#server, repeat: this.#server.once };
    write(once, [], { projections }).catch((error) => this.#report(error));
  }

  #report(error: unknown): void {
    this.#given.snapshot!.onError?.(error);
  }
}

/** True if a value is the same after it was JSON. A state may also be undefined. */
function isJson(value: unknown): boolean {
  return value === undefined || !lossIn(value);
}

/** FNV-1a with 64 bits: an ID for a long text. If two models share it, each voids the snapshots of the other. */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
