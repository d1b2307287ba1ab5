import assert from "node:assert/strict";
import { mirror, type MirrorProgress } from "../../../client/mirror/mod.ts";
import { type EventStore, EventStoreError } from "../../../client/mod.ts";
import { eventually, pause } from "../../support/eventually.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { type Connection, insert, type NoteEvents, notes } from "./places.ts";
import { startMirror } from "./process.ts";
import { note, storeOf } from "../support.ts";

/* The promises of a mirror, which hold on SQLite and on PostgreSQL. */

/** A server with an empty store, and an empty database. */
export interface MirrorPlaces {
  readonly server: ServerProcess;
  /** The path of the file, or the URL. */
  readonly place: string;
  connect(): Promise<Connection>;
}

const isLong = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1";
const END = { stopAtEnd: true };
const SHOWN = "SELECT text FROM notes";
const TABLES = "SELECT table_name FROM eventstore_mirrors ORDER BY build";

const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

const clientOf = (server: ServerProcess): EventStore<NoteEvents> => storeOf<NoteEvents>(server);

export const MIRROR_CONTRACT: Readonly<Record<string, (places: MirrorPlaces) => Promise<void>>> = {
  async "a mirror applies events once, and continues from its checkpoint"({ server, connect }) {
    const store = clientOf(server);
    await using first = await connect();
    await store.append([note("0"), note("1")]);
    const progress: MirrorProgress[] = [];
    const onProgress = (now: MirrorProgress): void => void progress.push(now);
    const checkpoint = await mirror(store, first.database, notes(), { ...END, onProgress });
    assert.deepEqual(checkpoint, await store.head());
    assert.deepEqual(progress, [{ table: "notes_1", checkpoint, events: 2, isPublic: true }]);
    assert.deepEqual(await first.column(SHOWN), ["0", "1"]);

    await using second = await connect();
    const stop = new AbortController();
    const running = mirror(store, second.database, notes(), { signal: stop.signal });
    await store.append(note("2"));
    await eventually(async () => assert.deepEqual(await first.column(SHOWN), ["0", "1", "2"]));
    stop.abort(new Error("enough"));
    await assert.rejects(running, /^Error: enough$/);
  },

  async "an error of apply undoes its transaction"({ server, connect }) {
    const store = clientOf(server);
    await using connection = await connect();
    await store.append([note("0"), note("1")]);
    const failing = notes("1", async (...args) => {
      await insert(...args);
      throw new RangeError("a bug");
    });
    await assert.rejects(mirror(store, connection.database, failing, END), new RangeError("a bug"));
    assert.deepEqual(await connection.column(SHOWN), []);
    await mirror(store, connection.database, notes(), END);
    assert.deepEqual(await connection.column(SHOWN), ["0", "1"]);
  },

  async "a new version is built next to the old table, which is shown until the end"({ server, connect }) {
    const store = clientOf(server);
    await using connection = await connect();
    await using reader = await connect();
    await store.append([note("0"), note("1")]);
    await mirror(store, connection.database, notes("1"), END);
    const shown: unknown[][] = [];
    const next = notes("2", async (database, events, table) => {
      await database.run(`INSERT INTO ${table} VALUES ('new')`);
      shown.push(await reader.column(SHOWN), events.map(({ sequence }) => sequence));
    });
    await mirror(store, connection.database, next, END);
    assert.deepEqual(shown, [["0", "1"], [1, 2]]);
    assert.deepEqual(await reader.column(SHOWN), ["new"]);
    assert.deepEqual(await reader.column(TABLES), ["notes_2"]);
    await assert.rejects(reader.column("SELECT * FROM notes_1"), /notes_1/);
  },

  async "a build that was broken off continues"({ server, connect }) {
    const store = clientOf(server);
    await using connection = await connect();
    await store.append([note("0")]);
    await mirror(store, connection.database, notes("1"), END);
    await store.append(Array.from({ length: 99 }, (_, i) => note(String(i + 1))));
    const first: number[] = [];
    const broken = notes("2", (_, events) => {
      first.push(events.length);
      throw new Error("broken off");
    });
    await assert.rejects(mirror(store, connection.database, broken, END), /broken off/);
    assert.deepEqual(await connection.column(TABLES), ["notes_1", "notes_2"]);
    await mirror(store, connection.database, notes("2"), END);
    assert.deepEqual(await connection.column(SHOWN), texts(100));
  },

  async "a process with an earlier version ends when a later one has replaced its table"(
    { server, connect },
  ) {
    const store = clientOf(server);
    await using old = await connect();
    await using now = await connect();
    await store.append([note("0")]);
    const shown = Promise.withResolvers<void>();
    const running = mirror(store, old.database, notes("1"), { onProgress: () => shown.resolve() });
    const ended = assert.rejects(running, (error) => {
      assert.ok(error instanceof EventStoreError);
      assert.equal(error.message, 'mirror "notes": version "1" was replaced by notes_2');
      return error.code === "MirrorReplaced";
    });
    await shown.promise;
    await mirror(store, now.database, notes("2"), END);
    await store.append([note("1")]);
    await ended;
    await mirror(store, now.database, notes("2"), END);
    assert.deepEqual(await now.column(SHOWN), ["0", "1"]);
  },

  async "after a reset, the rows of the new store replace the old ones at the end"({ server, connect }) {
    const store = clientOf(server);
    await using connection = await connect();
    await store.append([note("old 1"), note("old 2")]);
    const stop = new AbortController();
    const running = mirror(store, connection.database, notes(), { waitSeconds: 1, signal: stop.signal });
    await using reader = await connect();
    await eventually(async () => assert.equal((await reader.column(SHOWN)).length, 2));
    await server.client().reset();
    await store.append([note("new")]);
    await eventually(async () => assert.deepEqual(await reader.column(SHOWN), ["new"]));
    assert.deepEqual(await reader.column(TABLES), ["notes_1_build_2"]);
    stop.abort();
    await running.catch(() => {});
    // The name of the first table is free again.
    await server.client().reset();
    await mirror(store, connection.database, notes(), END);
    assert.deepEqual(await reader.column(SHOWN), []);
    assert.deepEqual(await reader.column(TABLES), ["notes_1"]);
  },

  async "a table that has the name of the view stays, with an error"({ server, connect }) {
    await using connection = await connect();
    await connection.database.run("CREATE TABLE notes (text TEXT)");
    const running = mirror(clientOf(server), connection.database, notes(), END);
    await assert.rejects(running, /^Error: mirror "notes": cannot create a view with its name: /);
    assert.deepEqual(await connection.column(SHOWN), []);
  },

  async "two copies, one of which is killed again and again, apply each event once"(
    { server, place, connect },
  ) {
    const store = clientOf(server);
    await using reader = await connect();
    const [kills, perRound] = isLong ? [60, 40] : [3, 40];
    const mirrors = [startMirror(server.address, place), startMirror(server.address, place)];
    let count = 0;
    try {
      for (let round = 1; round <= kills; round++) {
        const writing = (async () => {
          for (let i = 0; i < perRound; i++) await store.append(note(String(count++)));
        })();
        const enough = round * perRound - Math.ceil(perRound / 2);
        await eventually(async () => assert.ok((await reader.column(SHOWN)).length >= enough), 30);
        await pause(20 * Math.random());
        await mirrors.shift()!.kill();
        mirrors.push(startMirror(server.address, place));
        await writing;
      }
      await eventually(async () => assert.equal((await reader.column(SHOWN)).length, count), 30);
    } finally {
      for (const running of mirrors) await running.kill();
    }
    assert.deepEqual(await reader.column(SHOWN), texts(count));
  },
};
