import schema from "./schema.sql" with { type: "text" };

const statements = schema.replaceAll(/^ *--.*\n/gm, "").split(";").map((sql) => sql.trim());

/** The statements that create the tables of a store. */
export const TABLE_STATEMENTS: readonly string[] = statements.filter((sql) => sql.startsWith("CREATE "));

/** Those that come when the first events are in the tables. */
export const INDEX_STATEMENTS: readonly string[] = statements.filter((sql) => sql.startsWith("ALTER "));

/** Kept in the table `store`. A program works with exactly one version and never changes a schema on its own. */
export const SCHEMA_VERSION = 1;

/** The tables, and what a server does with each. */
export const TABLE_RIGHTS: Readonly<Record<string, string>> = {
  store: "SELECT, UPDATE",
  server: "SELECT, INSERT, UPDATE, DELETE",
  event: "SELECT, INSERT, DELETE",
  event_term: "SELECT, INSERT, DELETE",
  time_block: "SELECT, INSERT, UPDATE, DELETE",
  projection: "SELECT, INSERT, UPDATE, DELETE",
};
