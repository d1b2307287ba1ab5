import schema from "./schema.sql" with { type: "text" };

/** The statements that create the tables of an empty store. */
export const SCHEMA_STATEMENTS: readonly string[] = schema.replaceAll(/^ *--.*\n/gm, "")
  .split(";").map((sql) => sql.trim()).filter((sql) => sql !== "");

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
