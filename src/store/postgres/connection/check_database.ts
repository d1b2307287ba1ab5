import { booleanIn, numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Session } from "../protocol/session.ts";
import { SCHEMA_VERSION, TABLE_RIGHTS } from "../tables/schema.ts";

const VERSION_MIN = 13;

const FACTS = `SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'),
  current_setting('synchronous_commit'), pg_is_in_recovery()`;

/** What is wrong with a database, whatever is in it, as the end of a sentence. */
export async function databaseFault(session: Pick<Session, "run">): Promise<string | undefined> {
  const [[row] = []] = await session.run([{ sql: FACTS }]);
  const [version, encoding, commit, inRecovery] = row as Row;
  const major = Math.floor(numberIn(version) / 10_000);
  if (major < VERSION_MIN) return `PostgreSQL ${major} is too old; ${VERSION_MIN} or newer is needed`;
  if (textIn(encoding) !== "UTF8") {
    return `the database has the encoding ${textIn(encoding)}; create one with ENCODING 'UTF8'`;
  }
  if (textIn(commit) === "off") {
    return "synchronous_commit is off, so that what was answered could be lost; set it to on for this role";
  }
  return booleanIn(inRecovery) ? "this PostgreSQL is a replica; name the primary in postgresUrl" : undefined;
}

/** Whether the schema holds a store. */
export async function holdsStore(session: Pick<Session, "run">, schema: string): Promise<boolean> {
  const sql = `SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n
    ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'store' AND c.relkind IN ('r', 'p'))`;
  const [[row] = []] = await session.run([{ sql, params: [schema] }]);
  return booleanIn(row![0]);
}

/** Why a server cannot work with the store that is there, as the end of a sentence. */
export async function storeFault(
  session: Pick<Session, "run">,
  schema: string,
): Promise<string | undefined> {
  const usage = "SELECT has_schema_privilege($1, 'USAGE'), current_user::text";
  const [[row] = []] = await session.run([{ sql: usage, params: [schema] }]);
  const role = textIn(row![1]);
  if (!booleanIn(row![0])) return `${role} lacks a right: GRANT USAGE ON SCHEMA ${schema} TO ${role}`;
  for (const [table, rights] of Object.entries(TABLE_RIGHTS)) {
    // Several rights in one text would ask for any of them.
    for (const right of rights.split(", ")) {
      const sql = "SELECT has_table_privilege($1::text, $2::text)";
      const [[row] = []] = await session.run([{ sql, params: [`${schema}.${table}`, right] }]);
      if (!booleanIn(row![0])) {
        return `${role} lacks a right: GRANT ${rights} ON ${schema}.${table} TO ${role}`;
      }
    }
  }
  const [[version] = []] = await session.run([{ sql: "SELECT schema_version FROM store" }]);
  const found = version === undefined ? "none" : String(numberIn(version[0]));
  if (found === String(SCHEMA_VERSION)) return undefined;
  return `it has schema version ${found}, and this program works with version ${SCHEMA_VERSION}`;
}
