import { Conflict, EventStoreError, StoreReset } from "./errors.ts";
import type { Position, StoredEvent, TypeOf } from "./events.ts";
import { follow } from "./follow.ts";
import { initialState } from "./initial_state.ts";
import { KeptRows, type Row } from "./kept_rows.ts";
import { listProjections } from "./list_projections.ts";
import { listOf, type OneOrMore } from "./one_or_more.ts";
import { getProjection, pathOf, Projections } from "./projections.ts";
import { asPayload, fromPayload, type ProjectOptions, SEQUENCES_MAX, writeProjections } from "./projector.ts";
import type { OnlyKnownKeys, Query, SelectedType } from "./queries.ts";
import { isPassing, retriesFor } from "./retries.ts";
import type { Server } from "./server.ts";

/**
 * The ID of the checkpoint, a projection of the same type as the rows. So who deletes the type begins the projector
 * anew, and checkpoint and rows cannot be lost separately.
 */
const CHECKPOINT = "_checkpoint";

/** The most rows that one write changes. */
const ROWS_MAX = 100;

/** Rows that are computed from events: a state for each key, such as for each course. */
export interface RowModel<Events extends object, State> {
  /** Selects the events that are applied. */
  readonly query: Query<Events>;
  /** The keys of the rows that an event changes, if any. A key is the ID of a projection. */
  readonly key: (event: StoredEvent<Events>) => OneOrMore<string> | undefined;
  /** The state of a row before its first event, as in a `DecisionModel`. */
  readonly initial: State | (() => State);
  /** Returns the state of a row after an event. `undefined` deletes the row. */
  readonly apply: (state: State, event: StoredEvent<Events>, key: string) => State | undefined;
}

/** A model of rows that is written in a call: with `apply`, or with `on`. The compiler infers the exact query. */
export interface GivenRowModel<Events extends object, State, Q extends Query<Events> = Query<Events>>
  extends Omit<RowModel<Events, State>, "query" | "key" | "apply"> {
  /** Selects the events that are applied. The types that it names narrow the event of `key` and of `apply`. */
  readonly query: Q & OnlyKnownKeys<Events, Q>;
  /** The keys of the rows that an event changes, if any. A key is the ID of a projection. */
  readonly key: (event: StoredEvent<Events, SelectedType<Events, Q>>) => OneOrMore<string> | undefined;
  /** Returns the state of a row after an event. `undefined` deletes the row. */
  readonly apply?: (
    state: State,
    event: StoredEvent<Events, SelectedType<Events, Q>>,
    key: string,
  ) => State | undefined;
  /** Instead of `apply`: returns the state of a row after an event, by its type. `undefined` deletes the row. */
  readonly on?: {
    readonly [Type in TypeOf<Events>]?: (
      state: State,
      event: StoredEvent<Events, Type>,
      key: string,
    ) => State | undefined;
  };
}

/** Rows that one write has changed, and the position up to which events are applied to all rows. */
export interface ProjectedRows<State> {
  /** States by key. A row that was deleted has the state `undefined`. Empty at the start. */
  readonly rows: ReadonlyMap<string, State | undefined>;
  /** The position up to which events are applied. */
  readonly checkpoint: Position;
}

/** Events in order, each with the keys of its rows, and all of these keys. */
interface Part<Events extends object> {
  readonly events: (readonly [event: StoredEvent<Events>, keys: ReadonlySet<string>])[];
  readonly keys: Set<string>;
  /** The position after these events. */
  end: Position;
}

/** Applies every event once, and writes the rows that it changes together with the checkpoint. */
export async function* projectRows<Events extends object, State>(
  server: Server,
  name: string,
  model: RowModel<Events, State>,
  options: ProjectOptions,
): AsyncGenerator<ProjectedRows<State>, never> {
  const { signal } = options;
  const retries = retriesFor(server, signal, true);
  let version: string | undefined;
  let voidVersion: string | undefined;
  for (;;) {
    try {
      // The stored rows count: another copy may have written some, or a write whose answer was lost.
      let found = await getProjection(server, pathOf(name, CHECKPOINT), { signal });
      if (found && found.version === voidVersion) {
        await new Projections(server).deleteType(name, { signal });
        found = undefined;
      }
      if (!found) await mustBeUnused(server, name, signal);
      version = found?.version;
      let from = found && fromPayload<{ readonly checkpoint: Position }>(server, found.payload).checkpoint;
      if (from) yield { rows: new Map(), checkpoint: from };
      const kept = new KeptRows<State>(server, name, !found);
      for await (const { events, checkpoint } of follow(server, model.query, { ...options, from })) {
        if (events.length === 0 && checkpoint.sequence - (from?.sequence ?? 0) < SEQUENCES_MAX) continue;
        for (const part of partsOf(events, checkpoint, model)) {
          const rows = await kept.take(part.keys, signal);
          const states = applyTo(rows, part, model);
          version = await writeRows(server, name, rows, { version, checkpoint: part.end }, signal);
          from = part.end;
          retries.reset();
          yield { rows: states, checkpoint: from };
        }
      }
    } catch (error) {
      // All rows are from a history that is gone. If another copy deletes them first, the version differs.
      if (error instanceof StoreReset) voidVersion = version;
      else await retries.after(error, error instanceof Conflict || isPassing(error));
    }
  }
}

/** Rows without a checkpoint are not those of a projector. */
async function mustBeUnused(server: Server, name: string, signal: AbortSignal | undefined): Promise<void> {
  for await (const { id } of listProjections(server, { type: name, limit: 1, signal })) {
    // Another copy may have begun since.
    if (await getProjection(server, pathOf(name, CHECKPOINT), { signal })) continue;
    const message = `projector "${name}": there is a projection of this type already, "${id}":` +
      " delete those of the type, or give the projector another name";
    throw new EventStoreError({ code: "NameInUse", message });
  }
}

/**
 * Splits events into parts of at most `ROWS_MAX` rows each. The last part ends at the checkpoint, and may have no
 * events.
 */
function* partsOf<Events extends object>(
  events: readonly StoredEvent<Events>[],
  checkpoint: Position,
  { key }: Pick<RowModel<Events, unknown>, "key">,
): Generator<Part<Events>> {
  let part: Part<Events> = { events: [], keys: new Set(), end: checkpoint };
  for (const event of events) {
    const keys = new Set(listOf(key(event) ?? []));
    if (keys.has(CHECKPOINT)) throw new TypeError(`a row cannot have the key "${CHECKPOINT}"`);
    const added = [...keys].filter((one) => !part.keys.has(one));
    if (part.events.length && part.keys.size + added.length > ROWS_MAX) {
      yield part;
      part = { events: [], keys: new Set(), end: checkpoint };
    }
    part.events.push([event, keys]);
    part.end = { ...checkpoint, sequence: event.sequence };
    for (const one of keys) {
      // A key that no path can hold could be written, and never be read again.
      pathOf(CHECKPOINT, one);
      part.keys.add(one);
    }
  }
  yield { ...part, end: checkpoint };
}

/** Applies the events of a part to its rows, and returns their states. */
function applyTo<Events extends object, State>(
  rows: ReadonlyMap<string, Row<State>>,
  { events }: Part<Events>,
  model: RowModel<Events, State>,
): Map<string, State | undefined> {
  for (const [event, keys] of events) {
    for (const key of keys) {
      const row = rows.get(key)!;
      row.state = model.apply(row.state === undefined ? initialState(model) : row.state, event, key);
    }
  }
  return new Map([...rows].map(([key, { state }]) => [key, state]));
}

/** Writes rows and the checkpoint, provided that it still has its version. Returns the new version. */
async function writeRows<State>(
  server: Server,
  name: string,
  rows: ReadonlyMap<string, Row<State>>,
  { version, checkpoint }: { readonly version: string | undefined; readonly checkpoint: Position },
  signal: AbortSignal | undefined,
): Promise<string> {
  const own: Row<unknown> = { version, state: { checkpoint } };
  const all: [id: string, row: Row<unknown>][] = [...rows, [CHECKPOINT, own]];
  const stored = all.filter(([, { state }]) => state !== undefined);
  const [created, replaced] = [
    stored.filter(([, row]) => !row.version),
    stored.filter(([, row]) => row.version),
  ];
  const deleted = all.filter(([, { state, version }]) => state === undefined && version);
  const written = ([id, { version, state }]: typeof all[number]) => (
    { type: name, id, version: version!, payload: asPayload(server, state) }
  );
  const { create, replace } = await writeProjections(
    server,
    name,
    {
      create: created.map(written),
      replace: replaced.map(written),
      delete: deleted.map(([id, { version }]) => ({ type: name, id, version: version! })),
    },
    (id) => `row "${id}"`,
    signal,
  );
  for (const [i, [, row]] of created.entries()) row.version = create[i]!.version;
  for (const [i, [, row]] of replaced.entries()) row.version = replace[i]!.version;
  for (const [, row] of deleted) row.version = undefined;
  return own.version!;
}
