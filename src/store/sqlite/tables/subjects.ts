import type { StoredSubject, SubjectsPart } from "../../api/store.ts";
import type { Tag } from "../../../model/tag.ts";
import { ID_BYTES, type MasterKeys, NO_MASTER_KEYS, STORED_BYTES } from "../../core/sealing/master_keys.ts";
import type { KeysById } from "../../core/sealing/sealed_lines.ts";
import { storedSubject } from "../../core/sealing/stored_subject.ts";
import type { SubjectKey } from "../../core/sealing/subject_key.ts";
import type { Database, Row } from "../connection/database.ts";
import { changeAdditions, readAdditions } from "./additions.ts";
import { SEALING } from "./schema.ts";

const encoder = new TextEncoder();

/** True when the store has been opened with subjects. */
export function hasSubjects(db: Database): boolean {
  return readAdditions(db).subjects;
}

/** Creates the tables of subjects, if the store lacks them. */
export function addSubjects(db: Database): void {
  if (hasSubjects(db)) return;
  db.run("BEGIN IMMEDIATE");
  db.script(SEALING);
  changeAdditions(db, { subjects: true });
  db.run("COMMIT");
}

/** True when a store with subjects has had any key. */
export function hasKeys(db: Database): boolean {
  return db.get("SELECT 1 FROM subject_key LIMIT 1") !== undefined;
}

/** Returns the key of a subject that is in use, if it has one. */
export function livingKey(db: Database, { name, value }: Tag, masters: MasterKeys): SubjectKey | undefined {
  const row = db.get(
    `SELECT id, key FROM subject JOIN subject_key ON row = key_row
    WHERE name = ? AND value = ? AND forgotten IS NULL`,
    encoder.encode(name),
    encoder.encode(value),
  );
  if (row === undefined) return undefined;
  const [id, stored] = row as readonly [string, Uint8Array];
  return { id, bytes: masters.unwrapped(id, stored) };
}

/** Adds a key for a subject that has none in use. */
export function addKey(db: Database, { name, value }: Tag, key: SubjectKey, masters: MasterKeys): void {
  db.run("INSERT INTO subject_key (key) VALUES (?)", masters.wrapped(key));
  db.run(
    "INSERT INTO subject (id, name, value, key_row) VALUES (?, ?, ?, last_insert_rowid())",
    key.id,
    encoder.encode(name),
    encoder.encode(value),
  );
}

/**
 * Adds subjects of another store, in the order in which their keys were made. A forgotten key is zeros. The keys are not
 * wrapped: the first start of a server does that.
 */
export function insertSubjects(db: Database, subjects: readonly StoredSubject[]): void {
  for (const { id, subject: { name, value }, key, forgottenMicros } of subjects) {
    const stored = key === undefined
      ? new Uint8Array(STORED_BYTES)
      : NO_MASTER_KEYS.wrapped({ id, bytes: key });
    db.run("INSERT INTO subject_key (key) VALUES (?)", stored);
    db.run(
      "INSERT INTO subject (id, name, value, key_row, forgotten) VALUES (?, ?, ?, last_insert_rowid(), ?)",
      id,
      encoder.encode(name),
      encoder.encode(value),
      forgottenMicros === undefined ? null : BigInt(forgottenMicros),
    );
  }
}

/** Returns the keys with these IDs, without those that are gone. */
export function keysById(db: Database, ids: readonly string[], masters: MasterKeys): KeysById {
  const rows = db.all(
    `SELECT subject.id, subject_key.key FROM json_each(?) AS wanted CROSS JOIN subject ON subject.id = wanted.value
    CROSS JOIN subject_key ON row = key_row WHERE forgotten IS NULL`,
    JSON.stringify(ids),
  );
  const stored = rows as readonly Row[] as readonly [string, Uint8Array][];
  return new Map(stored.map(([id, key]) => [id, masters.unwrapped(id, key)]));
}

/**
 * Overwrites the keys of a subject.
 * @returns undefined when it never had one, else whether it had one in use
 */
export function forgetSubject(db: Database, { name, value }: Tag, timeMicros: number): boolean | undefined {
  const of = [encoder.encode(name), encoder.encode(value)] as const;
  const rows = db.all("SELECT key_row, forgotten FROM subject WHERE name = ? AND value = ?", ...of);
  const inUse = rows.filter(([, forgotten]) => forgotten === null);
  for (const [row] of inUse) eraseKey(db, BigInt(row as number));
  db.run(
    "UPDATE subject SET forgotten = ? WHERE name = ? AND value = ? AND forgotten IS NULL",
    BigInt(timeMicros),
    ...of,
  );
  return rows.length === 0 ? undefined : inUse.length > 0;
}

/** A value of the same size is written in the place of the former one. */
function eraseKey(db: Database, row: bigint): void {
  db.run("UPDATE subject_key SET key = zeroblob(length(key)) WHERE row = ?", row);
}

/** Overwrites all keys, and deletes what is known of subjects. */
export function deleteSubjects(db: Database): void {
  db.run("UPDATE subject_key SET key = zeroblob(length(key))");
  db.run("DELETE FROM subject_key");
  db.run("DELETE FROM subject");
}

/** Enough for a chunk of lines. */
const PART_ROWS = 1000;

/** Reads subjects in the order in which their keys were made. */
export function subjectsAfter(
  db: Database,
  afterRow: number,
  masters: MasterKeys,
): Omit<SubjectsPart, "storeId"> {
  const rows = db.all(
    `SELECT row, id, name, value, key, forgotten FROM
    (SELECT row, key FROM subject_key WHERE row > ? ORDER BY row LIMIT ${PART_ROWS})
    JOIN subject ON key_row = row ORDER BY row`,
    BigInt(afterRow),
  );
  const subjects = rows.map((row) => {
    const [, id, name, value, stored, forgotten] = row as [
      number,
      string,
      Uint8Array,
      Uint8Array,
      Uint8Array,
      number | null,
    ];
    return storedSubject({ id, name, value, stored, forgottenMicros: forgotten ?? undefined }, masters);
  });
  return { subjects, lastRow: (rows.at(-1)?.[0] ?? afterRow) as number };
}

/** Keys in use, not those that were overwritten, as in the index. */
const IN_USE = `key <> zeroblob(${STORED_BYTES})`;
const WRAPPING = `substr(key, 1, ${ID_BYTES})`;
const WRAPPED_KEYS = `subject_key INDEXED BY subject_key_wrapping WHERE ${IN_USE}`;

/**
 * Returns the IDs of the master keys with which keys in use are wrapped, in hexadecimal; zeros for those that are not. A
 * search for each takes no time, however many keys there are.
 */
export function wrappingsIn(db: Database): string[] {
  const next = `SELECT ${WRAPPING} FROM ${WRAPPED_KEYS} AND ${WRAPPING} > ? ORDER BY ${WRAPPING} LIMIT 1`;
  const found: string[] = [];
  for (let id: unknown = new Uint8Array();;) {
    [id] = db.get(next, id as Uint8Array) ?? [];
    if (id === undefined) return found;
    found.push((id as Uint8Array).toHex());
  }
}

/** Returns how many keys are in use. */
export function countKeys(db: Database): number {
  return db.get(`SELECT count(*) FROM ${WRAPPED_KEYS}`)![0] as number;
}

/** Some 10 ms of work. */
const WRAPPED_ROWS = 500;

/**
 * Wraps some keys with the first master key, if they are not, inside the caller's transaction.
 * @returns the row after which there may be more; undefined at the end
 * @throws Error that names a key which was damaged
 */
export function wrapKeys(db: Database, afterRow: number, masters: MasterKeys): number | undefined {
  const upTo = afterRow + WRAPPED_ROWS;
  const rows = db.all(
    `SELECT row, id, key FROM subject_key NOT INDEXED CROSS JOIN subject ON key_row = row
    WHERE row > ? AND row <= ? AND ${IN_USE}`,
    BigInt(afterRow),
    BigInt(upTo),
  ) as readonly Row[] as readonly [row: number, id: string, key: Uint8Array][];
  for (const [row, id, stored] of rows) {
    const wrapped = masters.rewrapped(id, stored);
    // A value of the same size is written in the place of the former one.
    if (wrapped !== undefined) db.run("UPDATE subject_key SET key = ? WHERE row = ?", wrapped, BigInt(row));
  }
  const [last] = db.get("SELECT max(row) FROM subject_key") as [number | null];
  return last !== null && last > upTo ? upTo : undefined;
}
