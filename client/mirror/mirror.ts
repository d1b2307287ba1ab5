import { StoreReset } from "../errors.ts";
import type { EventReader } from "../event_reader.ts";
import type { Position, StoredEvent } from "../events.ts";
import { SEQUENCES_MAX } from "../projector.ts";
import { retriesFor } from "../retries.ts";
import type { Server } from "../server.ts";
import { walk } from "../walk.ts";
import { type Build, Builds } from "./builds.ts";
import { inTransaction, type MirrorDatabase } from "./database.ts";
import { assertModel, type MirrorModel, type MirrorOptions } from "./mirror_model.ts";

/** A transaction is written after so many events, and at the end of the store. */
const EVENTS_MAX = 5000;

const WAIT_SECONDS = 25;

/** Another copy of the mirror was faster. */
class Moved extends Error {}

/**
 * Keeps a table of your own SQLite or PostgreSQL database up to date with the events. Rows and checkpoint change in
 * one transaction of that database. So each event is applied exactly once, whatever happens, even if two copies run.
 *
 * You query a view with the name of the mirror. When its version changes, or after a reset of the store, a new table
 * is built. Meanwhile the view shows the old one; at the end it shows the new one, and the old one is dropped.
 *
 * It repeats reads, and transactions that lose against others, and ends with the signal or with another error. All
 * editions.
 * @returns the position up to which events are applied, with `stopAtEnd`
 * @throws `EventStoreError` with the code `MirrorReplaced` when the view shows a later version that another process
 * has built
 * @throws {TypeError} when `name` or `version` is no part of a table's name; and the errors of `apply`, the database
 * and `follow`
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { EventStore } from "eventstore-client";
 * import { mirror, sqlite } from "eventstore-client/mirror";
 *
 * const store = new EventStore({ url: "http://127.0.0.1:8085" });
 * await store.append({ type: "SeatTaken", identifiers: { show: "s1" }, payload: {} });
 * const database = new DatabaseSync(":memory:");
 * await mirror(store, sqlite(database), {
 *   name: "seats",
 *   version: "1",
 *   query: { types: ["SeatTaken"] },
 *   create: (table) => `CREATE TABLE ${table} (sequence INTEGER PRIMARY KEY, show TEXT)`,
 *   apply(database, events, table) {
 *     for (const { sequence, identifiers } of events) {
 *       database.run(`INSERT INTO ${table} VALUES (?, ?)`, [sequence, String(identifiers["show"])]);
 *     }
 *   },
 * }, { stopAtEnd: true });
 * console.log(database.prepare("SELECT show, count(*) AS taken FROM seats GROUP BY show").all());
 * ```
 */
export async function mirror<Events extends object, Database extends MirrorDatabase>(
  store: EventReader<Events>,
  database: Database,
  model: MirrorModel<Events, Database>,
  options: MirrorOptions = {},
): Promise<Position> {
  assertModel(model);
  const parts = { server: store["server"], database, model, options, builds: new Builds(database, model) };
  const retries = retriesFor(parts.server, options.signal, true);
  let build: Build | undefined;
  let isVoid = false;
  for (;;) {
    try {
      options.signal?.throwIfAborted();
      build = await parts.builds.open(build, isVoid);
      isVoid = false;
      return await fill({ ...parts, build }, retries.reset);
    } catch (error) {
      if (error instanceof StoreReset) isVoid = true;
      else await retries.after(error, error instanceof Moved || database.isPassing?.(error) === true);
    }
  }
}

/** A mirror that fills one of its tables. */
interface Filling<Events extends object, Database extends MirrorDatabase> {
  readonly server: Server;
  readonly database: Database;
  readonly model: MirrorModel<Events, Database>;
  readonly options: MirrorOptions;
  readonly builds: Builds;
  readonly build: Build;
}

/** Applies all further events. It reads the next ones while the database works. */
async function fill<Events extends object, Database extends MirrorDatabase>(
  filling: Filling<Events, Database>,
  onWritten: () => void,
): Promise<Position> {
  const { server, model, options: { signal, limit, waitSeconds = WAIT_SECONDS, stopAtEnd }, build } = filling;
  const stop = new AbortController();
  const range = { after: build.checkpoint, limit, waitSeconds };
  const either = AbortSignal.any([stop.signal, ...signal ? [signal] : []]);
  const steps = walk(server, model.query, range, either, true);
  const read = (): ReturnType<typeof steps.next> => {
    const next = steps.next();
    // It may fail while the database works. The error is thrown when the events are needed.
    next.catch(() => {});
    return next;
  };
  try {
    let events: StoredEvent<Events>[] = [];
    for (let next = read();;) {
      const { events: more, position, isEnd } = (await next).value;
      next = read();
      events.push(...more);
      const moved = position.sequence - (build.checkpoint?.sequence ?? 0);
      const isDue = events.length > 0 || !build.isPublic || moved >= SEQUENCES_MAX || stopAtEnd && moved > 0;
      if (events.length >= EVENTS_MAX || isEnd && isDue) {
        await write(filling, events, position, isEnd);
        onWritten();
        events = [];
      }
      if (isEnd && stopAtEnd) return position;
    }
  } finally {
    stop.abort();
  }
}

/** Applies events in a transaction. At the end of the store, the build becomes the one that is shown. */
async function write<Events extends object, Database extends MirrorDatabase>(
  { database, model, options, builds, build }: Filling<Events, Database>,
  events: readonly StoredEvent<Events>[],
  checkpoint: Position,
  isEnd: boolean,
): Promise<void> {
  const isPublic = build.isPublic || isEnd;
  await inTransaction(database, async () => {
    // First the checkpoint, so that a slower copy waits or stops here.
    if (!await builds.move(build, checkpoint)) throw new Moved("another copy of the mirror was faster");
    if (events.length) await model.apply(database, events, build.table);
    if (isPublic && !build.isPublic) await builds.show(build);
  });
  Object.assign(build, { checkpoint, isPublic });
  options.onProgress?.({ table: build.table, checkpoint, events: events.length, isPublic });
}
