import type { StoredSubject, SubjectsPart } from "../../api/store.ts";
import type { Tag } from "../../../model/tag.ts";
import type { KeysById } from "../../core/sealing/sealed_lines.ts";
import type { SubjectKey } from "../../core/sealing/subject_key.ts";
import type { Database, Row } from "../connection/database.ts";
import { changeAdditions, readAdditions } from "./additions.ts";
import { SEALING } from "./schema.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

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

/** Returns the key of a subject that is in use, if it has one. */
export function livingKey(db: Database, { name, value }: Tag): SubjectKey | undefined {
  const row = db.get(
    `SELECT id, key FROM subject JOIN subject_key ON row = key_row
    WHERE name = ? AND value = ? AND forgotten IS NULL`,
    encoder.encode(name),
    encoder.encode(value),
  );
  return row && { id: row[0] as string, bytes: row[1] as Uint8Array };
}

/** Adds a key for a subject that has none in use. */
export function addKey(db: Database, { name, value }: Tag, { id, bytes }: SubjectKey): void {
  db.run("INSERT INTO subject_key (key) VALUES (?)", bytes);
  db.run(
    "INSERT INTO subject (id, name, value, key_row) VALUES (?, ?, ?, last_insert_rowid())",
    id,
    encoder.encode(name),
    encoder.encode(value),
  );
}

const KEY_BYTES = 32;

/** Adds subjects of another store, in the order in which their keys were made. A forgotten key is zeros. */
export function insertSubjects(db: Database, subjects: readonly StoredSubject[]): void {
  for (const { id, subject: { name, value }, key, forgottenMicros } of subjects) {
    db.run("INSERT INTO subject_key (key) VALUES (?)", key ?? new Uint8Array(KEY_BYTES));
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
export function keysById(db: Database, ids: readonly string[]): KeysById {
  const rows = db.all(
    `SELECT subject.id, subject_key.key FROM json_each(?) AS wanted CROSS JOIN subject ON subject.id = wanted.value
    CROSS JOIN subject_key ON row = key_row WHERE forgotten IS NULL`,
    JSON.stringify(ids),
  );
  return new Map(rows as readonly Row[] as readonly [string, Uint8Array][]);
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
export function subjectsAfter(db: Database, afterRow: number): Omit<SubjectsPart, "storeId"> {
  const rows = db.all(
    `SELECT row, id, name, value, key, forgotten FROM
    (SELECT row, key FROM subject_key WHERE row > ? ORDER BY row LIMIT ${PART_ROWS})
    JOIN subject ON key_row = row ORDER BY row`,
    BigInt(afterRow),
  );
  const subjects = rows.map((row) => {
    const [, id, name, value, key, forgotten] = row as [
      number,
      string,
      Uint8Array,
      Uint8Array,
      Uint8Array,
      number | null,
    ];
    return {
      id,
      subject: { name: decoder.decode(name), value: decoder.decode(value) },
      key: forgotten === null ? key : undefined,
      forgottenMicros: forgotten ?? undefined,
    };
  });
  return { subjects, lastRow: (rows.at(-1)?.[0] ?? afterRow) as number };
}
