import { booleanIn, numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Session } from "../protocol/session.ts";
import { LACKS_SUBJECTS } from "../../core/sealing/lacks_subjects.ts";
import {
  RESET_RIGHTS,
  SCHEMA_VERSION,
  SEALING_RESET_RIGHTS,
  SEALING_RIGHTS,
  SEALING_VERSION,
  TABLE_RIGHTS,
} from "../tables/schema.ts";

const VERSION_MIN = 13;

const FACTS = `SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'),
  current_setting('synchronous_commit')`;

/**
 * Returns what is wrong with a database, whatever it contains, as the end of a sentence. Undefined if nothing is
 * wrong.
 */
export async function databaseFault(session: Pick<Session, "run">): Promise<string | undefined> {
  const [[row] = []] = await session.run([{ sql: FACTS }]);
  const [version, encoding, commit] = row as Row;
  const major = Math.floor(numberIn(version) / 10_000);
  if (major < VERSION_MIN) return `PostgreSQL ${major} is too old; ${VERSION_MIN} or newer is needed`;
  if (textIn(encoding) !== "UTF8") {
    return `the database has the encoding ${textIn(encoding)}; create one with ENCODING 'UTF8'`;
  }
  return textIn(commit) === "off"
    ? "synchronous_commit is off, so that what was answered could be lost; set it to on for this role"
    : undefined;
}

/** True when the schema holds a store. */
export async function holdsStore(session: Pick<Session, "run">, schema: string): Promise<boolean> {
  const sql = `SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n
    ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'store' AND c.relkind IN ('r', 'p'))`;
  const [[row] = []] = await session.run([{ sql, params: [schema] }]);
  return booleanIn(row![0]);
}

/** The way in which a server uses a store. */
export interface StoreUse {
  /** True when it must be able to delete events, as in development. */
  readonly mayReset: boolean;
  /** True when it encrypts payloads. */
  readonly hasSubjects: boolean;
}

/**
 * Returns why a server cannot work with the existing store, as the end of a sentence. Undefined if it can, apart from the
 * tables of subjects, which may be missing.
 */
export async function storeFault(
  session: Pick<Session, "run">,
  schema: string,
  { mayReset, hasSubjects }: StoreUse,
): Promise<string | undefined> {
  const usage = "SELECT has_schema_privilege($1, 'USAGE'), current_user::text";
  const [[row] = []] = await session.run([{ sql: usage, params: [schema] }]);
  const role = textIn(row![1]);
  if (!booleanIn(row![0])) return `${role} lacks a right: GRANT USAGE ON SCHEMA ${schema} TO ${role}`;
  const lacking = (rights: Readonly<Record<string, string>>): Promise<string | undefined> =>
    lackingRight(session, schema, role, rights);
  // A store of another version may have other tables.
  return await lacking({ store: TABLE_RIGHTS["store"]! }) ?? await versionFault(session, hasSubjects) ??
    await lacking(TABLE_RIGHTS) ?? (mayReset ? await lacking(RESET_RIGHTS) : undefined);
}

/** The same for the tables of subjects, which exist. */
export async function subjectsFault(
  session: Pick<Session, "run">,
  schema: string,
  { mayReset }: StoreUse,
): Promise<string | undefined> {
  const [[row] = []] = await session.run([{ sql: "SELECT current_user::text" }]);
  const role = textIn(row![0]);
  return await lackingRight(session, schema, role, SEALING_RIGHTS) ??
    (mayReset ? await lackingRight(session, schema, role, SEALING_RESET_RIGHTS) : undefined);
}

export async function versionFault(
  session: Pick<Session, "run">,
  hasSubjects: boolean,
): Promise<string | undefined> {
  const [[version] = []] = await session.run([{ sql: "SELECT schema_version FROM store" }]);
  const found = version === undefined ? undefined : numberIn(version[0]);
  if (found === SCHEMA_VERSION) return undefined;
  if (found === SEALING_VERSION) return hasSubjects ? undefined : LACKS_SUBJECTS;
  return `it has schema version ${found ?? "none"}, and this program works with version ${SCHEMA_VERSION}`;
}

/** @param rights rights by table */
async function lackingRight(
  session: Pick<Session, "run">,
  schema: string,
  role: string,
  rights: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  for (const [table, all] of Object.entries(rights)) {
    // PostgreSQL accepts several rights in one text, but then any one of them is enough.
    for (const right of all.split(", ")) {
      const sql = "SELECT has_table_privilege($1::text, $2::text)";
      const [[row] = []] = await session.run([{ sql, params: [`${schema}.${table}`, right] }]);
      if (!booleanIn(row![0])) return `${role} lacks a right: GRANT ${all} ON ${schema}.${table} TO ${role}`;
    }
  }
  return undefined;
}
