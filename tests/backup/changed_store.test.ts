import assert from "node:assert/strict";
import { join } from "node:path";
import type { Database } from "../../src/store/sqlite/connection/database.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/server_process.ts";
import { change } from "./made_backup.ts";
import { assertFailed, BackupDirectories, event, verify } from "./run_backup.ts";
import { copyKeys, ofStudent, SUBJECTS } from "./sealed_source.ts";

/* A changed bit in the file of a store with subjects: what names it, while the server runs. */

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const changed = bytes.slice();
  changed[at]! ^= 1;
  return changed;
}

/** Changes one bit in the body of an event, at the n-th character after a text. */
function flipBody(db: Database, sequence: bigint, after: string, n: number): void {
  const body = db.get("SELECT body FROM event WHERE sequence = ?", sequence)![0] as string;
  const at = body.indexOf(after) + after.length + n;
  const changed = String.fromCharCode(body.charCodeAt(at) ^ 1);
  db.run(
    "UPDATE event SET body = ? WHERE sequence = ?",
    body.slice(0, at) + changed + body.slice(at + 1),
    sequence,
  );
}

const DAMAGED = /the encrypted payload of event 1 is damaged/;
const CHANGED_KEY = /the key [A-Za-z0-9_-]{16} was changed: its ID is not the hash of its bytes/;

interface Change {
  readonly what: string;
  readonly make: (db: Database) => void;
  /** The log when all events are read; without it, they are read. */
  readonly log?: RegExp;
  /** The message of `keys`; without it, the keys are copied. */
  readonly keys?: RegExp;
  /** The message of `verify --against-source`; without it, the events are equal. */
  readonly source?: RegExp;
}

const CHANGES: readonly Change[] = [
  {
    what: "an encrypted payload",
    make: (db) => flipBody(db, 1n, '"data":"', 30),
    log: DAMAGED,
    source: /event 1 differs from the source/,
  },
  {
    what: "a plain payload",
    make: (db) => flipBody(db, 2n, '"payload":"', 0),
    source: /event 2 differs from the source/,
  },
  {
    what: "a key",
    make: (db) => {
      // The middle of the stored form is the key itself.
      const key = db.get("SELECT key FROM subject_key WHERE row = 1")![0] as Uint8Array;
      db.run("UPDATE subject_key SET key = ? WHERE row = 1", flipped(key, 40));
    },
    log: DAMAGED,
    keys: CHANGED_KEY,
  },
  {
    what: "the ID of a key",
    make: (db) => {
      const id = db.get("SELECT id FROM subject WHERE key_row = 1")![0] as string;
      db.run("UPDATE subject SET id = ? WHERE id = ?", `${id[0] === "A" ? "B" : "A"}${id.slice(1)}`, id);
    },
    keys: CHANGED_KEY,
  },
];

for (const { what, make, log, keys, source } of CHANGES) {
  Deno.test(`a changed bit in ${what} of a store is named`, async () => {
    await using server = await startServer({ env: SUBJECTS });
    await server.client().append(ofStudent("s1"), event("plain"), ofStudent("s2"));
    using place = new BackupDirectories(server.address);
    assert.equal((await place.run()).code, 0);
    await copyKeys(place);
    assert.equal((await server.stop()).code, 0);
    change(server.databasePath, make);
    await server.start();

    const { status } = await server.client().request("QUERY", "/events", { json: { query: "*" } });
    assert.equal(status, log === undefined ? 200 : 500);
    if (log !== undefined) await eventually(() => assert.match(server.stderr, log));
    const copied = await place.run({ args: ["keys", "--output", join(place.directory, "again.ndjson")] });
    if (keys === undefined) assert.deepEqual([copied.code, copied.stderr], [0, ""]);
    else assertFailed(copied, 1, keys);
    const { code, stdout } = await verify(place, "--against-source");
    assert.equal(code, source === undefined ? 0 : 1);
    if (source !== undefined) assert.match(stdout, source);
  });
}
