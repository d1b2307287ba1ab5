/**
 * Keeps a table of your own SQLite or PostgreSQL database up to date with the events.
 *
 * @module
 */

export type { MirrorDatabase } from "./database.ts";
export { mirror } from "./mirror.ts";
export type { MirrorModel, MirrorOptions, MirrorProgress } from "./mirror_model.ts";
export { postgres, type PostgresConnection, type PostgresDatabase } from "./postgres.ts";
export {
  sqlite,
  type SqliteConnection,
  type SqliteDatabase,
  type SqliteStatement,
  type SqliteValue,
} from "./sqlite.ts";
