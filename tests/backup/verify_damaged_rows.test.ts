import assert from "node:assert/strict";
import type { Database } from "../../src/store/sqlite/connection/database.ts";
import { eventTerms } from "../../src/store/core/index_terms.ts";
import { change, makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { okLine, verify } from "./run_backup.ts";

const EVENT = sampleEvents(30);

const terms = (sequence: number): string => eventTerms(EVENT[sequence - 1]!);
const unindex = (db: Database, sequence: number, terms: string): void =>
  db.run(
    "INSERT INTO event_term (event_term, rowid, terms) VALUES ('delete', ?, ?)",
    BigInt(sequence),
    terms,
  );
const index = (db: Database, sequence: number, terms: string): void =>
  db.run("INSERT INTO event_term (rowid, terms) VALUES (?, ?)", BigInt(sequence), terms);

/** Changes to a backup with SQL, and what verify reports about each. */
const DAMAGES: readonly (readonly [name: string, damage: (db: Database) => void, expected: RegExp])[] = [
  [
    "the first event is gone",
    (db) => db.run("DELETE FROM event WHERE sequence = 1"),
    /: event 1 is missing$/,
  ],
  ["an event is gone", (db) => db.run("DELETE FROM event WHERE sequence = 17"), /: event 17 is missing$/],
  [
    "the last event is gone",
    (db) => db.run("DELETE FROM event WHERE sequence = 30"),
    /has entries for events that do not exist; .*; the Merkle tree differs: it is of 30 events, not of 29$/,
  ],
  [
    "every event is gone",
    (db) => db.script("DELETE FROM event; INSERT INTO event_term (event_term) VALUES ('delete-all')"),
    /time index has 1 entries instead of 0; the Merkle tree differs: it is of 30 events, not of 0$/,
  ],
  [
    "there is an event 0",
    (db) => db.run("INSERT INTO event SELECT 0, time, body FROM event WHERE sequence = 1"),
    /event 0 precedes the first event/,
  ],
  [
    "an event got a far too high sequence",
    (db) => db.run("UPDATE event SET sequence = 1000000000000000 WHERE sequence = 30"),
    /event 30 is missing/,
  ],
  [
    "an event got a sequence beyond what a number can be",
    (db) => db.run("UPDATE event SET sequence = 9223372036854775807 WHERE sequence = 30"),
    /cannot be read: .*9223372036854775807/,
  ],
  [
    "a payload was changed",
    (db) => db.run("UPDATE event SET body = replace(body, 'payload 9.', 'payload 8.') WHERE sequence = 9"),
    /: the Merkle tree differs: at least one of events 1 to 30 is not what was copied$/,
  ],
  [
    "a tag was changed",
    (db) => db.run(`UPDATE event SET body = replace(body, '"n":"9"', '"n":"8"') WHERE sequence = 9`),
    /: the tag index differs from event 9; the Merkle tree differs/,
  ],
  [
    "a body is no JSON",
    (db) => db.run("UPDATE event SET body = replace(body, ',', ';') WHERE sequence = 9"),
    /: event 9 is damaged: the line is not valid JSON/,
  ],
  [
    "a body is written in another way",
    (db) => db.run(`UPDATE event SET body = replace(body, '":', '": ') WHERE sequence = 9`),
    /: event 9 is damaged: not in the form that this program writes/,
  ],
  [
    "two events changed places",
    (db) =>
      db.script(`UPDATE event SET sequence = -1 WHERE sequence = 5; UPDATE event SET sequence = 5 WHERE
        sequence = 6; UPDATE event SET sequence = 6 WHERE sequence = -1`),
    /: the tag index differs from event 5; the Merkle tree differs/,
  ],
  [
    "a time was changed a little",
    (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 9"),
    /: the Merkle tree differs/,
  ],
  [
    "a time was changed much",
    (db) => db.run("UPDATE event SET time = 0 WHERE sequence = 9"),
    /: the time index differs from the times of events 1 to 30; the Merkle tree differs/,
  ],
  [
    "a time is none",
    (db) => db.run("UPDATE event SET time = 9000000000000000000 WHERE sequence = 9"),
    /cannot be read: |event 9 is damaged: /,
  ],
  [
    "the time index was changed",
    (db) => db.run("UPDATE time_block SET time_max = time_max - 1"),
    /: the time index differs from the times of events 1 to 30$/,
  ],
  ["the time index is empty", (db) => db.run("DELETE FROM time_block"), /: the time index differs/],
  [
    "the time index has other blocks",
    (db) => db.run("INSERT INTO time_block VALUES (7, 1, 2)"),
    /: the time index has 2 entries instead of 1$/,
  ],
  [
    "the tag index lost an event",
    (db) => unindex(db, 9, terms(9)),
    /: the tag index differs from event 9$/,
  ],
  [
    "the tag index lost a term that many events have",
    (db) => unindex(db, 22, terms(22).split(" ")[0]!),
    /: the tag index differs from event 22$/,
  ],
  [
    "the tag index has a term too many",
    (db) => index(db, 9, terms(1).split(" ")[1]!),
    /: the tag index differs from event 9$/,
  ],
  [
    "the tag index has a word that is no term",
    (db) => index(db, 9, "word"),
    /: the tag index holds a term that belongs to no event$/,
  ],
  [
    "the tag index has an event that does not exist",
    (db) => index(db, 31, terms(1)),
    /: the tag index has entries for events that do not exist$/,
  ],
  [
    "the tag index is empty",
    (db) => db.script("INSERT INTO event_term (event_term) VALUES ('delete-all')"),
    /: the tag index differs from event 1$/,
  ],
  [
    "the tree was changed",
    (db) => db.run("UPDATE tree_block SET roots = zeroblob(length(roots))"),
    /: the Merkle tree differs/,
  ],
  [
    "the tree was cut",
    (db) => db.run("UPDATE tree_block SET roots = substr(roots, 1, 3)"),
    /: the Merkle tree has no block 0, or a damaged one$/,
  ],
  [
    "the tree is of other events",
    (db) => db.run("UPDATE tree_block SET events = 29"),
    /: the Merkle tree differs: it is of 29 events, not of 30$/,
  ],
  [
    "the tree has another block",
    (db) => db.run("UPDATE tree_block SET block = 1"),
    /: the Merkle tree has no block 0, or a damaged one$/,
  ],
  [
    "the tree has no block",
    (db) => db.run("DELETE FROM tree_block"),
    /: the Merkle tree differs: it is of 0 events, not of 30$/,
  ],
  ["the tree is gone", (db) => db.script("DROP TABLE tree_block"), /: table tree_block is missing$/],
  ["the origin is gone", (db) => db.run("DELETE FROM origin"), /: the origin table does not name the store/],
  [
    "the origin is another store",
    (db) => db.run("UPDATE origin SET store_id = 'another'"),
    /: this is a backup of another store, another$/,
  ],
  ["a table is gone", (db) => db.script("DROP TABLE projection"), /: table projection is missing$/],
  ["a table is foreign", (db) => db.script("CREATE TABLE mine (a)"), /: mine does not belong here$/],
  [
    "a column is foreign",
    (db) => db.script("ALTER TABLE event ADD COLUMN mine INTEGER"),
    /: table event differs from the schema$/,
  ],
  [
    "a view was changed",
    (db) => db.script("DROP VIEW events; CREATE VIEW events AS SELECT sequence FROM event"),
    /: view events differs from the schema$/,
  ],
  ["a view is foreign", (db) => db.script("CREATE VIEW mine AS SELECT 1"), /: mine does not belong here$/],
];

Deno.test("verify names each damage done to a row, together with the backup, and exits with 1", async () => {
  using place = placeWithoutSource();
  const whole = makeBackup(place, EVENT);
  const wrong: string[] = [];
  const storeIds = DAMAGES.map(([name, damage]) => {
    const storeId = crypto.randomUUID();
    Deno.copyFileSync(place.file(whole), place.file(storeId));
    change(place.file(storeId), (db) => db.run("UPDATE origin SET store_id = ?", storeId));
    try {
      change(place.file(storeId), damage);
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`);
    }
    return storeId;
  });
  const { code, stdout, stderr } = await verify(place);
  assert.deepEqual([code, stderr], [1, ""]);
  const lines = new Map(stdout.trimEnd().split("\n").map((line) => [line.slice(0, 36), line]));
  assert.match(`${lines.get(whole)}\n`, okLine(whole, 30));
  for (const [i, [name, , expected]] of DAMAGES.entries()) {
    const line = lines.get(storeIds[i]!)!;
    if (!line.startsWith(`${storeIds[i]}: not ok: `) || !expected.test(line)) wrong.push(`${name}: ${line}`);
  }
  assert.deepEqual(wrong, []);
  assert.equal(lines.size, DAMAGES.length + 1);
});
