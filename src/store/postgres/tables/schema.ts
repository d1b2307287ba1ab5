import schema from "./schema.sql" with { type: "text" };
import sealing from "./sealing.sql" with { type: "text" };

const statements = statementsIn(schema);

function statementsIn(text: string): readonly string[] {
  return text.replaceAll(/^ *--.*\n/gm, "").split(";").map((sql) => sql.trim());
}

/** The statements that create the tables of a store. */
export const TABLE_STATEMENTS: readonly string[] = statements.filter((sql) => sql.startsWith("CREATE "));

/** The statements that create the index, once the first events are in the tables. */
export const INDEX_STATEMENTS: readonly string[] = statements.filter((sql) => sql.startsWith("ALTER "));

/** The statements that create the tables of a store with subjects, in addition to the others. */
export const SEALING_STATEMENTS: readonly string[] = statementsIn(sealing).filter((sql) => sql !== "");

/** Stored in the table `store`. A program works with these versions. */
export const SCHEMA_VERSION = 2;

/** The version of a store with subjects, which programs that know nothing of encrypted payloads must not open. */
export const SEALING_VERSION = 3;

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

/** The same for the additional tables of a store with subjects. */
export const SEALING_RIGHTS: Readonly<Record<string, string>> = {
  subject: "SELECT, INSERT, UPDATE",
  subject_key: "SELECT, INSERT, UPDATE, DELETE",
  subject_change: "SELECT, UPDATE",
};

/** The additional rights for a reset, which is for development. */
export const RESET_RIGHTS: Readonly<Record<string, string>> = {
  event: "DELETE",
  event_term: "DELETE",
  time_block: "DELETE",
};

/** The same for a store with subjects. */
export const SEALING_RESET_RIGHTS: Readonly<Record<string, string>> = { subject: "DELETE" };
