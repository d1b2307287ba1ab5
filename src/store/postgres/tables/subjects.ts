import type { SubjectsPart } from "../../api/store.ts";
import type { Tag } from "../../../model/tag.ts";
import { identifierTerm } from "../../core/index_terms.ts";
import { ID_BYTES, type MasterKeys } from "../../core/sealing/master_keys.ts";
import type { KeysById } from "../../core/sealing/sealed_lines.ts";
import { storedSubject } from "../../core/sealing/stored_subject.ts";
import type { SubjectKey } from "../../core/sealing/subject_key.ts";
import { bytesIn, numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import { arrayText, bytesArrayText } from "./array_text.ts";

const encoder = new TextEncoder();

/** The key of a subject that is in use; `forgotten` when it has had keys and has none now. */
export type PresentKey = SubjectKey | "forgotten";

/** A key that a transaction has made. */
export interface MadeKey {
  readonly subject: Tag;
  readonly key: SubjectKey;
  /** When the subject was forgotten in the same transaction, in microseconds since 1970. */
  forgottenMicros: number | undefined;
}

/** The token by which the rows of a subject are found. */
export function subjectToken(subject: Tag): string {
  return identifierTerm(subject);
}

/** Asks for the present keys of subjects. The last row of a subject decides: earlier ones are forgotten. */
export function readPresentKeys(tokens: Iterable<string>): Statement {
  return {
    sql: `SELECT wanted.token::text, last.id, k.key FROM unnest($1::uuid[]) AS wanted (token)
      CROSS JOIN LATERAL
        (SELECT id FROM subject WHERE subject.token = wanted.token ORDER BY number DESC LIMIT 1) AS last
      LEFT JOIN subject_key k ON k.id = last.id`,
    params: [arrayText([...tokens])],
  };
}

/** @returns the keys by token; nothing for a subject that never had one */
export function presentKeys(rows: readonly Row[], masters: MasterKeys): [token: string, key: PresentKey][] {
  return rows.map(([token, id, key]) => [
    textIn(token).replaceAll("-", ""),
    key === null
      ? "forgotten"
      : { id: textIn(id), bytes: masters.unwrapped(textIn(id), bytesIn(key)).slice() },
  ]);
}

/** Adds keys in their order. One whose subject was forgotten meanwhile is recorded, but its bytes are not stored. */
export function addKeys(made: readonly MadeKey[], masters: MasterKeys): Statement[] {
  if (made.length === 0) return [];
  const subjects: Statement = {
    sql: `INSERT INTO subject (id, token, name, value, forgotten)
      SELECT * FROM unnest($1::text[], $2::uuid[], $3::bytea[], $4::bytea[], $5::bigint[])`,
    params: [
      arrayText(made.map(({ key }) => key.id)),
      arrayText(made.map(({ subject }) => subjectToken(subject))),
      bytesArrayText(made.map(({ subject }) => encoder.encode(subject.name))),
      bytesArrayText(made.map(({ subject }) => encoder.encode(subject.value))),
      arrayText(made.map(({ forgottenMicros }) => forgottenMicros ?? "NULL")),
    ],
  };
  const inUse = made.filter(({ forgottenMicros }) => forgottenMicros === undefined);
  if (inUse.length === 0) return [subjects];
  const keys: Statement = {
    sql: "INSERT INTO subject_key (id, key) SELECT * FROM unnest($1::text[], $2::bytea[])",
    params: [
      arrayText(inUse.map(({ key }) => key.id)),
      bytesArrayText(inUse.map(({ key }) => masters.wrapped(key))),
    ],
  };
  return [subjects, keys];
}

/** The name that changes whenever keys are destroyed. */
export const READ_CHANGE: Statement = { sql: "SELECT name::text FROM subject_change" };

const CHANGE: Statement = { sql: "UPDATE subject_change SET name = gen_random_uuid()" };

export function changeName([row]: readonly Row[]): string {
  return textIn(row![0]);
}

/** Deletes the keys of subjects. @param forgotten when each was forgotten, in microseconds since 1970, by its token */
export function forgetSubjects(forgotten: ReadonlyMap<string, number>): Statement[] {
  if (forgotten.size === 0) return [];
  const tokens = arrayText([...forgotten.keys()]);
  return [
    {
      sql: `DELETE FROM subject_key k USING subject s
        WHERE s.token = ANY($1::uuid[]) AND s.forgotten IS NULL AND k.id = s.id`,
      params: [tokens],
    },
    {
      sql: `UPDATE subject s SET forgotten = f.time FROM unnest($1::uuid[], $2::bigint[]) AS f (token, time)
        WHERE s.token = f.token AND s.forgotten IS NULL`,
      params: [tokens, arrayText([...forgotten.values()])],
    },
    CHANGE,
  ];
}

/** Deletes all keys, and what is known of subjects. */
export const DELETE_SUBJECTS: readonly Statement[] = [
  { sql: "DELETE FROM subject_key" },
  { sql: "DELETE FROM subject" },
  CHANGE,
];

/** Reads the keys with these IDs, without those that are gone. */
export function readKeys(ids: readonly string[]): Statement {
  return {
    sql: "SELECT id, key FROM subject_key WHERE id = ANY($1::text[])",
    params: [arrayText(ids)],
  };
}

export function keysById(rows: readonly Row[], masters: MasterKeys): KeysById {
  return new Map(rows.map(([id, key]) => [textIn(id), masters.unwrapped(textIn(id), bytesIn(key))]));
}

/** Enough for a chunk of lines. */
const PART_ROWS = 1000;

/** Reads subjects in the order in which their keys were made. */
export function readSubjects(afterNumber: number): Statement {
  return {
    sql: `SELECT s.number, s.id, s.name, s.value, k.key, s.forgotten
      FROM (SELECT * FROM subject WHERE number > $1 ORDER BY number LIMIT ${PART_ROWS}) s
      LEFT JOIN subject_key k ON k.id = s.id ORDER BY s.number`,
    params: [String(afterNumber)],
  };
}

export function subjectsIn(
  rows: readonly Row[],
  afterNumber: number,
  masters: MasterKeys,
): Omit<SubjectsPart, "storeId"> {
  const subjects = rows.map(([, id, name, value, key, forgotten]) =>
    storedSubject({
      id: textIn(id),
      name: bytesIn(name),
      value: bytesIn(value),
      stored: key === null ? undefined : bytesIn(key),
      forgottenMicros: forgotten === null ? undefined : numberIn(forgotten),
    }, masters)
  );
  const last = rows.at(-1);
  return { subjects, lastRow: last === undefined ? afterNumber : numberIn(last[0]) };
}

/** The ID of the master key with which a key is wrapped, as in the index. */
const WRAPPING = `substring(key FROM 1 FOR ${ID_BYTES})`;

/** The next one that is larger. A search with the index for each takes no time, however many keys there are. */
const nextWrapping = (after: string): string =>
  `(SELECT ${WRAPPING} FROM subject_key WHERE ${WRAPPING} > '\\x${
    "00".repeat(ID_BYTES)
  }' AND ${WRAPPING} > ${after}
    ORDER BY ${WRAPPING} LIMIT 1)`;

/** Reads the IDs of the master keys with which keys are wrapped. */
export const READ_WRAPPINGS: Statement = {
  sql: `WITH RECURSIVE wrapping (id) AS (SELECT ${nextWrapping("''")} UNION ALL
    SELECT ${nextWrapping("w.id")} FROM wrapping w WHERE w.id IS NOT NULL)
    SELECT encode(id, 'hex') FROM wrapping WHERE id IS NOT NULL`,
};

/** @returns the IDs in hexadecimal */
export function wrappingsIn(rows: readonly Row[]): string[] {
  return rows.map(([id]) => textIn(id));
}

/** Some 10 ms of work. */
const WRAPPED_ROWS = 500;

/** Reads some keys in the order of their IDs, as they are stored. */
export function readStoredKeys(afterId: string): Statement {
  return {
    sql: `SELECT id, key FROM subject_key WHERE id > $1 ORDER BY id LIMIT ${WRAPPED_ROWS}`,
    params: [afterId],
  };
}

/** A key as it is stored. */
export interface StoredKey {
  readonly id: string;
  readonly stored: Uint8Array;
}

export function storedKeys(rows: readonly Row[]): StoredKey[] {
  return rows.map(([id, stored]) => ({ id: textIn(id), stored: bytesIn(stored) }));
}

/** Replaces keys that are still in use. */
export function replaceKeys(keys: readonly StoredKey[]): Statement {
  return {
    sql: `UPDATE subject_key k SET key = n.key FROM unnest($1::text[], $2::bytea[]) AS n (id, key)
      WHERE k.id = n.id`,
    params: [arrayText(keys.map(({ id }) => id)), bytesArrayText(keys.map(({ stored }) => stored))],
  };
}

/** True while former bytes of keys that were replaced may be in the table's file. */
export const READ_REWRITE: Statement = { sql: "SELECT must_rewrite FROM subject_change" };

export function markRewrite(isDue: boolean): Statement {
  return { sql: "UPDATE subject_change SET must_rewrite = $1", params: [String(isDue)] };
}

/** Counts the keys, and those that are not wrapped with a master key. */
export function countKeys(masterKeyId: string): Statement {
  return {
    sql: `SELECT count(*), count(*) FILTER (WHERE encode(${WRAPPING}, 'hex') <> $1) FROM subject_key`,
    params: [masterKeyId],
  };
}
