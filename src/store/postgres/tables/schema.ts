import schema from "./schema.sql" with { type: "text" };

const statements = schema.replaceAll(/^ *--.*\n/gm, "").split(";").map((sql) => sql.trim());

/** The statements that create the tables of a store. */
export const TABLE_STATEMENTS: readonly string[] = statements.filter((sql) => sql.startsWith("CREATE "));

/** The statements that create the index, once the first events are in the tables. */
export const INDEX_STATEMENTS: readonly string[] = statements.filter((sql) => sql.startsWith("ALTER "));

/** Stored in the table `store`. A program works with exactly one version and never changes a schema on its own. */
export const SCHEMA_VERSION = 2;

/** The tables, and the rights that a server needs on each. Events are only added. */
export const TABLE_RIGHTS: Readonly<Record<string, string>> = {
  store: "SELECT, UPDATE",
  turn: "SELECT, INSERT, DELETE",
  server: "SELECT, INSERT, UPDATE, DELETE",
  event: "SELECT, INSERT",
  event_term: "SELECT, INSERT",
  time_block: "SELECT, INSERT",
  projection: "SELECT, INSERT, UPDATE, DELETE",
};

/** The additional rights for a reset, which is for development. */
export const RESET_RIGHTS: Readonly<Record<string, string>> = {
  event: "DELETE",
  event_term: "DELETE",
  time_block: "DELETE",
};
